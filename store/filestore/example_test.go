package filestore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "zarr.json"), []byte("{}"), 0o600); err != nil {
		log.Fatal(err)
	}

	root, err := os.OpenRoot(dir) // rejects links that lead out of the directory
	if err != nil {
		log.Fatal(err)
	}
	b, err := store.Get(context.Background(), filestore.New(root.FS()), "zarr.json")
	fmt.Println(string(b), err)
	// Output: {} <nil>
}
