package httpstore

import (
	"context"
	"sync"
	"time"
)

// Origins counts the requests under way to each origin, for all stores that share it. The zero
// value is ready to use.
type Origins struct {
	mu       sync.Mutex
	limiters map[string]*limiter
}

// limiter is one origin's.
type limiter struct {
	mu      sync.Mutex
	busy    int
	waiting []*waiter // first come, first served

	small    int       // how many answers in a row had few bytes
	settling bool      // a request has just been cancelled
	last     time.Time // when the last one was
}

type waiter struct {
	most     int
	admitted chan struct{}
}

func (o *Origins) limiter(origin string) *limiter {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.limiters == nil {
		o.limiters = map[string]*limiter{}
	}
	l := o.limiters[origin]
	if l == nil {
		l = &limiter{}
		o.limiters[origin] = l
	}
	return l
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
func (l *limiter) most(n int) int {
	switch {
	case n > 0:
		return n
	case l.small >= smallInARow:
		return manyRequests
	}
	return fewRequests
}

// answered notes the size of an answer.
func (l *limiter) answered(size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.small++; size > smallBody {
		l.small = 0
	}
}

// enter waits until fewer than most requests are under way; 0 is for the limiter's own choice. Each enter without an error needs a leave.
func (l *limiter) enter(ctx context.Context, most int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if l.busy < l.most(most) && len(l.waiting) == 0 && !l.settling {
		l.busy++
		l.mu.Unlock()
		return nil
	}
	w := &waiter{most, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.admit()
	l.mu.Unlock()
	select {
	case <-w.admitted:
		if err := ctx.Err(); err != nil {
			l.leave(true)
			return err
		}
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.waiting {
		if other == w {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			if l.settling {
				l.last = time.Now()
			}
			l.admit() // it may have been in the way of one with a higher limit
			return ctx.Err()
		}
	}
	l.busy-- // it has been admitted in the meantime
	l.admit()
	return ctx.Err()
}

// full tells whether enter would wait.
func (l *limiter) full(most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.busy >= l.most(most) || len(l.waiting) > 0 || l.settling
}

// hold takes a slot whether or not one is free, for a request that was admitted before.
func (l *limiter) hold() {
	l.mu.Lock()
	l.busy++
	l.mu.Unlock()
}

// leave lets others in. Where a request was cancelled they wait a moment.
func (l *limiter) leave(cancelled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	if cancelled {
		l.settle()
	}
	l.admit()
}

const (
	calm   = 1 * time.Millisecond  // without cancelling, before others are let in
	unrest = 50 * time.Millisecond // at most
)

// settle admits no request until none has been cancelled for a moment: a caller often cancels many reads one after
// the other, and the requests of those next in line would begin for nothing.
func (l *limiter) settle() {
	l.last = time.Now()
	if l.settling {
		return
	}
	l.settling = true
	first := l.last
	var resume func()
	resume = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if time.Since(l.last) < calm && time.Since(first) < unrest {
			time.AfterFunc(calm, resume)
			return
		}
		l.settling = false
		l.admit()
	}
	time.AfterFunc(calm, resume)
}

// admit admits the waiting requests that may begin now. One whose limit is reached does not hold up one whose limit
// is higher.
func (l *limiter) admit() {
	if l.settling {
		return
	}
	left := l.waiting[:0]
	for _, w := range l.waiting {
		if l.busy < l.most(w.most) {
			l.busy++
			close(w.admitted)
		} else {
			left = append(left, w)
		}
	}
	clear(l.waiting[len(left):])
	l.waiting = left
}
