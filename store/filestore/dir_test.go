//go:build !js

package filestore_test

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// dir opens a fresh directory of these objects.
func dir(t testing.TB, objects map[string][]byte) store.Locator {
	d := must.Get(filestore.OpenDir(write(t, objects), filestore.DirOptions{}))(t)
	t.Cleanup(func() { _ = d.Close() })
	return store.Plain(d)
}

func TestDirConformance(t *testing.T) {
	storetest.Run(t, storetest.Harness{Lists: true, New: dir})
	storetest.RunWriting(t, storetest.Harness{Lists: true, New: dir})
}
