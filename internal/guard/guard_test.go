package guard

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	sentinel := errors.New("sentinel")
	for _, c := range []struct {
		f    func() error
		want string
	}{
		{func() error { return nil }, ""},
		{func() error { return sentinel }, "sentinel"},
		{func() error { panic("text") }, "panic: text"},
		{func() error { panic(sentinel) }, "panic: sentinel"},
		{func() error { panic(7) }, "panic: a value of another type than error or string"},
		{func() error { n := -1; _ = make([]byte, n); return nil }, "panic: runtime error: makeslice: len out of range"},
	} {
		err := Do(c.f)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		var e *Error
		if strings.HasPrefix(c.want, "panic") && (!errors.As(err, &e) || !strings.Contains(e.Stack, "guard_test.go")) {
			t.Errorf("%q does not say where it came from", got)
		}
	}
}

func TestGroup(t *testing.T) {
	g, ctx := NewGroup(t.Context())
	var ended atomic.Int32
	for range 3 {
		g.Go(func() error { <-ctx.Done(); ended.Add(1); return ctx.Err() })
	}
	g.Go(func() error { panic("one of four") })
	var e *Error
	if err := g.Wait(); !errors.As(err, &e) || e.Text != "one of four" || ended.Load() != 3 {
		t.Errorf("%v, and %d others ended", err, ended.Load())
	}
	g, _ = NewGroup(t.Context())
	g.Go(func() error { return nil })
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	g, ctx = NewGroup(t.Context())
	g.Here(func() error { return nil })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	g.Here(func() error { panic("here") })
	if err := g.Wait(); !errors.As(err, &e) || e.Text != "here" {
		t.Error(err)
	}
	within, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("why"))
	g, _ = NewGroup(within)
	if err := g.Wait(); err == nil || err.Error() != "why" {
		t.Error(err)
	}
}

// TestRoom measures the stacks of waiting goroutines. Small stacks grow, and each growth copies
// them.
func TestRoom(t *testing.T) {
	const n = 1000
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.StackInuse
	}
	before := inUse()
	wait := make(chan struct{})
	var ready, ended sync.WaitGroup
	for range n {
		ready.Add(1)
		ended.Add(1)
		Go(func() error { ready.Done(); <-wait; return nil }, func(error) { ended.Done() })
	}
	ready.Wait()
	each := int64(inUse()-before) / n
	close(wait)
	ended.Wait()
	if each < 12<<10 {
		t.Errorf("%d bytes each", each)
	}
}
