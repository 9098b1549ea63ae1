package object

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

func TestSpeed(t *testing.T) {
	event := func(bytes int64, ms int) store.Event {
		return store.Event{Bytes: bytes, Duration: time.Duration(ms) * time.Millisecond, Status: 200}
	}
	many := func(n int, e store.Event) (list []store.Event) {
		for range n {
			list = append(list, e)
		}
		return list
	}
	gone := store.Event{Status: 404, Duration: 40 * time.Millisecond, Err: store.NotFound("a")}
	ended := store.Event{Status: 200, Duration: time.Millisecond, Err: context.Canceled}
	refused := store.Event{Status: 500, Duration: time.Millisecond, Err: errors.New("no")}
	for _, c := range []struct {
		name                  string
		opt                   Options
		events                []store.Event
		leastGap, mostGap     int64
		leastWaste, mostWaste int64
	}{
		{"nothing known", Options{}, nil, 32 << 10, 32 << 10, 512 << 10, 512 << 10},
		{"a far server", Options{}, []store.Event{event(300, 60), gone, event(20, 55)}, 200_000, 200_000, 512 << 10, 512 << 10},
		{"of what failed nothing is learned", Options{}, []store.Event{ended, refused, gone}, 200_000, 200_000, 512 << 10, 512 << 10},
		{"a near one", Options{}, []store.Event{event(300, 2)}, 32 << 10, 32 << 10, 512 << 10, 512 << 10},
		{"a far and fast one", Options{}, append(many(1, event(0, 100)), many(30, event(1<<20, 110))...), 2 << 20, 4 << 20, 4 << 20, 4 << 20},
		{"a far and slow one", Options{}, append(many(1, event(0, 100)), many(30, event(1<<20, 1100))...), 40_000, 60_000, 512 << 10, 512 << 10},
		{"it has got slower", Options{}, append(many(1, event(0, 1)), many(20, event(0, 100))...), 400_000, 512 << 10, 900_000, 1 << 20},
		{"no time at all", Options{}, []store.Event{event(0, 0), event(1<<30, 0)}, 32 << 10, 32 << 10, 512 << 10, 512 << 10},
		{"as the user wants it", Options{Gap: 7, Waste: -1}, []store.Event{event(0, 100)}, 7, 7, 0, 0},
	} {
		s := over((*memstore.Store)(nil), 0, c.opt)
		for _, e := range c.events {
			s.speed.learn(e)
		}
		if gap := s.gap(); gap < c.leastGap || gap > c.mostGap {
			t.Errorf("%s: gap %d, not %d to %d", c.name, gap, c.leastGap, c.mostGap)
		}
		if waste := s.Waste(); waste < c.leastWaste || waste > c.mostWaste {
			t.Errorf("%s: waste %d, not %d to %d", c.name, waste, c.leastWaste, c.mostWaste)
		}
	}
}
