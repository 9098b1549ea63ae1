package memstore_test

import (
	"context"
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

func ExampleNew() {
	s := memstore.New(map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group","attributes":{"title":"empty"}}`)})
	group, err := zarr.New(s, codecs.Default(), zarr.Options{}).OpenGroup(context.Background(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("a group at %q\n", group.Path())
	// Output: a group at ""
}
