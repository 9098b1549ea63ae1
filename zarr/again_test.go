package zarr_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/n5store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// stormy is a source that answers wrongly until it is calm. Like a browser it has its own cache,
// which keeps every answer. A read past the cache replaces the cached answer.
type stormy struct {
	store.Source
	mu    sync.Mutex
	wrong map[string][]byte // nil is absence
	kept  map[string][]byte
	fails map[string]bool
}

func (s *stormy) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails[key] {
		return store.Extent{}, errors.New("the server fails")
	}
	b, kept := s.kept[key]
	if ask.Fresh || !kept {
		var wrong bool
		if b, wrong = s.wrong[key]; !wrong {
			b, _ = store.Get(ctx, s.Source, key)
		}
		if s.kept == nil {
			s.kept = map[string][]byte{}
		}
		s.kept[key] = b
	}
	if b == nil {
		return store.Extent{}, store.NotFound(key)
	}
	return store.Select(key, b, ask)
}

func (s *stormy) calm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong, s.fails = nil, nil
}

// TestFailedOpensLeaveNoTrace opens a node again after a failed open. The second open ignores all
// cached answers about its documents, in this layer and in the browser's cache. The cause may be
// absence or another node's documents.
func TestFailedOpensLeaveNoTrace(t *testing.T) {
	v2 := array([]int{2}, []int{2}, nil)
	v3 := []byte(`{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}],"attributes":{}}`)
	group := []byte(`{"zarr_format":3,"node_type":"group","attributes":{}}`)
	below := func(objects map[string][]byte) map[string][]byte {
		all := map[string][]byte{}
		for key, b := range objects {
			all["a/"+key] = b
		}
		return all
	}
	three := map[string][]byte{"zarr.json": v3}
	for name, c := range map[string]struct {
		objects map[string][]byte
		wrong   map[string][]byte
		fails   string
		n5      bool
	}{
		"absent v2":           {objects: v2, wrong: map[string][]byte{".zarray": nil}},
		"absent v3":           {objects: three, wrong: map[string][]byte{"zarr.json": nil}},
		"empty v2":            {objects: v2, wrong: map[string][]byte{".zarray": {}}},
		"empty v3":            {objects: three, wrong: map[string][]byte{"zarr.json": {}}},
		"another's":           {objects: three, wrong: map[string][]byte{"zarr.json": group}},
		"no JSON":             {objects: three, wrong: map[string][]byte{"zarr.json": []byte("upstream error")}},
		"absent, and failing": {objects: three, wrong: map[string][]byte{"zarr.json": nil}, fails: ".zgroup"},
		"N5, cut":             {objects: map[string][]byte{"attributes.json": []byte(`{"dimensions":[2],"blockSize":[2],"dataType":"uint8","compression":{"type":"raw"}}`)}, wrong: map[string][]byte{"attributes.json": []byte(`{"dimen`)}, n5: true},
		"N5, a group's":       {objects: map[string][]byte{"attributes.json": []byte(`{"dimensions":[2],"blockSize":[2],"dataType":"uint8","compression":{"type":"raw"}}`)}, wrong: map[string][]byte{"attributes.json": []byte("{}")}, n5: true},
	} {
		for _, path := range []string{"", "a"} {
			objects, wrong, fails := c.objects, c.wrong, map[string]bool{store.Join(path, c.fails): c.fails != ""}
			if path != "" {
				objects, wrong = below(objects), below(wrong)
			}
			s := &stormy{Source: memstore.New(objects), wrong: wrong, fails: fails}
			var h *zarr.Hierarchy
			if c.n5 {
				caches := zarr.NewCaches(zarr.CacheOptions{})
				h = zarr.Over(n5store.New(store.Plain(s), caches.Layer()), codecs.Full(), zarr.Options{Caches: caches})
			} else {
				h = hierarchy(s, zarr.Options{})
			}
			for range 2 {
				if _, err := h.OpenArray(t.Context(), path); err == nil {
					t.Errorf("%s at %q: no error", name, path)
				}
			}
			s.calm()
			if _, err := h.OpenArray(t.Context(), path); err != nil {
				t.Errorf("%s at %q: %s", name, path, strings.ReplaceAll(err.Error(), "\n", " "))
			}
		}
	}
}
