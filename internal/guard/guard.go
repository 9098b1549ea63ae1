// Package guard turns panics into errors. An unrecovered panic ends the whole program and every
// read in progress, so this package starts all goroutines.
//
//	err := guard.Do(func() error { return decode(dst, src) })
package guard

import (
	"context"
	"runtime"
	"sync"
)

// Error is a recovered panic.
type Error struct {
	// Text is the panic's value, and Stack its stack trace.
	Text, Stack string
}

func (e *Error) Error() string { return "panic: " + e.Text }

// Do runs f. The error is f's, or an *Error when f panics.
func Do(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			buf := make([]byte, 8<<10) // runtime/debug would link fmt and os
			err = &Error{Text(r), string(buf[:runtime.Stack(buf, false)])}
		}
	}()
	return f()
}

// Text formats a panic's value.
func Text(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return "a value of another type than error or string"
}

// Go runs f on a new goroutine, and then calls done with the result of [Do].
func Go(f func() error, done func(error)) {
	go func() {
		room(0)
		done(Do(f))
	}()
}

// room grows the stack of a new goroutine, while it is empty, to a size that nearly all need.
// Otherwise the stack doubles three times, and each time the runtime scans and copies all frames: a
// tenth of the time of a small read.
//
//go:noinline
func room(i int) byte {
	if i == 0 {
		return 0 // before the frame is cleared
	}
	var frame [12 << 10]byte
	return frame[i]
}

// Group runs functions concurrently. The first error cancels their context.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewGroup returns a group and the context of its functions. Wait cancels the context at the
// latest.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{ctx: ctx, cancel: cancel}, ctx
}

// Go runs f on a new goroutine.
func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	Go(f, func(err error) {
		if err != nil {
			g.cancel(err)
		}
		g.wg.Done()
	})
}

// Here runs f on the caller's goroutine.
func (g *Group) Here(f func() error) {
	if err := Do(f); err != nil {
		g.cancel(err)
	}
}

// Wait waits for all functions. It returns their first error, or the cause of the context's
// cancellation.
func (g *Group) Wait() error {
	g.wg.Wait()
	err := context.Cause(g.ctx)
	g.cancel(nil)
	return err
}
