package zarr_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// sizeless is a source that does not report the size of an object with a part of it.
type sizeless struct{ store.Source }

func (s sizeless) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	e, err := s.Source.Read(ctx, key, ask)
	if err == nil && ask.Range != nil && !ask.Range.Suffix {
		e.Version.Size = -1
	}
	return e, err
}

// TestEntriesOfIndexesThatCannotBe reads shards with an invalid index entry for one inner chunk:
// beyond the end, in the index, half missing, or half a chunk. Every read of that chunk is an
// error, and never fill. Its neighbours read correctly, because an entry is checked only when its
// chunk is read.
func TestEntriesOfIndexesThatCannotBe(t *testing.T) {
	lies := map[string]func(offset, length uint64) (uint64, uint64){
		"begins beyond the end":   func(_, length uint64) (uint64, uint64) { return 1 << 20, length },
		"ends beyond the end":     func(offset, _ uint64) (uint64, uint64) { return offset, 1 << 20 },
		"ends beyond 2^63":        func(offset, _ uint64) (uint64, uint64) { return offset, math.MaxInt64 },
		"ends beyond 2^64":        func(_, length uint64) (uint64, uint64) { return math.MaxUint64 - 1, length },
		"begins beyond 2^53":      func(_, length uint64) (uint64, uint64) { return 1<<53 - 4, length },
		"has no length":           func(offset, _ uint64) (uint64, uint64) { return offset, math.MaxUint64 },
		"has no offset":           func(_, length uint64) (uint64, uint64) { return math.MaxUint64, length },
		"is too short":            func(offset, length uint64) (uint64, uint64) { return offset, length - 1 },
		"is empty":                func(offset, _ uint64) (uint64, uint64) { return offset, 0 },
		"is empty beyond the end": func(_, _ uint64) (uint64, uint64) { return 1 << 40, 0 },
	}
	sources := map[string]func(store.Source) store.Source{
		"ranges":         func(s store.Source) store.Source { return s },
		"whole objects":  func(s store.Source) store.Source { return whole{s} },
		"without a size": func(s store.Source) store.Source { return sizeless{s} },
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for name, lie := range lies {
		for kind, source := range sources {
			for round := range 8 {
				s := sharding{shape: []int{12, 12}, levels: [][]int{{12, 12}, {3, 3}}, atStart: round&1 > 0}
				if round&2 > 0 {
					s.levels = [][]int{{12, 12}, {6, 6}, {3, 3}}
				}
				bad := []int{3 * rng.IntN(4), 3 * rng.IntN(4)}
				s.lie = func(inner []int, offset, length uint64) (uint64, uint64) {
					if inner[0] == bad[0] && inner[1] == bad[1] {
						return lie(offset, length)
					}
					return offset, length
				}
				opt := zarr.Options{Requests: zarr.RequestOptions{Gap: int64(rng.IntN(3)*20 - 1), Waste: int64(rng.IntN(3)*400 - 1)}}
				a, err := hierarchy(source(memstore.New(s.objects())), opt).OpenArray(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				fails := func(what string, err error) {
					var damaged *zarr.CodecPipelineError
					if !errors.As(err, &damaged) {
						t.Errorf("%s, %s, %v: %s: %v", name, kind, s, what, err)
					}
				}
				ctx, y, x := t.Context(), int64(bad[0]), int64(bad[1])
				for range 2 {
					_, err = a.Read(ctx, nil, zarr.ReadOptions{})
					fails("everything", err)
					_, err = a.Read(ctx, []grid.Item{grid.At(y + 1), grid.At(x + 2)}, zarr.ReadOptions{})
					fails("an element", err)
					_, err = a.ReadPoints(ctx, [][]int64{{0, y}, {0, x}}, zarr.ReadOptions{})
					fails("points", err)
					_, err = a.ReadChunk(ctx, []int64{0, 0}, zarr.ReadOptions{})
					fails("the shard", err)
					if round&2 == 0 {
						_, err = a.ReadInnerChunk(ctx, []int64{y / 3, x / 3}, zarr.ReadOptions{})
						fails("the chunk", err)
					}
					beside := (bad[0] + 3) % 12
					s.read(t, a, beside, beside+3, 0, 12)
				}
			}
		}
	}
}
