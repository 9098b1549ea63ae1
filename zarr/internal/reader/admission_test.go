package reader

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// waitFor waits until n readers wait.
func waitFor(t *testing.T, g *admission, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		g.mu.Lock()
		waiting := len(g.waiting)
		g.mu.Unlock()
		if waiting == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d wait, not %d", waiting, n)
		}
	}
}

func TestAdmissionOrder(t *testing.T) {
	g := newAdmission(1)
	ctx := context.Background()
	inside := g.join(slot, 0, "")
	if err := g.enter(ctx, inside); err != nil {
		t.Fatal(err)
	}
	reads := []struct {
		name     string
		priority int
		view     string
	}{
		{"first", 0, ""},
		{"old view", 0, "map"},
		{"older prefetch", -1, ""},
		{"middle view", 0, "map"},
		{"second", 0, ""},
		{"urgent", 5, ""},
		{"new view", 0, "map"},
	}
	tickets := make([]*ticket, len(reads))
	entered := make(chan string)
	for i, r := range reads {
		tickets[i] = g.join(slot, r.priority, r.view)
	}
	for i, r := range reads {
		go func() {
			if err := g.enter(ctx, tickets[i]); err != nil {
				t.Error(err)
			}
			entered <- r.name
		}()
		waitFor(t, g, i+1)
	}
	var order []string
	for range reads {
		g.exit(inside)
		order = append(order, <-entered)
	}
	want := []string{"urgent", "first", "second", "new view", "middle view", "old view", "older prefetch"}
	if !slices.Equal(order, want) {
		t.Errorf("order %q\nwant  %q", order, want)
	}
	for _, turn := range tickets {
		g.leave(turn)
	}
	if len(g.newest) != 0 {
		t.Errorf("views are remembered: %v", g.newest)
	}
}

func TestAdmissionLetsGoOfTheCancelled(t *testing.T) {
	g := newAdmission(1)
	inside := g.join(slot, 0, "")
	if err := g.enter(context.Background(), inside); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() { failed <- g.enter(ctx, g.join(slot, 0, "")) }()
	waitFor(t, g, 1)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	g.exit(inside)
	if g.free != slot || len(g.waiting) != 0 {
		t.Errorf("%d free, %d waiting", g.free, len(g.waiting))
	}
}

func TestSmallChunksTakeLessRoom(t *testing.T) {
	if weight(smallChunk) != 1 || weight(smallChunk+1) != slot {
		t.Error(weight(smallChunk), weight(smallChunk+1))
	}
	g := newAdmission(2)
	ctx := context.Background()
	large, small := g.join(slot, 0, ""), g.join(1, 0, "")
	enter := func(of *ticket, waiting int) chan error {
		t.Helper()
		done := make(chan error, 1)
		go func() { done <- g.enter(ctx, of) }()
		if waiting > 0 {
			waitFor(t, g, waiting)
		} else if err := <-done; err != nil {
			t.Fatal(err)
		}
		return done
	}
	enter(large, 0)
	for range slot - 1 {
		enter(small, 0)
	}
	// There is room for a small one, but a large one waits before it.
	second, last := enter(large, 1), enter(small, 2)
	g.exit(small)
	g.exit(small)
	waitFor(t, g, 2)
	g.exit(large)
	<-second
	<-last
	if g.free != slot*2-2-slot {
		t.Errorf("%d quarters are free", g.free)
	}
}

// wide is an executor for that many chunks at once.
type wide int

func (wide) Decode(*codec.Env, *codec.Plan, ndarray.Block, []byte, []codec.Range) error { return nil }
func (w wide) Parallel() int                                                            { return int(w) }

func TestAhead(t *testing.T) {
	for _, c := range []struct {
		mib, parallel int
		memory        bool
		want          int
	}{
		{1, 3, true, 32}, {1, 40, true, 40}, {4, 3, true, 8}, {8, 3, true, 4}, {8, 15, true, 15}, {8, 31, true, 16},
		{32, 31, true, 4}, {256, 31, true, 4}, {4, 3, false, 16}, {8, 3, false, 8}, {8, 31, false, 16},
	} {
		if got := ahead(c.mib<<20, wide(c.parallel), c.memory); got != c.want {
			t.Errorf("%d chunks of %d MiB are under way where %d can be decoded at once, not %d", got, c.mib, c.parallel, c.want)
		}
	}
}
