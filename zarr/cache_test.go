package zarr_test

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// TestCachesOfTwoHierarchies shares caches between two hierarchies with the same keys. Neither
// reads the other's data.
func TestCachesOfTwoHierarchies(t *testing.T) {
	caches := zarr.NewCaches(zarr.CacheOptions{})
	var arrays [2]*zarr.Array
	var stores [2]*counted
	shapes := [2]sharding{{shape: []int{512, 512}, levels: [][]int{{512, 512}, {64, 64}}}, {shape: []int{600, 512}, levels: [][]int{{512, 512}, {64, 64}}}}
	for i, s := range shapes {
		stores[i] = &counted{Source: memstore.New(s.objects())}
		h := zarr.New(stores[i], codecs.Default(), zarr.Options{Caches: caches, Requests: zarr.RequestOptions{Waste: -1}})
		var err error
		if arrays[i], err = h.OpenArray(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for i, s := range shapes {
			s.read(t, arrays[i], 0, 100, 0, 100)
		}
		if all := caches.Stats(); all.Decoded.Entries != 8 || all.Decoded.Misses != 8 || all.Indexes.Entries != 2 || all.Metadata.Entries != 2 || all.Encoded.Bytes == 0 {
			t.Errorf("%+v", all)
		}
	}
	arrays[0].Hierarchy().Close()
	if all := caches.Stats(); all.Decoded.Entries != 4 || all.Indexes.Entries != 1 || all.Metadata.Entries != 1 {
		t.Errorf("one is closed: %+v", all)
	}
	for i, s := range shapes {
		stores[i].take()
		s.read(t, arrays[i], 0, 100, 0, 100)
	}
	if again := stores[0].take(); len(again) == 0 {
		t.Error("nothing was forgotten of what is closed")
	}
	if again := stores[1].take(); len(again) != 0 {
		t.Errorf("the other is asked for again: %q", again)
	}
	caches.Resize(zarr.CacheOptions{Decoded: -1, Encoded: 1 << 20})
	switch all := caches.Stats(); {
	case all.Decoded.Bytes != 0, all.Decoded.Budget != 0, all.Encoded.Budget != 1<<20, all.Indexes.Budget == 0:
		t.Errorf("other budgets: %+v", all)
	}
	shapes[1].read(t, arrays[1], 0, 100, 0, 100)
	if all := caches.Stats(); all.Decoded.Entries != 0 {
		t.Errorf("kept without a budget: %+v", all)
	}
}
