package httpstore

import (
	"context"
	"sync"
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

// enter waits until fewer than most requests are under way. Who has entered has to leave.
func (g *gate) enter(ctx context.Context, most int) error {
	g.mu.Lock()
	if g.busy < most && len(g.waiting) == 0 {
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
			g.leave()
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
			g.admit() // it may have been in the way of one with a higher limit
			return ctx.Err()
		}
	}
	g.busy-- // it was its turn in the meantime
	g.admit()
	return ctx.Err()
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
	g.admit()
}

// admit lets in those who may enter now. One whose limit is reached does not hold up one whose limit
// is higher.
func (g *gate) admit() {
	left := g.waiting[:0]
	for _, w := range g.waiting {
		if g.busy < w.most {
			g.busy++
			close(w.turn)
		} else {
			left = append(left, w)
		}
	}
	clear(g.waiting[len(left):])
	g.waiting = left
}
