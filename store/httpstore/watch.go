package httpstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"
)

// perTimeout is how many bytes of a body have to come within one Options.Timeout.
const perTimeout = 256 << 10

// errSlow ends an attempt whose server is silent.
var errSlow = errors.New("the server is silent")

// watches ends attempts whose servers are silent for too long. One timer does for all: a browser takes longer
// to set one and to stop it than Go needs for all the rest of a small request.
type watches struct {
	mu    sync.Mutex
	all   map[*watch]struct{}
	timer *time.Timer
	next  time.Time // when it fires; zero while there is nothing to watch
}

// watch is one attempt's; nil watches nothing.
type watch struct {
	of       *watches
	cancel   context.CancelCauseFunc
	timeout  time.Duration
	deadline time.Time
	began    bool // the answer
}

// watched returns a context that ends when alive is not called in time, and its watch. The function ends both.
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

// wake has the timer fire at that time at the latest. It is called with the lock held.
func (ws *watches) wake(at time.Time) {
	switch {
	case ws.timer == nil:
		ws.timer = time.AfterFunc(time.Until(at), ws.expire)
	case ws.next.IsZero() || at.Before(ws.next):
		ws.timer.Reset(time.Until(at))
	default:
		return // it fires before, and then sees to it
	}
	ws.next = at
}

// expire ends the attempts whose time is over, and waits for the next.
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

// alive says that the answer has begun, or that another perTimeout bytes of it have come; and how many are to come before it is
// called again. It is not called for less: a server that drips would never be given up.
func (w *watch) alive(coming int64) { w.expect(coming, true) }

// expect gives the attempt the time that so many bytes may take.
func (w *watch) expect(coming int64, began bool) {
	if w == nil {
		return
	}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.began = began
	w.deadline = time.Now().Add(w.timeout * time.Duration(1+max(coming, 0)/perTimeout))
}

// late ends the attempt before its deadline: what sends the request saw that the server is silent.
func (w *watch) late(began bool) {
	if w != nil {
		w.expect(0, began)
		w.cancel(errSlow)
	}
}

// slow tells whether an attempt was ended by its watch, as a failure.
func slow(ctx context.Context, w *watch) error {
	if context.Cause(ctx) != errSlow {
		return nil
	}
	what := "nothing came for "
	w.of.mu.Lock()
	if w.began {
		what = "less than 256 KiB came in "
	}
	w.of.mu.Unlock()
	return &failure{err: errors.New(what + strconv.FormatFloat(w.timeout.Seconds(), 'f', -1, 64) + " seconds (timeout)")}
}
