// Package object is the object layer: between sources, which hold objects, and all that reads
// them. It asks a source as little as can be: readers of the same bytes share one request,
// neighbouring ranges are merged into one, and what came is kept for a while, and so is the
// news that an object is absent.
//
// Bytes are known by their physical object (source and name) and their place in it,
// whatever the keys are that lead there. So two hierarchies over one source share, and
// neighbours in one archive are one request. A request under way counts like bytes that are
// there: a reader that needs part of what it brings waits for it. Every waiter may give
// up by itself, and the request ends when the last one has.
//
// When an answer contradicts what is known of an object's version, what is kept of the old one
// is dropped. A reader that puts several extents of one object together compares their
// versions. Bytes that turn out to be useless are forgotten ([Source.Forget]) and asked
// for past all caches on the way (store.Ask.Fresh).
package object

import (
	"context"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Layer keeps what sources sent, all of them together within one budget of bytes: what was not used for
// the longest goes first. It implements [store.Objects].
type Layer struct {
	mu      sync.Mutex
	budget  int64
	root    segment // of the ring of kept segments: root.next is the most recently used
	stats   share.Stats
	sources map[store.Source]*Source
}

// NewLayer returns a layer that keeps so many bytes.
func NewLayer(bytes int64) *Layer {
	l := &Layer{budget: max(bytes, 0), sources: map[store.Source]*Source{}}
	l.root.prev, l.root.next = &l.root, &l.root
	return l
}

// Reader returns what reads a source's objects and tells the observer, which may be nil, of it; the options count
// the first time. A source is one value: its type is comparable. It is known until Drop.
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

// Drop forgets a source and all that is kept of it.
func (l *Layer) Drop(s store.Source) {
	l.mu.Lock()
	known := l.sources[s]
	delete(l.sources, s)
	l.mu.Unlock()
	if known != nil {
		known.Clear()
	}
}

// Extent implements [store.Objects]. The context's observer is told of it.
func (l *Layer) Extent(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
	return l.Reader(s, Options{}, store.ObserverOf(ctx)).Read(ctx, name, ask)
}

// Resize changes the budget, and keeps no more than the new one from now on.
func (l *Layer) Resize(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.budget = max(bytes, 0)
	l.shrink()
}

// Budget is how many bytes are kept, of all sources.
func (l *Layer) Budget() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget
}

// Stats says what the layer has done so far, and what it holds.
func (l *Layer) Stats() share.Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	stats := l.stats
	stats.Budget = l.budget
	return stats
}

// shrink makes room until what is kept is within the budget.
func (l *Layer) shrink() {
	for l.stats.Bytes > l.budget {
		seg := l.root.prev
		seg.s.detach(seg)
		seg.s.stats.Evicted++
		l.stats.Evicted++
	}
}

// count adds a segment that is kept now, or takes off one that is no longer.
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
