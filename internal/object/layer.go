// Package object is the object layer between sources, which hold objects, and their readers. It
// minimises requests: readers of the same bytes share one request, and neighbouring ranges are
// merged. It caches bytes, and the absence of objects.
//
//	layer := object.NewLayer(64
//	r := layer.Reader(source, object.Options{}, nil)
//	extent, err := r.Read(ctx, name, store.Ask{})
//
// The cache is keyed by physical object (source and name) and position, whatever the Zarr keys are.
// Two hierarchies over one source thus share it, and neighbours in one archive are one request. A
// request in progress counts like cached bytes: a reader that needs part of it waits for it. Each
// waiter may cancel, and the last one cancels the request.
//
// An answer that contradicts an object's known version evicts the old version's bytes. A reader of
// several extents of one object compares their versions. Bytes that turn out to be useless are
// evicted ([Source.Forget]) and requested again past all caches on the way (store.Ask.Fresh).
package object

import (
	"context"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Layer caches the bytes of all sources within one budget. It evicts the least recently used first.
// It implements [store.Objects].
type Layer struct {
	mu      sync.Mutex
	budget  int64
	root    segment // of the ring of cached segments: root.next is the most recently used
	stats   share.Stats
	sources map[store.Source]*Source
}

// NewLayer returns a layer that caches up to bytes bytes.
func NewLayer(bytes int64) *Layer {
	l := &Layer{budget: max(bytes, 0), sources: map[store.Source]*Source{}}
	l.root.prev, l.root.next = &l.root, &l.root
	return l
}

// Reader returns a reader of a source's objects. It reports to the observer, which may be nil. The
// options of a source's first reader count. A source must be of a comparable type. The layer knows
// it until Drop.
func (l *Layer) Reader(s store.Source, opt Options, observe store.Observer) *Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.sources[s]
	if known == nil {
		known = newSource(l, s, opt)
		l.sources[s] = known
	}
	return &Reader{known, observe}
}

// Drop evicts a source with all of its bytes.
func (l *Layer) Drop(s store.Source) {
	l.mu.Lock()
	known := l.sources[s]
	delete(l.sources, s)
	l.mu.Unlock()
	if known != nil {
		known.Clear()
	}
}

// Extent implements [store.Objects]. It reports to the context's observer.
func (l *Layer) Extent(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
	return l.Reader(s, Options{}, store.ObserverOf(ctx)).Read(ctx, name, ask)
}

// Resize changes the budget, and evicts what exceeds it.
func (l *Layer) Resize(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.budget = max(bytes, 0)
	l.shrink()
}

// Budget returns the budget in bytes, for all sources.
func (l *Layer) Budget() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget
}

// Stats returns the layer's counters and contents.
func (l *Layer) Stats() share.Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	stats := l.stats
	stats.Budget = l.budget
	return stats
}

// shrink evicts segments until the cache is within the budget.
func (l *Layer) shrink() {
	for l.stats.Bytes > l.budget {
		seg := l.root.prev
		seg.s.detach(seg)
		seg.s.stats.Evicted++
		l.stats.Evicted++
	}
}

// count adds a segment to the cache's size, or with a negative n removes it.
func (l *Layer) count(seg *segment, n int64) {
	for _, stats := range []*share.Stats{&l.stats, &seg.s.stats.Stats} {
		stats.Bytes += n * seg.cost()
		stats.Entries += n
	}
}

func (l *Layer) link(seg *segment) {
	seg.prev, seg.next = &l.root, l.root.next
	seg.prev.next, seg.next.prev = seg, seg
}
