package prefix_test

import (
	"context"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestConformance reads and writes below a path of a larger store.
func TestConformance(t *testing.T) {
	h := storetest.Harness{Lists: true, New: func(t testing.TB, objects map[string][]byte) store.Locator {
		all := map[string][]byte{"ab/x": {1}, "a": {2}, "a/b-": {3}, "z": {4}}
		for key, data := range objects {
			all["a/b/"+key] = data
		}
		m := memstore.New(all)
		t.Cleanup(func() {
			for key, want := range map[string]byte{"ab/x": 1, "a": 2, "a/b-": 3, "z": 4} {
				if b, err := store.Get(context.Background(), m, key); err != nil || len(b) != 1 || b[0] != want {
					t.Errorf("%s outside has become % x, %v", key, b, err)
				}
			}
		})
		return must.Get(prefix.New(m, "a/b"))(t)
	}}
	storetest.Run(t, h)
	storetest.RunWriting(t, h)
}

func TestPassesOnAllCapabilitiesOfTheOtherStore(t *testing.T) {
	storetest.RunWrapping(t, storetest.Wrapping{
		New: func(of storetest.Below) store.Locator {
			return must.Get(prefix.New(of, "x/y"))(t)
		},
		Passes: []string{"Lister", "Writer", "Conditional", "Locker", "Preparer", "Refresher"},
		Key:    func(key string) string { return "x/y/" + key },
	})
}
