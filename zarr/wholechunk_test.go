package zarr_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	runs "github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// TestWholeChunksOfResults compares the whole chunks of results with reads of these chunks. They
// stay within the allowed bytes, each lies in the selection, and none comes twice.
func TestWholeChunksOfResults(t *testing.T) {
	handed := 0
	for round := range runs.Each(60) {
		r := rand.New(rand.NewPCG(uint64(round), 7))
		levels := [][]int{{4, 6}, {2, 3}}[r.IntN(2):]
		s := sharding{shape: []int{1 + r.IntN(12), 1 + r.IntN(15)}, levels: levels}
		if len(levels) == 2 && r.IntN(3) == 0 {
			s.without = func(inner []int) bool { return inner[0]%4 == 0 }
		}
		size := 4 * levels[len(levels)-1][0] * levels[len(levels)-1][1]
		caches := zarr.NewCaches(zarr.CacheOptions{})
		a := must.Get(zarr.New(memstore.New(s.objects()), codecs.Default(), zarr.Options{Caches: caches}).OpenArray(t.Context(), ""))(t)
		whole := a.ReadChunk
		if a.InnerChunks() != nil {
			whole = a.ReadInnerChunk
		}
		for range 12 {
			var sel []grid.Item
			var picks [][]int
			for _, n := range s.shape {
				from := r.IntN(n)
				to, step := from+1+r.IntN(n-from), []int{1, 1, 2, 5, -1, -2}[r.IntN(6)]
				var at []int
				for i := from; i < to; i += max(step, -step) {
					at = append(at, i)
				}
				if step < 0 {
					slices.Reverse(at)
				}
				item := grid.At(int64(at[0]))
				if len(at) > 1 || r.IntN(2) == 0 {
					first, stop, by := int64(at[0]), int64(at[len(at)-1]), int64(step)
					if stop += by; stop >= 0 {
						item = grid.Range(&first, &stop, &by)
					} else {
						item = grid.Range(&first, nil, &by)
					}
				}
				sel, picks = append(sel, item), append(picks, at)
			}
			most := size * r.IntN(8)
			res := must.Get(a.Read(t.Context(), sel, zarr.ReadOptions{Chunks: int64(most)}))(t)
			s.check(t, res, picks)
			seen := map[[2]int64]bool{}
			for _, c := range res.Chunks {
				handed++
				most -= len(c.Data)
				id := [2]int64(c.Coords)
				for d, n := range levels[len(levels)-1] {
					if !slices.ContainsFunc(picks[d], func(p int) bool { return p/n == int(c.Coords[d]) }) {
						t.Errorf("round %d: %v is not in %v", round, c.Coords, picks)
					}
				}
				want, err := whole(t.Context(), c.Coords, zarr.ReadOptions{})
				if err != nil || !bytes.Equal(want.Data, c.Data) || seen[id] {
					t.Fatalf("round %d, chunk %v: %v", round, c.Coords, err)
				}
				seen[id] = true
			}
			if most < 0 {
				t.Errorf("round %d: %d bytes too many", round, -most)
			}
		}
	}
	if handed == 0 {
		t.Error("no chunk was handed out")
	}
}

// TestGenerationOfCaches expects another generation after each event that may outdate decoded
// chunks, and after nothing else.
func TestGenerationOfCaches(t *testing.T) {
	s := sharding{shape: []int{8, 6}, levels: [][]int{{4, 6}, {2, 3}}}
	caches := zarr.NewCaches(zarr.CacheOptions{})
	objects := s.objects()
	h := zarr.New(memstore.New(objects), codecs.Default(), zarr.Options{Caches: caches})
	a := must.Get(h.OpenArray(t.Context(), ""))(t)
	step := func(what string, another bool, do func()) {
		t.Helper()
		before := caches.Generation()
		if do(); (caches.Generation() != before) != another {
			t.Errorf("%s: generation %d after %d", what, caches.Generation(), before)
		}
	}
	open := func(fresh bool) {
		must.Get(h.Open(t.Context(), "", zarr.OpenOptions{Fresh: fresh}))(t)
	}
	step("read", false, func() { s.read(t, a, 0, 8, 0, 6) })
	step("read again", false, func() { s.read(t, a, 0, 8, 0, 6) })
	step("open", false, func() { open(false) })
	step("more room", false, func() { caches.Resize(zarr.CacheOptions{Decoded: 256 << 20}) })
	step("less room", true, func() { caches.Resize(zarr.CacheOptions{Decoded: 1 << 20}) })
	step("open afresh", true, func() { open(true) })
	step("close", true, h.Close)
}
