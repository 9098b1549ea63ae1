// Package guard turns panics into errors. A panic that nothing recovers ends the whole program, and with it every read
// that is under way; so all goroutines are started here.
package guard

import (
	"context"
	"runtime"
	"sync"
)

// Error is a panic that was recovered.
type Error struct {
	// Text is what the panic said, and Stack where it came from.
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

// Text is what a panic said.
func Text(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return "a value that is neither an error nor a string"
}

// Go runs f on a goroutine of its own, and then done with what [Do] returns.
func Go(f func() error, done func(error)) {
	go func() {
		room(0)
		done(Do(f))
	}()
}

// room makes the stack of a new goroutine as large as nearly all need it, at once and while there is nothing on it. By itself it
// doubles three times, and each time all frames are looked through for pointers and copied: a tenth of what a small
// read took.
//
//go:noinline
func room(i int) byte {
	var frame [12 << 10]byte
	return frame[i]
}

// Group is functions that run at once. The first error ends their context.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewGroup returns a group, and the context of its functions, which ends with Wait at the latest.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{ctx: ctx, cancel: cancel}, ctx
}

// Go runs f on a goroutine of its own.
func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	Go(f, func(err error) {
		if err != nil {
			g.cancel(err)
		}
		g.wg.Done()
	})
}

// Wait waits for all functions. The error is the first of theirs, or the cause of the end of the context.
func (g *Group) Wait() error {
	g.wg.Wait()
	err := context.Cause(g.ctx)
	g.cancel(nil)
	return err
}
