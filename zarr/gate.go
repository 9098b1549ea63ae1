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
	free    int
	last    int
	waiting []*waiter
	newest  map[string]*turn // by view
}

// turn is one read's place in the order.
type turn struct {
	priority int
	view     string
	stale    bool // there is a newer read of the view
	number   int
}

type waiter struct {
	*turn
	let chan struct{}
}

func newGate(slots int) *gate { return &gate{free: slots, newest: map[string]*turn{}} }

// join gives a read its turn; leave ends it.
func (g *gate) join(priority int, view string) *turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	t := &turn{priority: priority, view: view, number: g.last}
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
	if g.free > 0 {
		g.free--
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
				return ctx.Err()
			}
		}
		g.exitLocked() // it was let in meanwhile
		return ctx.Err()
	}
}

func (g *gate) exit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.exitLocked()
}

func (g *gate) exitLocked() {
	best := -1
	for i, w := range g.waiting {
		if best < 0 || w.before(g.waiting[best].turn) {
			best = i
		}
	}
	if best < 0 {
		g.free++
		return
	}
	close(g.waiting[best].let)
	g.remove(best)
}

// remove keeps the order: who asked first of one read goes first.
func (g *gate) remove(i int) { g.waiting = append(g.waiting[:i], g.waiting[i+1:]...) }
