package refstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// The example reads references in a directory. Package httpstore does the same for a server.
func Example() {
	root, err := fixtures.Root()
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(root, "build", "fixtures", "ref")

	caches := zarr.NewCaches(zarr.CacheOptions{})
	// All reference stores share the sources of their target files.
	sources := target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{})
	}, caches.Layer().Drop)
	refs := refstore.New(store.Plain(filestore.New(os.DirFS(dir))), "v1.json", caches.Layer(), sources, refstore.Options{
		Language: refstore.Expressions(),
		Targets:  target.Options{Origins: []string{"https://data.example.org"}},
	})
	h := zarr.Over(refs, codecs.Default(), zarr.Options{Caches: caches})
	a, err := h.OpenArray(context.Background(), "a")
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Shape, a.DType().Name)
	// Output: [40 30] float32
}
