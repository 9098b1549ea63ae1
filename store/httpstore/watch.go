package httpstore

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// perTimeout is how many bytes of a body have to come within one Options.Timeout.
const perTimeout = 256 << 10

// errSlow ends an attempt whose server is silent.
var errSlow = errors.New("the server is silent")

// watch ends an attempt when its server is silent for too long.
type watch struct {
	timer   *time.Timer
	timeout time.Duration
}

// watched returns a context that ends when nobody calls alive in time, and its watch. Stop ends both.
func watched(ctx context.Context, timeout time.Duration) (context.Context, watch, func()) {
	if timeout <= 0 {
		return ctx, watch{}, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	w := watch{time.AfterFunc(timeout, func() { cancel(errSlow) }), timeout}
	return ctx, w, func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// alive says that the server has sent something, and how many bytes are to come before it is called again.
func (w watch) alive(coming int64) {
	if w.timer != nil && w.timer.Stop() {
		w.timer.Reset(w.timeout * time.Duration(1+max(coming, 0)/perTimeout))
	}
}

// slow tells whether an attempt was ended by its watch, as a failure.
func slow(ctx context.Context, w watch) error {
	if context.Cause(ctx) != errSlow {
		return nil
	}
	return &failure{err: errors.New("nothing came for " + strconv.FormatFloat(w.timeout.Seconds(), 'f', -1, 64) + " seconds (timeout)")}
}
