package reader

import (
	"context"
	"sync"
)

// admission lets so many chunks at once be under way, of all reads of a hierarchy. The next one is of the read
// with the highest priority; among those, the newest read of a view goes before the older ones of the same view; else the
// first to ask goes first.
type admission struct {
	mu      sync.Mutex
	free    int // quarters of a slot
	last    int
	waiting []*waiter
	newest  map[string]*ticket // by view
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

// ticket is one read's place in the order.
type ticket struct {
	weight   int // of a chunk
	priority int
	view     string
	stale    bool // there is a newer read of the view
	number   int
}

type waiter struct {
	*ticket
	let chan struct{}
}

func newAdmission(slots int) *admission {
	return &admission{free: slot * slots, newest: map[string]*ticket{}}
}

// join gives a read of chunks of that weight its ticket; leave takes it back.
func (q *admission) join(weight, priority int, view string) *ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	t := &ticket{weight: weight, priority: priority, view: view, number: q.last}
	if view != "" {
		if old := q.newest[view]; old != nil {
			old.stale = true
		}
		q.newest[view] = t
	}
	return t
}

func (q *admission) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.newest[t.view] == t {
		delete(q.newest, t.view)
	}
}

func (t *ticket) before(u *ticket) bool {
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

// enter waits for room for a chunk; exit gives it back.
func (q *admission) enter(ctx context.Context, t *ticket) error {
	q.mu.Lock()
	if q.free >= t.weight && len(q.waiting) == 0 {
		q.free -= t.weight
		q.mu.Unlock()
		return nil
	}
	w := &waiter{t, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case <-w.let:
		return nil
	case <-ctx.Done():
		q.mu.Lock()
		defer q.mu.Unlock()
		for i, other := range q.waiting {
			if other == w {
				q.remove(i)
				q.admit() // it may have been in the way of a smaller one
				return ctx.Err()
			}
		}
		q.free += t.weight // it was let in meanwhile
		q.admit()
		return ctx.Err()
	}
}

func (q *admission) exit(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free += t.weight
	q.admit()
}

// admit lets in the next waiters, as long as there is room.
func (q *admission) admit() {
	for len(q.waiting) > 0 {
		best := 0
		for i, w := range q.waiting {
			if w.before(q.waiting[best].ticket) {
				best = i
			}
		}
		w := q.waiting[best]
		if q.free < w.weight {
			return
		}
		q.free -= w.weight
		close(w.let)
		q.remove(best)
	}
}

// remove keeps the order: of one read, the first to ask goes first.
func (q *admission) remove(i int) { q.waiting = append(q.waiting[:i], q.waiting[i+1:]...) }
