package zarr_test

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// unsized is a store whose requests for the ends of objects have hints.
type unsized struct {
	*memstore.Store
	objects map[string][]byte

	mu    sync.Mutex
	hints map[string]store.Hint
}

func (s *unsized) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if ask.Range != nil && ask.Range.Suffix {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hints[key] = ask.Hint
	}
	return s.Store.Read(ctx, key, ask)
}

// TestShardsTellOfOneAnother checks the predicted sizes of shards.
func TestShardsTellOfOneAnother(t *testing.T) {
	const waste = 512 << 10
	index := func(data []byte) int64 { return int64(len(data) - 16*256 - 4) }
	// Inner chunks of a fixed size: exact, also where the array ends within the shard.
	s := sharding{shape: []int{1024 + 512, 1024}, levels: [][]int{{1024, 1024}, {64, 64}}}
	s.without = func(p []int) bool { return p[0] >= s.shape[0] }
	st := &unsized{objects: s.objects(), hints: map[string]store.Hint{}}
	st.Store = memstore.New(st.objects)
	a, err := hierarchy(st, zarr.Options{Requests: zarr.RequestOptions{Waste: waste}}).OpenArray(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for key, y := range map[string]int{"c/0/0": 0, "c/1/0": 1024} {
		s.read(t, a, y, y+1, 0, 1)
		if hint := st.hints[key]; hint.From != index(st.objects[key]) {
			t.Errorf("%s: supposed %d, is %d", key, hint.From, index(st.objects[key]))
		}
	}

	// Otherwise each predicts the next: a little less, but never so much less that it costs more
	// than it saves.
	s = sharding{shape: []int{1024, 3072}, levels: [][]int{{1024, 1024}, {64, 64}}}
	objects := s.objects()
	for i, key := range []string{"c/0/0", "c/0/1", "c/0/2"} {
		// Unused bytes before the index make the sizes uneven.
		data := objects[key]
		at := index(data)
		objects[key] = append(append(append([]byte{}, data[:at]...), make([]byte, 20_000*i)...), data[at:]...)
	}
	st = &unsized{objects: objects, hints: map[string]store.Hint{}}
	st.Store = memstore.New(objects)
	if a, err = hierarchy(st, zarr.Options{Requests: zarr.RequestOptions{Waste: waste}}).OpenArray(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"c/0/0", "c/0/1", "c/0/2"} {
		s.read(t, a, 0, 1, 1024*i, 1024*i+1)
		switch hint, is := st.hints[key], index(objects[key]); {
		case hint.From <= 0 || hint.From > is:
			t.Errorf("%s: supposed %d, is %d", key, hint.From, is)
		case is-hint.From > waste:
			t.Errorf("%s: %d bytes too many", key, is-hint.From)
		}
	}
	// The index still counts.
	if n := binary.LittleEndian.Uint64(objects["c/0/2"][index(objects["c/0/2"]):]); n != 0 {
		t.Errorf("the first inner chunk is at %d", n)
	}
}
