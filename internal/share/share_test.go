package share

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
)

func TestLeastRecentlyUsedGoes(t *testing.T) {
	c := New[string, int](40)
	for i, key := range []string{"a", "b", "c", "d"} {
		c.Put(key, i, 10)
	}
	c.Get("a")
	c.Put("e", 5, 10)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true, "e": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is there: %v", key, ok)
		}
	}
	if s := c.Stats(); s.Bytes != 40 || s.Entries != 4 || s.Evicted != 1 || s.Budget != 40 {
		t.Errorf("%+v", s)
	}
	c.Put("a", 0, 11)
	if _, ok := c.Get("a"); ok {
		t.Error("a value of more than a quarter of the budget was kept")
	}
	c.Drop("c")
	c.Drop("nothing")
	if s := c.Stats(); s.Bytes != 20 || s.Entries != 2 {
		t.Errorf("%+v", s)
	}
}

func TestWithoutBudgetNothingIsKept(t *testing.T) {
	c := New[string, int](0)
	for want := range 3 {
		c.Put("put", want, 0)
		if _, ok := c.Get("put"); ok {
			t.Error("what was put is kept")
		}
		v, err := c.Do(t.Context(), "made", func(context.Context) (int, int64, error) { return want, 0, nil })
		if v != want || err != nil {
			t.Error(v, err)
		}
	}
	if s := c.Stats(); s.Entries != 0 {
		t.Errorf("%+v", s)
	}
}

func TestOneLoadForAll(t *testing.T) {
	c := New[int, int](1000)
	var loads atomic.Int32
	gate := make(chan struct{})
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			v, err := c.Do(t.Context(), 1, func(context.Context) (int, int64, error) {
				loads.Add(1)
				<-gate
				return 7, 1, nil
			})
			if v != 7 || err != nil {
				t.Error(v, err)
			}
		})
	}
	waitFor(t, func() bool { s := c.Stats(); return s.Misses == 1 && s.Shared == 9 })
	close(gate)
	wait.Wait()
	if v, err := c.Do(t.Context(), 1, nil); v != 7 || err != nil || loads.Load() != 1 {
		t.Error(v, err, loads.Load())
	}
}

func TestWaitersGiveUpOneByOne(t *testing.T) {
	c := New[int, int](1000)
	ended := make(chan error, 1)
	gate := make(chan struct{})
	load := func(ctx context.Context) (int, int64, error) {
		select {
		case <-ctx.Done():
			ended <- ctx.Err()
			return 0, 0, ctx.Err()
		case <-gate:
			return 3, 1, nil
		}
	}
	first, giveUp := context.WithCancel(t.Context())
	firstDone, secondDone := make(chan error, 1), make(chan error, 1)
	go func() { _, err := c.Do(first, 1, load); firstDone <- err }()
	waitFor(t, func() bool { return c.Stats().Misses == 1 })
	second, giveUpToo := context.WithCancel(t.Context())
	go func() { _, err := c.Do(second, 1, load); secondDone <- err }()
	waitFor(t, func() bool { return c.Stats().Shared == 1 })
	giveUp()
	if err := <-firstDone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		t.Fatalf("the work ended though one waits for it: %v", err)
	default:
	}
	giveUpToo()
	if err := <-secondDone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// A later caller starts its own work.
	close(gate)
	if v, err := c.Do(t.Context(), 1, load); v != 3 || err != nil {
		t.Error(v, err)
	}
}

func TestACallerWhoseContextHasEndedGetsItsErrorAlsoForACachedValue(t *testing.T) {
	c := New[int, int](1000)
	load := func(context.Context) (int, int64, error) { return 3, 1, nil }
	for range 2 { // without the value, and with it
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Do(ended, 1, load); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if v, err := c.Do(t.Context(), 1, load); v != 3 || err != nil {
			t.Error(v, err)
		}
	}
	if s := c.Stats(); s.Misses != 1 || s.Hits != 1 {
		t.Errorf("%+v; a caller that has ended starts nothing", s)
	}
}

func TestErrorsAndDroppedValuesAreNotKept(t *testing.T) {
	c := New[int, int](1000)
	fault := errors.New("fault")
	if _, err := c.Do(t.Context(), 1, func(context.Context) (int, int64, error) { return 0, 0, fault }); err != fault {
		t.Error(err)
	}
	v, err := c.Do(t.Context(), 1, func(context.Context) (int, int64, error) {
		c.Drop(1)
		return 4, 1, nil
	})
	if v != 4 || err != nil {
		t.Error(v, err)
	}
	if _, ok := c.Get(1); ok {
		t.Error("a value was kept that was dropped while it was made")
	}
}

func TestManyAtOnce(t *testing.T) {
	c := New[int, int](100)
	var wait sync.WaitGroup
	for seed := range uint64(16) {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 500 {
				key := rng.IntN(20)
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(3) == 0 {
					cancel()
				}
				v, err := c.Do(ctx, key, func(ctx context.Context) (int, int64, error) {
					return key, int64(key), ctx.Err()
				})
				if err == nil && v != key {
					t.Errorf("%d under %d", v, key)
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				if rng.IntN(10) == 0 {
					c.Drop(key)
				}
				cancel()
			}
		})
	}
	wait.Wait()
	var bytes int64
	c.c.mu.Lock() // a call signals its end before it stores the result
	for e := c.c.root.next; e != &c.c.root; e = e.next {
		bytes += e.size
	}
	c.c.mu.Unlock()
	if s := c.Stats(); s.Bytes != bytes || s.Bytes > 100 {
		t.Errorf("%+v, in the ring %d bytes", s, bytes)
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to that")
		}
	}
}

func TestResizeAndDropFunc(t *testing.T) {
	c := New[int, string](100)
	for i := range 5 {
		c.Put(i, "value", 20)
	}
	c.Get(0)
	c.Resize(60)
	for i, there := range []bool{true, false, false, true, true} {
		if _, ok := c.Get(i); ok != there {
			t.Errorf("%d: %v", i, ok)
		}
	}
	if s := c.Stats(); s.Budget != 60 || s.Bytes != 60 || s.Evicted != 2 || c.Budget() != 60 {
		t.Errorf("%+v", s)
	}
	// A value in progress for a dropped key is not cached.
	begun, end := make(chan struct{}), make(chan struct{})
	got := make(chan string)
	go func() {
		v, err := c.Do(context.Background(), 7, func(context.Context) (string, int64, error) {
			close(begun)
			<-end
			return "old", 1, nil
		})
		if err != nil {
			t.Error(err)
		}
		got <- v
	}()
	<-begun
	c.DropFunc(func(key any) bool { return key.(int)%2 == 1 })
	close(end)
	if v := <-got; v != "old" {
		t.Error(v)
	}
	for i, there := range map[int]bool{0: true, 3: false, 4: true, 7: false} {
		if _, ok := c.Get(i); ok != there {
			t.Errorf("%d: %v", i, ok)
		}
	}
	c.Resize(-1)
	if s := c.Stats(); s.Entries != 0 || s.Bytes != 0 || s.Budget != 0 {
		t.Errorf("%+v", s)
	}
}

func TestAPanicOfALoadIsTheErrorOfAllWaiters(t *testing.T) {
	c := New[int, int](1000)
	gate := make(chan struct{})
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() {
			var panicked *guard.Error
			_, err := c.Do(t.Context(), 1, func(context.Context) (int, int64, error) {
				<-gate
				panic("a load")
			})
			if !errors.As(err, &panicked) || panicked.Text != "a load" {
				t.Error(err)
			}
		})
	}
	waitFor(t, func() bool { s := c.Stats(); return s.Misses == 1 && s.Shared == 4 })
	close(gate)
	wait.Wait()
	if v, err := c.Do(t.Context(), 1, func(context.Context) (int, int64, error) { return 7, 1, nil }); v != 7 || err != nil {
		t.Error("afterwards:", v, err)
	}
}
