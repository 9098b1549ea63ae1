package cache

import (
	"sync"

	"zarr-wasm/internal/share"
)

// Pool is the budget that several caches have together: what was not used for the longest goes first, of
// whichever of them it is.
type Pool struct {
	mu     sync.Mutex
	budget int64
	root   segment // of the ring of kept segments: root.next is the most recently used
	stats  share.Stats
}

// NewPool returns a pool of so many bytes.
func NewPool(bytes int64) *Pool {
	p := &Pool{budget: max(bytes, 0)}
	p.root.prev, p.root.next = &p.root, &p.root
	return p
}

// Resize changes the budget, and keeps no more than the new one from now on.
func (p *Pool) Resize(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budget = max(bytes, 0)
	p.shrink()
}

// Stats says what the caches of the pool have done so far, and what they hold.
func (p *Pool) Stats() share.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	stats := p.stats
	stats.Budget = p.budget
	return stats
}

// shrink makes room until what is kept is within the budget.
func (p *Pool) shrink() {
	for p.stats.Bytes > p.budget {
		seg := p.root.prev
		seg.s.detach(seg)
		seg.s.stats.Evicted++
		p.stats.Evicted++
	}
}

// count adds a segment that is kept now, or takes off one that is no longer.
func (p *Pool) count(seg *segment, n int64) {
	for _, stats := range []*share.Stats{&p.stats, &seg.s.stats.Stats} {
		stats.Bytes += n * seg.cost()
		stats.Entries += n
	}
}

func (p *Pool) link(seg *segment) {
	seg.prev, seg.next = &p.root, p.root.next
	seg.prev.next, seg.next.prev = seg, seg
}
