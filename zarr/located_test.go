package zarr_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// lateSource is a source with slow answers, in synctest time. It counts the largest number under
// way.
type lateSource struct {
	store.Source
	mu        sync.Mutex
	now, most int
}

func (s *lateSource) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	count := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now += n
		s.most = max(s.most, s.now)
	}
	count(1)
	defer count(-1)
	time.Sleep(time.Second)
	return s.Source.Read(ctx, name, ask)
}

// part is a locator that maps each key to all but the first byte of an object.
type part struct{ store.Locator }

func (p part) Locate(ctx context.Context, key string) (store.Location, error) {
	at, err := p.Locator.Locate(ctx, key)
	if err != nil || key == "zarr.json" {
		return at, err
	}
	return at.Slice(key, 1, 4)
}

// TestChunksOfLocatorsAreReadAtOnce reads chunks that are separate objects concurrently, also from
// a store that locates them.
func TestChunksOfLocatorsAreReadAtOnce(t *testing.T) {
	objects := map[string][]byte{"a/zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[128],"data_type":"uint8","fill_value":0,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]}`)}
	for i := range 32 {
		objects["a/c/"+strconv.Itoa(i)] = []byte{9, byte(i), 1, 2, 3}
	}
	whole := map[string][]byte{}
	for key, b := range objects {
		if whole[key] = b; len(b) == 5 {
			whole[key] = b[1:]
		}
	}
	for name, c := range map[string]struct {
		objects map[string][]byte
		over    func(store.Locator) store.Locator
	}{
		"objects": {whole, func(l store.Locator) store.Locator { return l }},
		"extents": {objects, func(l store.Locator) store.Locator { return part{l} }},
	} {
		synctest.Test(t, func(t *testing.T) {
			source := &lateSource{Source: memstore.New(c.objects)}
			below := must.Get(prefix.New(store.Plain(source), "a"))(t)
			a := must.Get(zarr.Over(c.over(below), codecs.Default(), zarr.Options{}).OpenArray(t.Context(), ""))(t)
			res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
			if err != nil || len(res.Data) != 128 || res.Data[124] != 31 || res.Data[127] != 3 {
				t.Fatalf("%s: %v", name, err)
			}
			if source.most < 32 {
				t.Errorf("%s: %d chunks are read at once, want 32", name, source.most)
			}
		})
	}
}
