//go:build !js

package httpstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"testing/fstest"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
)

func Example() {
	server := httptest.NewServer(http.FileServerFS(fstest.MapFS{"data.zarr/c/0": {Data: []byte("0123456789")}}))
	defer server.Close()
	ctx := context.Background()

	s, err := httpstore.New(server.URL+"/data.zarr", httpstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	part, err := store.GetRange(ctx, s, "c/0", store.ByteRange{Offset: 2, Length: 3})
	fmt.Println(string(part), err)

	_, err = store.Get(ctx, s, "c/1")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// 234 <nil>
	// true
}
