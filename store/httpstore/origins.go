package httpstore

import (
	"context"
	"sync"
	"time"
)

// Origins counts the pending requests to each origin, for all stores that share it. The zero value
// is ready to use.
type Origins struct {
	mu       sync.Mutex
	limiters map[string]*limiter
}

// limiter limits the requests to one origin.
type limiter struct {
	mu      sync.Mutex
	busy    int
	waiting []*waiter // first come, first served

	small    int       // consecutive small answers
	settling bool      // a request was just cancelled
	last     time.Time // the time of the last cancellation
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

// Default limits of simultaneous requests. The higher one applies while bodies are so small that
// they arrive together with their headers. Browsers queue some of these requests over HTTP/1.1,
// where a connection serves one at a time.
const (
	fewRequests  = 16
	manyRequests = 64
	smallBody    = 64 << 10
	smallInARow  = 8
)

// limit returns the limit of a store whose option is n; 0 means none.
func (l *limiter) limit(n int) int {
	switch {
	case n > 0:
		return n
	case l.small >= smallInARow:
		return manyRequests
	}
	return fewRequests
}

// answered records the size of an answer.
func (l *limiter) answered(size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.small++; size > smallBody {
		l.small = 0
	}
}

// enter waits until fewer than most requests are pending; 0 selects the limiter's default. Each
// enter without an error needs a leave.
func (l *limiter) enter(ctx context.Context, most int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if l.busy < l.limit(most) && len(l.waiting) == 0 && !l.settling {
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
			l.admit() // it may have blocked a waiter with a higher limit
			return ctx.Err()
		}
	}
	l.busy-- // it was admitted in the meantime
	l.admit()
	return ctx.Err()
}

// full reports whether enter would wait.
func (l *limiter) full(most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.busy >= l.limit(most) || len(l.waiting) > 0 || l.settling
}

// hold takes a slot even if none is free, for a request that was admitted before.
func (l *limiter) hold() {
	l.mu.Lock()
	l.busy++
	l.mu.Unlock()
}

// leave frees a slot and admits waiting requests. After a cancellation they wait a moment.
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
	calm   = 1 * time.Millisecond  // the pause without cancellations before others are admitted
	unrest = 50 * time.Millisecond // the longest wait for that pause
)

// settle delays admission until no request has been cancelled for a moment. Callers often cancel
// many reads in sequence, and the next requests in line would start in vain.
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

// admit admits the waiting requests that may start now. A waiter at its limit does not block one
// with a higher limit.
func (l *limiter) admit() {
	if l.settling {
		return
	}
	left := l.waiting[:0]
	for _, w := range l.waiting {
		if l.busy < l.limit(w.most) {
			l.busy++
			close(w.admitted)
		} else {
			left = append(left, w)
		}
	}
	clear(l.waiting[len(left):])
	l.waiting = left
}
