package reader

import (
	"context"
	"sync"
)

// admission limits how many chunks are under way at once, over all reads of a hierarchy. The read
// with the highest priority goes first. Among those, the newest read of a view precedes older ones
// of the same view. Otherwise the first to wait goes first.
type admission struct {
	mu      sync.Mutex
	free    int // quarters of a slot
	last    int
	waiting []*waiter
	newest  map[string]*ticket // by view
}

// A chunk takes one slot, which is four quarters, and a small chunk takes a quarter. Over a
// connection with many concurrent requests, a small chunk costs only the time to its first byte.
const (
	slot       = 4
	smallChunk = 64 << 10
)

// weight returns the quarters that a chunk takes. size is its decoded size in bytes.
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
	stale    bool // a newer read of the view exists
	number   int
}

type waiter struct {
	*ticket
	let chan struct{}
}

func newAdmission(slots int) *admission {
	return &admission{free: slot * slots, newest: map[string]*ticket{}}
}

// join returns a ticket for a read of chunks of that weight; leave takes it back.
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

// enter waits for room for a chunk; exit frees it.
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
				q.admit() // it may have blocked a smaller one
				return ctx.Err()
			}
		}
		q.free += t.weight // it was admitted meanwhile
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

// admit admits the next waiters while there is room.
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

// remove keeps the order: within one read, the first to wait goes first.
func (q *admission) remove(i int) { q.waiting = append(q.waiting[:i], q.waiting[i+1:]...) }
