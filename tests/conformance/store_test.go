package conformance

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// stores opens stores by their descriptions.
type stores struct {
	*kinds.Stores
	caches *zarr.Caches
}

// newStores returns a set that opens stores of all kinds. Files are below a directory.
func newStores(dir string) stores {
	registry := kinds.Composites()
	registry["zip"] = kinds.Zip(codecs.UnzipFull(codecs.Full()))
	registry["reference"] = kinds.References(codecs.Parquet(codecs.Full()))
	registry["icechunk"] = kinds.Icechunk(codecs.Expand())
	registry["n5"] = kinds.N5
	registry["file"] = func(m *kinds.Making, settings json.Value) (store.Locator, error) {
		name, ok := settings.Get("path").Text()
		if !ok {
			return nil, m.Invalid("expected a path")
		}
		root, err := os.OpenRoot(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		return store.Plain(filestore.New(root.FS())), nil
	}
	caches := zarr.NewCaches(zarr.CacheOptions{})
	all := kinds.New(registry, caches.Layer())
	all.Targets = target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{})
	}, caches.Layer().Drop)
	return stores{all, caches}
}

// open opens a store of a manifest by its path and the manifest's name of its kind.
func (s stores) open(t testing.TB, name, kind, options string) (store.Locator, error) {
	t.Helper()
	description := ""
	switch kind {
	case "dir":
		description = fmt.Sprintf(`{"file":{"path":%q}}`, name)
	case "zip", "reference":
		description = fmt.Sprintf(`{%q:{"of":{"file":{"path":%q}},"key":%q%s}}`, kind, path.Dir(name), path.Base(name), options)
	case "reference-parquet":
		description = fmt.Sprintf(`{"reference":{"of":{"file":{"path":%q}}%s}}`, name, options)
	case "icechunk", "n5":
		description = fmt.Sprintf(`{%q:{"of":{"file":{"path":%q}}%s}}`, kind, name, options)
	default:
		return nil, errors.New("no such kind of store: " + kind)
	}
	st, err := s.Open([]byte(description))
	if err != nil {
		return nil, err
	}
	t.Cleanup(st.Close)
	return st.Locator, nil
}
