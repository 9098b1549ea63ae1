package object

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestLayerOfTwo(t *testing.T) {
	layer := NewLayer(4 * (1000 + overhead))
	data := storetest.Pattern(1000)
	var origins [2]*origin
	var stores [2]reading
	for i := range stores {
		origins[i] = &origin{data: map[string][]byte{"a": data, "b": data, "c": data}}
		stores[i] = reading{layer.Reader(origins[i], Options{}, nil)}
	}
	get := func(i int, keys ...string) {
		t.Helper()
		for _, key := range keys {
			must.Get(stores[i].Get(t.Context(), key))(t)
		}
	}
	get(0, "a", "b", "c")
	get(1, "a")
	get(0, "a")
	origins[0].take()
	get(1, "b") // evicts the first store's b
	get(0, "a", "c")
	want(t, origins[0])
	get(0, "b")
	want(t, origins[0], "b")
	if st := layer.Stats(); st.Entries != 4 || st.Bytes != st.Budget || st.Evicted != 2 || st.Misses != 6 || st.Hits != 3 {
		t.Errorf("%+v", st)
	}
	if a, b := stores[0].Stats(), stores[1].Stats(); a.Entries+b.Entries != 4 || a.Evicted+b.Evicted != 2 {
		t.Errorf("%+v, %+v", a, b)
	}
	layer.Resize(2 * (1000 + overhead))
	if st := layer.Stats(); st.Entries != 2 || st.Bytes > st.Budget {
		t.Errorf("%+v", st)
	}
	stores[0].Clear()
	if a, all := stores[0].Stats(), layer.Stats(); a.Entries != 0 || a.Bytes != 0 || all.Entries != stores[1].Stats().Entries {
		t.Errorf("%+v of %+v", a, all)
	}
	layer.Resize(-1)
	get(1, "a", "a")
	if st := layer.Stats(); st.Entries != 0 || st.Bytes != 0 {
		t.Errorf("%+v", st)
	}
}
