package static

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// link is what all answers go through, as over one slow line.
type link struct {
	rate float64 // bytes in a second

	mu   sync.Mutex
	free time.Time // when what was sent so far is through
}

const (
	// piece is how much of an answer is sent before another has its turn.
	piece = 4 << 10
	// late is how much later than it could the next piece may come and the line still be taken for busy: timers are
	// not exact.
	late = 5 * time.Millisecond
)

// pass waits until n more bytes are through.
func (l *link) pass(ctx context.Context, n int) error {
	l.mu.Lock()
	if since := time.Now().Add(-late); l.free.Before(since) {
		l.free = since
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
	wait := time.Until(l.free)
	l.mu.Unlock()
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// slow is an answer over a link.
type slow struct {
	http.ResponseWriter
	link *link
	ctx  context.Context
}

func (s *slow) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n := min(piece, len(p)-done)
		if err := s.link.pass(s.ctx, n); err != nil {
			return done, err
		}
		n, err := s.ResponseWriter.Write(p[done : done+n])
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}
