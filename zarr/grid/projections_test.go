package grid

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestSpans(t *testing.T) {
	regular, _ := Regular(ints{10}, ints{4})
	edges, _ := Rectilinear(ints{10}, [][]Run{{{4, 1}, {2, 2}, {5, 1}}})
	projection := func(c, start, step, count, out int64) Projection {
		return Projection{c, Axis{start, step, count, false, nil}, Axis{out, 1, count, false, nil}}
	}
	for _, c := range []struct {
		name string
		g    *Grid
		item Item
		want []Projection
	}{
		{"all", regular, All(), []Projection{projection(0, 0, 1, 4, 0), projection(1, 0, 1, 4, 4), projection(2, 0, 1, 2, 8)}},
		{"index", regular, At(-3), []Projection{projection(1, 3, 1, 1, 0)}},
		{"step", regular, Range(nil, nil, p(3)), []Projection{projection(0, 0, 3, 2, 0), projection(1, 2, 1, 1, 2), projection(2, 1, 1, 1, 3)}},
		{"step over a chunk", regular, Range(p(1), nil, p(7)), []Projection{projection(0, 1, 1, 1, 0), projection(2, 0, 1, 1, 1)}},
		{"backwards", regular, Range(nil, nil, p(-1)), []Projection{projection(2, 1, -1, 2, 0), projection(1, 3, -1, 4, 2), projection(0, 3, -1, 4, 6)}},
		{"backwards by 3", regular, Range(p(8), nil, p(-3)), []Projection{projection(2, 0, 1, 1, 0), projection(1, 1, 1, 1, 1), projection(0, 2, 1, 1, 2)}},
		{"nothing", regular, Range(p(3), p(3), nil), nil},
		{"edges", edges, All(), []Projection{projection(0, 0, 1, 4, 0), projection(1, 0, 1, 2, 4), projection(2, 0, 1, 2, 6), projection(3, 0, 1, 2, 8)}},
		{"list", regular, ListOf(ints{9, 0, 1, 8, 0}), []Projection{
			{0, Axis{0, 0, 3, false, ints{0, 1, 0}}, Axis{0, 0, 3, false, ints{1, 2, 4}}},
			{2, Axis{1, -1, 2, false, nil}, Axis{0, 3, 2, false, nil}},
		}},
		{"the same again", regular, ListOf(ints{5, 5, 5}), []Projection{{1, Axis{0, 0, 3, false, ints{1, 1, 1}}, Axis{0, 1, 3, false, nil}}}},
	} {
		axes := must.Get(Resolve([]Item{c.item}, ints{10}))(t)
		got, err := c.g.Projections(0, axes[0], 100)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v %v, want\n%+v", c.name, got, err, c.want)
		}
	}
}

func TestSpansErrors(t *testing.T) {
	g, _ := Regular(ints{1 << 60, 10}, ints{1, 3})
	r, _ := Rectilinear(ints{1 << 60}, [][]Run{{{1, 1 << 40}, {2, 1 << 60}}})
	for _, g := range []*Grid{g, r} {
		if _, err := g.Projections(0, Axis{0, 1, 1 << 60, false, nil}, 1000); err != ErrTooMany {
			t.Error(err)
		}
		if s, err := g.Projections(0, Axis{0, 1 << 50, 1 << 10, false, nil}, 1<<10); err != nil || len(s) != 1<<10 {
			t.Error(len(s), err)
		}
		if _, err := g.Projections(0, Axis{0, 1 << 50, 1 << 10, false, nil}, 1<<10-1); err != ErrTooMany {
			t.Error(err)
		}
		if _, err := g.Projections(0, Axis{Count: 3, List: ints{0, 7, 1 << 45}}, 2); err != ErrTooMany {
			t.Error(err)
		}
		if _, err := g.Projections(0, Axis{0, 1, 1, false, nil}, -1); err != ErrTooMany {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		dim int
		a   Axis
	}{
		{-1, Axis{}}, {2, Axis{}},
		{1, Axis{0, 1, 11, false, nil}}, {1, Axis{10, 1, 1, false, nil}}, {1, Axis{-1, 1, 1, false, nil}}, {1, Axis{0, -1, 2, false, nil}},
		{1, Axis{0, 1, -1, false, nil}}, {1, Axis{0, math.MaxInt64, 2, false, nil}}, {1, Axis{9, math.MinInt64, 2, false, nil}},
		{1, Axis{1, math.MaxInt64 / 2, 5, false, nil}},
		{1, Axis{Count: 1, List: ints{10}}}, {1, Axis{Count: 1, List: ints{-1}}}, {1, Axis{Count: 2, List: ints{1}}},
	} {
		var e *SelectionError
		if s, err := g.Projections(c.dim, c.a, 100); !errors.As(err, &e) || e.Dim != c.dim {
			t.Errorf("%d %+v: %v %v", c.dim, c.a, s, err)
		}
	}
}

// randomEdges are runs that cover n, and the same as a flat list.
func randomEdges(r *rand.Rand, n int64) (runs []Run, flat ints) {
	for at := int64(0); at < n || r.IntN(4) == 0; {
		run := Run{1 + r.Int64N(6), 1 + r.Int64N(3)}
		runs = append(runs, run)
		for range run.Count {
			flat = append(flat, run.Size)
			at += run.Size
		}
	}
	return runs, flat
}

// randomGrid is a grid of one dimension and, for each position, the chunk and the
// place in it.
func randomGrid(r *rand.Rand) (g *Grid, n int64, chunk, place ints) {
	n = r.Int64N(60)
	var flat ints
	switch r.IntN(3) {
	case 0:
		var runs []Run
		runs, flat = randomEdges(r, n)
		g, _ = Rectilinear(ints{n}, [][]Run{runs})
	default:
		c := 1 + r.Int64N(12)
		for at := int64(0); at < n; at += c {
			flat = append(flat, c)
		}
		g, _ = Regular(ints{n}, ints{c})
		if r.IntN(2) == 0 {
			g, _ = RegularBounded(ints{n}, ints{c})
		}
	}
	for c, size := range flat {
		for i := range size {
			if int64(len(chunk)) < n {
				chunk, place = append(chunk, int64(c)), append(place, i)
			}
		}
	}
	return g, n, chunk, place
}

func randomItem(r *rand.Rand, n int64) Item {
	switch k := r.IntN(6); {
	case k == 0 && n > 0:
		return At(r.Int64N(2*n) - n)
	case k == 1 && n > 0:
		list := make(ints, r.IntN(20))
		for i := range list {
			list[i] = r.Int64N(2*n) - n
		}
		if r.IntN(2) == 0 {
			slices.Sort(list)
		}
		return ListOf(list)
	case k == 2:
		mask := make([]bool, n)
		for i := range mask {
			mask[i] = r.IntN(3) == 0
		}
		return MaskOf(mask)
	case k == 3:
		return All()
	}
	step := r.Int64N(21) - 10
	if step == 0 {
		step = math.MaxInt64
	}
	return Range(maybe(r, interesting(r, n)), maybe(r, interesting(r, n)), maybe(r, step))
}

// Every position of a selection is in exactly one projection, where the definition of the grid
// has it, and no chunk comes twice.
func TestSpansRandom(t *testing.T) {
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 2))
		g, n, chunk, place := randomGrid(r)
		item := randomItem(r, n)
		axes, err := Resolve([]Item{item}, ints{n})
		if err != nil {
			t.Fatal(seed, err)
		}
		checkSpans(t, g, axes[0], chunk, place)
		if t.Failed() {
			t.Fatalf("seed %d: %+v of %+v", seed, item, g)
		}
	}
}

func checkSpans(t *testing.T, g *Grid, a Axis, chunk, place ints) {
	t.Helper()
	touched := map[int64]bool{}
	for i := range a.Count {
		touched[chunk[a.At(i)]] = true
	}
	projections, err := g.Projections(0, a, int64(len(touched)))
	if err != nil {
		t.Error(err)
		return
	}
	if len(touched) > 0 {
		if _, err := g.Projections(0, a, int64(len(touched))-1); err != ErrTooMany {
			t.Error("one too few:", err)
		}
	}
	if len(projections) != len(touched) {
		t.Errorf("%d projections for %d chunks", len(projections), len(touched))
	}
	seen := make([]bool, a.Count)
	for _, s := range projections {
		if !touched[s.Chunk] {
			t.Errorf("chunk %d twice or not touched", s.Chunk)
		}
		delete(touched, s.Chunk)
		if s.In.Count != s.Out.Count || s.In.Count == 0 || s.In.Drop || s.Out.Drop {
			t.Errorf("%+v", s)
			return
		}
		stored, err := g.ChunkShape(ints{s.Chunk})
		if err != nil {
			t.Error(err)
		}
		for k := range s.In.Count {
			out := s.Out.At(k)
			if seen[out] {
				t.Errorf("position %d twice", out)
			}
			seen[out] = true
			if pos := a.At(out); chunk[pos] != s.Chunk || place[pos] != s.In.At(k) {
				t.Errorf("position %d: chunk %d place %d", pos, s.Chunk, s.In.At(k))
			}
			if s.In.At(k) >= stored[0] {
				t.Errorf("outside of the stored chunk")
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("not all positions")
	}
}

// For dimensions too long to list: the arithmetic is checked position by position, for few
// positions.
func TestSpansHuge(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := math.MaxInt64 - r.Int64N(1<<uint(1+r.IntN(62)))
		size := 1 + r.Int64N(1<<uint(1+r.IntN(62)))
		checkHuge(t, n, size, r.Int64N(n), int64(r.Uint64()), seed%2 == 0)
	}
}

func checkHuge(t *testing.T, n, size, start, step int64, runs bool) {
	t.Helper()
	g, err := Regular(ints{n}, ints{size})
	if runs {
		g, err = Rectilinear(ints{n}, [][]Run{{{1, 1}, {size, math.MaxInt64}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	axes, err := Resolve([]Item{Range(&start, nil, &step)}, ints{n})
	if err != nil {
		return
	}
	a := axes[0]
	projections, err := g.Projections(0, a, 2000)
	if err == ErrTooMany {
		if a.Count <= 2000 {
			t.Fatal("not so many")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var done int64
	for i, s := range projections {
		if s.Out.Start != done || s.Out.Count != s.In.Count || s.Out.Step != 1 || i > 0 && projections[i-1].Chunk == s.Chunk {
			t.Fatalf("%+v", s)
		}
		origin, length := s.Chunk*size, size
		if runs {
			if origin, length = 1+(s.Chunk-1)*size, size; s.Chunk == 0 {
				origin, length = 0, 1
			}
		}
		for _, k := range []int64{0, s.In.Count - 1} {
			if in := s.In.At(k); in < 0 || in >= length || origin+in != a.At(done+k) {
				t.Fatalf("%+v: position %d of %+v, chunk at %d", s, k, a, origin)
			}
		}
		done += s.In.Count
	}
	if done != a.Count {
		t.Fatalf("%d positions of %d", done, a.Count)
	}
}

func FuzzSpans(f *testing.F) {
	f.Add(int64(100), int64(7), int64(3), int64(5), false, uint64(1))
	f.Add(int64(math.MaxInt64), int64(1), int64(0), int64(math.MaxInt64), true, uint64(2))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(5), int64(math.MinInt64), true, uint64(3))
	f.Fuzz(func(t *testing.T, n, size, start, step int64, runs bool, seed uint64) {
		if n > 0 && size > 0 {
			checkHuge(t, n, size, start, step, runs)
		}
		// An axis that has not been checked must be refused or be right.
		g, err := Regular(ints{n}, ints{size})
		if err != nil {
			return
		}
		projections, err := g.Projections(0, Axis{Start: start, Step: step, Count: int64(seed % 1000)}, 100)
		if err == nil && seed%1000 > 0 && len(projections) == 0 {
			t.Fatal("no projections")
		}
		r := rand.New(rand.NewPCG(seed, 4))
		g, n, chunk, place := randomGrid(r)
		axes := must.Get(Resolve([]Item{randomItem(r, n)}, ints{n}))(t)
		checkSpans(t, g, axes[0], chunk, place)
	})
}

func BenchmarkSpans(b *testing.B) {
	g, _ := Regular(ints{1 << 40}, ints{1 << 10})
	for b.Loop() {
		if _, err := g.Projections(0, Axis{0, 1 << 30, 1 << 10, false, nil}, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
