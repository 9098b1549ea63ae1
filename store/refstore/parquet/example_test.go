package parquet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore/parquet"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// The example reads references in a directory of Parquet files.
func Example() {
	root, err := fixtures.Root()
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(root, "build/fixtures/public/lqh2307+gdal/autotest/gdrivers/data/zarr/kerchunk_parquet/parquet_ref_2_dim")

	caches := zarr.NewCaches(zarr.CacheOptions{})
	sources := target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{})
	}, caches.Layer().Drop)
	refs := parquet.New(store.Plain(filestore.New(os.DirFS(dir))), caches.Layer(), sources, parquet.Options{
		Decompress: codecs.Parquet(codecs.Full()),
	})
	ctx := context.Background()
	a, err := zarr.Over(refs, codecs.Full(), zarr.Options{Caches: caches}).OpenArray(ctx, "ar")
	if err != nil {
		panic(err)
	}
	res, err := a.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Shape, res.Data)
	// Output: [3 4] [0 1 2 0 3 4 5 3 0 1 2 0]
}
