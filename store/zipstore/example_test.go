package zipstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// The example reads a hierarchy in an archive in a directory. Package httpstore does the same for a
// server.
func Example() {
	root, err := fixtures.Root()
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(root, "build", "fixtures", "zip")

	caches := zarr.NewCaches(zarr.CacheOptions{})
	archive, err := zipstore.New(store.Plain(filestore.New(os.DirFS(dir))), "v3_deflated.zip", caches.Layer(), zipstore.Options{
		Decode: codecs.Unzip(codecs.Default()),
	})
	if err != nil {
		panic(err)
	}
	h := zarr.Over(archive, codecs.Default(), zarr.Options{Caches: caches})
	a, err := h.OpenArray(context.Background(), "g/b")
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Shape, a.DType().Name)
	// Output: [9 7] float64
}
