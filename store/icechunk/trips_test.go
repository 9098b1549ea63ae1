package icechunk_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// waiting is a source with slow answers, in the time of synctest. It records the largest number of
// concurrent reads.
type waiting struct {
	store.Source
	mu        sync.Mutex
	now, most map[string]int
}

func (w *waiting) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	kind, _, _ := strings.Cut(name, "/")
	count := func(n int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now[kind] += n
		w.most[kind] = max(w.most[kind], w.now[kind])
	}
	count(1)
	defer count(-1)
	time.Sleep(time.Second)
	return w.Source.Read(ctx, name, ask)
}

// A read requests all its manifests at once, before it locates the first chunk.
func TestManifestsAreReadAtOnce(t *testing.T) { synctest.Test(t, manifestsAtOnce) }

func manifestsAtOnce(t *testing.T) {
	dir, _ := public(t)
	source := store.CapabilitiesOf(files(dir, "earth-mover+icechunk/icechunk-python/tests/data/split-repo-v2")).Source
	w := &waiting{Source: source, now: map[string]int{}, most: map[string]int{}}
	s := open(t, store.Plain(w), icechunk.Options{})
	a := must.Get(zarr.Over(s, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), "group1/split"))(t)
	must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
	if w.most["manifests"] != 16 {
		t.Errorf("%d manifests were read at once, want 16", w.most["manifests"])
	}
}
