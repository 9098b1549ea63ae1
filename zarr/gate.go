package zarr

import (
	"context"
	"sync"
)

// gate lets in so many chunks at once of all reads of a hierarchy, and says
// whose chunk is next: that of the read of the highest priority; among those the
// newest of a view before the older ones of the same view; else who came first.
type gate struct {
	mu      sync.Mutex
	free    int // quarters of a slot
	last    int
	waiting []*waiter
	newest  map[string]*turn // by view
}

// A chunk takes a slot, which is four quarters, or a small one a quarter: over a connection that takes many requests at
// once, small ones cost nothing but the time until the answer begins.
const (
	slot       = 4
	smallChunk = 64 << 10
)

// weight is how many quarters a chunk takes of so many bytes, decoded.
func weight(size int) int {
	if size <= smallChunk {
		return 1
	}
	return slot
}

// turn is one read's place in the order.
type turn struct {
	weight   int // of a chunk
	priority int
	view     string
	stale    bool // there is a newer read of the view
	number   int
}

type waiter struct {
	*turn
	let chan struct{}
}

func newGate(slots int) *gate { return &gate{free: slot * slots, newest: map[string]*turn{}} }

// join gives a read of chunks of that weight its turn; leave ends it.
func (g *gate) join(weight, priority int, view string) *turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	t := &turn{weight: weight, priority: priority, view: view, number: g.last}
	if view != "" {
		if old := g.newest[view]; old != nil {
			old.stale = true
		}
		g.newest[view] = t
	}
	return t
}

func (g *gate) leave(t *turn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.newest[t.view] == t {
		delete(g.newest, t.view)
	}
}

func (t *turn) before(u *turn) bool {
	switch {
	case t.priority != u.priority:
		return t.priority > u.priority
	case t.stale != u.stale:
		return u.stale
	case t.stale:
		return t.number > u.number
	}
	return t.number < u.number
}

// enter waits for a slot. Who entered must exit.
func (g *gate) enter(ctx context.Context, t *turn) error {
	g.mu.Lock()
	if g.free >= t.weight && len(g.waiting) == 0 {
		g.free -= t.weight
		g.mu.Unlock()
		return nil
	}
	w := &waiter{t, make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()
	select {
	case <-w.let:
		return nil
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		for i, other := range g.waiting {
			if other == w {
				g.remove(i)
				g.admit() // it may have been in the way of a smaller one
				return ctx.Err()
			}
		}
		g.free += t.weight // it was let in meanwhile
		g.admit()
		return ctx.Err()
	}
}

func (g *gate) exit(t *turn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free += t.weight
	g.admit()
}

// admit lets in who is next, as long as there is room for it.
func (g *gate) admit() {
	for len(g.waiting) > 0 {
		best := 0
		for i, w := range g.waiting {
			if w.before(g.waiting[best].turn) {
				best = i
			}
		}
		w := g.waiting[best]
		if g.free < w.weight {
			return
		}
		g.free -= w.weight
		close(w.let)
		g.remove(best)
	}
}

// remove keeps the order: who asked first of one read goes first.
func (g *gate) remove(i int) { g.waiting = append(g.waiting[:i], g.waiting[i+1:]...) }
