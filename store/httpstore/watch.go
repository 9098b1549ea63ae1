package httpstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"
)

// perTimeout is the number of body bytes that must arrive within one Options.Timeout.
const perTimeout = 256 << 10

// errSlow ends an attempt whose server is silent.
var errSlow = errors.New("the server is silent")

// watches ends attempts whose servers are silent for too long. All attempts share one timer. A
// browser needs longer to set and stop a timer than Go needs for the rest of a small request.
type watches struct {
	mu    sync.Mutex
	all   map[*watch]struct{}
	timer *time.Timer
	next  time.Time // when the timer fires; zero while there is nothing to watch
}

// watch watches one attempt. A nil watch watches nothing.
type watch struct {
	of       *watches
	cancel   context.CancelCauseFunc
	timeout  time.Duration
	deadline time.Time
	began    bool // the answer began
}

// watched returns a context that ends unless alive is called in time, and its watch. The returned
// function ends both.
func (ws *watches) watched(ctx context.Context, timeout time.Duration) (context.Context, *watch, func()) {
	if timeout <= 0 {
		return ctx, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{of: ws, cancel: cancel, timeout: timeout, deadline: time.Now().Add(timeout)}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.all == nil {
		ws.all = map[*watch]struct{}{}
	}
	ws.all[w] = struct{}{}
	ws.wake(w.deadline)
	return ctx, w, func() {
		ws.mu.Lock()
		delete(ws.all, w)
		ws.mu.Unlock()
		cancel(nil)
	}
}

// wake makes the timer fire at that time at the latest. The caller holds the lock.
func (ws *watches) wake(at time.Time) {
	switch {
	case ws.timer == nil:
		ws.timer = time.AfterFunc(time.Until(at), ws.expire)
	case ws.next.IsZero() || at.Before(ws.next):
		ws.timer.Reset(time.Until(at))
	default:
		return // the timer fires earlier, and expire then sets it again
	}
	ws.next = at
}

// expire ends the overdue attempts, and sets the timer for the next one.
func (ws *watches) expire() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	now := time.Now()
	var next time.Time
	for w := range ws.all {
		switch {
		case !w.deadline.After(now):
			delete(ws.all, w)
			w.cancel(errSlow)
		case next.IsZero() || w.deadline.Before(next):
			next = w.deadline
		}
	}
	ws.next = time.Time{}
	if !next.IsZero() {
		ws.wake(next)
	}
}

// alive reports that the answer began, or that another perTimeout bytes arrived. The argument is
// the number of bytes before the next call. Smaller amounts do not count, or a dripping server
// would never time out.
func (w *watch) alive(coming int64) { w.expect(coming, true) }

// expect extends the deadline by the time that the coming bytes may take.
func (w *watch) expect(coming int64, began bool) {
	if w == nil {
		return
	}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.began = began
	w.deadline = time.Now().Add(w.timeout * time.Duration(1+max(coming, 0)/perTimeout))
}

// late ends the attempt before its deadline, after the fetcher saw that the server is silent.
func (w *watch) late(began bool) {
	if w != nil {
		w.expect(0, began)
		w.cancel(errSlow)
	}
}

// slow returns the failure of an attempt that its watch ended, else nil.
func slow(ctx context.Context, w *watch) error {
	if context.Cause(ctx) != errSlow {
		return nil
	}
	what := "nothing arrived for "
	w.of.mu.Lock()
	if w.began {
		what = "less than 256 KiB arrived in "
	}
	w.of.mu.Unlock()
	return &failure{err: errors.New(what + strconv.FormatFloat(w.timeout.Seconds(), 'f', -1, 64) + " seconds (timeout)")}
}
