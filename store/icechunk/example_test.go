package icechunk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// The example reads a tag of a repository in a directory. Package httpstore does the same for a
// server.
func Example() {
	root, err := fixtures.Root()
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(root, "build/fixtures/public/earth-mover+icechunk/icechunk-python/tests/data/test-repo-v2")

	ctx := context.Background()
	caches := zarr.NewCaches(zarr.CacheOptions{})
	repo, err := icechunk.New(store.Plain(filestore.New(os.DirFS(dir))), caches.Layer(), icechunk.Options{
		Tag: "it works!", Decompress: codecs.Expand(),
	})
	if err != nil {
		panic(err)
	}
	h := zarr.Over(repo, codecs.Default(), zarr.Options{Caches: caches})
	a, err := h.OpenArray(ctx, "group1/small_chunks")
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Shape, a.DType().Name)

	commits, err := repo.History(ctx, 2)
	if err != nil {
		panic(err)
	}
	for _, c := range commits {
		fmt.Println(c.Snapshot, c.Message)
	}
	// Output:
	// [5] int8
	// QTP2RTYS5YQW8RPSQ93G delete a chunk
	// 2768FV3XW5ZXYM84XNNG set virtual chunk
}
