package prefix_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
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
		s, err := prefix.New(m, "a/b")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}}
	storetest.Run(t, h)
	storetest.RunWriting(t, h)
}

// TestOfNoWriter checks the errors of writes to a read-only store.
func TestOfNoWriter(t *testing.T) {
	s, err := prefix.New(store.Plain(readOnly{memstore.New(nil)}), "a")
	if err != nil {
		t.Fatal(err)
	}
	if store.Writes(s) {
		t.Error("it can be written to")
	}
	for name, err := range map[string]error{
		"Set": store.Set(t.Context(), s, "k", nil), "Delete": store.Delete(t.Context(), s, "k"), "DeleteAll": store.DeleteAll(t.Context(), s, ""),
		"Create": store.Create(t.Context(), s, "k", nil), "Replace": store.Replace(t.Context(), s, "k", nil, store.Unknown),
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := store.Lock(t.Context(), s, "k"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Lock: %v", err)
	}
}

// readOnly hides all methods of a source except Read.
type readOnly struct{ store.Source }
