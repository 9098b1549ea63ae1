package faulty

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Line makes a server answer as over a slow line with latency. The zero value has no effect.
type Line struct {
	// Latency delays every answer.
	Latency time.Duration
	// Rate is the total bytes per second of all answers; 0 means no limit.
	Rate float64

	mu   sync.Mutex
	free time.Time // when the bytes sent so far have passed
}

const (
	// turn is the number of bytes of an answer before another answer's turn.
	turn = 4 << 10
	// late is how long an idle line counts as busy, since timers are inexact.
	late = 5 * time.Millisecond
)

// Over returns a handler that answers as next does, over the line.
func (l *Line) Over(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.Latency > 0 && wait(r.Context(), l.Latency) != nil {
			return
		}
		if l.Rate > 0 {
			w = &slow{w, l, r.Context()}
		}
		next.ServeHTTP(w, r)
	})
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass waits until n more bytes have passed.
func (l *Line) pass(ctx context.Context, n int) error {
	l.mu.Lock()
	if since := time.Now().Add(-late); l.free.Before(since) {
		l.free = since
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.Rate * float64(time.Second)))
	left := time.Until(l.free)
	l.mu.Unlock()
	return wait(ctx, left)
}

// slow is an answer over a line.
type slow struct {
	http.ResponseWriter
	line *Line
	ctx  context.Context
}

func (s *slow) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n := min(turn, len(p)-done)
		if err := s.line.pass(s.ctx, n); err != nil {
			return done, err
		}
		n, err := s.ResponseWriter.Write(p[done : done+n])
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// Unwrap is for [http.ResponseController].
func (s *slow) Unwrap() http.ResponseWriter { return s.ResponseWriter }
