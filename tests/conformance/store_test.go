package conformance

import (
	"fmt"
	"os"
	"path/filepath"

	"zarr-wasm/store"
	"zarr-wasm/store/filestore"
)

// openStore opens a store of the manifest.
func openStore(dir, path, kind string) (store.Source, error) {
	path = filepath.Join(dir, filepath.FromSlash(path))
	if kind != "dir" {
		return nil, fmt.Errorf("stores of the kind %s cannot be opened yet", kind)
	}
	return filestore.New(os.DirFS(path)), nil
}
