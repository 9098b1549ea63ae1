package httpstore

import (
	"context"
	"sync"
	"time"
)

// Origins counts the requests under way to each origin, for all stores that share it. The zero
// value is ready to use.
type Origins struct {
	mu    sync.Mutex
	gates map[string]*gate
}

// gate is one origin's.
type gate struct {
	mu      sync.Mutex
	busy    int
	waiting []*waiter // first come, first served

	small    int       // how many answers in a row had few bytes
	settling bool      // a request has just been cancelled
	last     time.Time // when the last one was
}

type waiter struct {
	most int
	turn chan struct{}
}

func (o *Origins) gate(origin string) *gate {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gates == nil {
		o.gates = map[string]*gate{}
	}
	g := o.gates[origin]
	if g == nil {
		g = &gate{}
		o.gates[origin] = g
	}
	return g
}

// Requests under way at once, where no number is set: many, as long as answers are so small that they come
// together with their headers. A browser keeps some of them waiting where a connection takes one at a time.
const (
	fewRequests  = 16
	manyRequests = 64
	smallBody    = 64 << 10
	smallInARow  = 8
)

// most is the limit of a store whose option is n; 0 is none.
func (g *gate) most(n int) int {
	switch {
	case n > 0:
		return n
	case g.small >= smallInARow:
		return manyRequests
	}
	return fewRequests
}

// answered notes the size of an answer.
func (g *gate) answered(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.small++; size > smallBody {
		g.small = 0
	}
}

// enter waits until fewer than most requests are under way; 0 is for what the gate finds good. Each enter without an error needs a leave.
func (g *gate) enter(ctx context.Context, most int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	if g.busy < g.most(most) && len(g.waiting) == 0 && !g.settling {
		g.busy++
		g.mu.Unlock()
		return nil
	}
	w := &waiter{most, make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.admit()
	g.mu.Unlock()
	select {
	case <-w.turn:
		if err := ctx.Err(); err != nil {
			g.leave(true)
			return err
		}
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == w {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			if g.settling {
				g.last = time.Now()
			}
			g.admit() // it may have been in the way of one with a higher limit
			return ctx.Err()
		}
	}
	g.busy-- // it was its turn in the meantime
	g.admit()
	return ctx.Err()
}

// full tells whether enter would wait.
func (g *gate) full(most int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.busy >= g.most(most) || len(g.waiting) > 0 || g.settling
}

// leave lets others in. Where a request was cancelled they wait a moment.
func (g *gate) leave(cancelled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
	if cancelled {
		g.settle()
	}
	g.admit()
}

const (
	calm   = 1 * time.Millisecond  // without cancelling, before others are let in
	unrest = 50 * time.Millisecond // at most
)

// settle admits no request until none has been cancelled for a moment: a caller often cancels many reads one after
// the other, and the requests of those next in line would begin for nothing.
func (g *gate) settle() {
	g.last = time.Now()
	if g.settling {
		return
	}
	g.settling = true
	first := g.last
	var look func()
	look = func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if time.Since(g.last) < calm && time.Since(first) < unrest {
			time.AfterFunc(calm, look)
			return
		}
		g.settling = false
		g.admit()
	}
	time.AfterFunc(calm, look)
}

// admit admits the waiting requests that may begin now. One whose limit is reached does not hold up one whose limit
// is higher.
func (g *gate) admit() {
	if g.settling {
		return
	}
	left := g.waiting[:0]
	for _, w := range g.waiting {
		if g.busy < g.most(w.most) {
			g.busy++
			close(w.turn)
		} else {
			left = append(left, w)
		}
	}
	clear(g.waiting[len(left):])
	g.waiting = left
}
