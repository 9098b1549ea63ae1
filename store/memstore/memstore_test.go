package memstore_test

import (
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
)

func TestConformance(t *testing.T) {
	h := storetest.Harness{
		New:   func(_ testing.TB, objects map[string][]byte) store.Locator { return memstore.New(objects) },
		Lists: true,
	}
	storetest.Run(t, h)
	storetest.RunWriting(t, h)
}

func TestListObjectAndFolderOfOneName(t *testing.T) {
	s := memstore.New(map[string][]byte{"a": nil, "a-b": nil, "a/b": nil, "a/c/d": nil, "a0": nil, "../x": nil})
	for _, test := range []struct {
		prefix string
		want   []string
	}{
		{"", []string{"a", "a-b", "a/", "a0"}},
		{"a", []string{"b", "c/"}},
		{"a0", []string{}},
	} {
		got, err := s.List(t.Context(), test.prefix)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("List(%q) = %q, %v; want %q", test.prefix, got, err, test.want)
		}
	}
}

func TestMapIsCopied(t *testing.T) {
	objects := map[string][]byte{"a": {1}}
	s := memstore.New(objects)
	delete(objects, "a")
	if _, err := store.Get(t.Context(), s, "a"); err != nil {
		t.Error(err)
	}
}
