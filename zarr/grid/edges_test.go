package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestEdges(t *testing.T) {
	g := must.Get(Rectilinear([]int64{10, 4}, [][]Run{{{2, 2}, {3, 1}, {5, 4}}, {{4, 1}}}))(t)
	if got, want := g.Edges(0), []Run{{2, 2}, {3, 1}, {5, 1}}; !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	if got, want := g.Edges(1), []Run{{4, 1}}; !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	for position, chunk := range []int64{0, 0, 1, 1, 2, 2, 2, 3, 3, 3} {
		if got := g.Find(0, int64(position)); got != chunk {
			t.Errorf("position %d is in chunk %d, want %d", position, got, chunk)
		}
	}
	regular := must.Get(Regular([]int64{10}, []int64{4}))(t)
	if regular.Edges(0) != nil || regular.Find(0, 9) != 2 {
		t.Errorf("a regular grid has edges %v, position 9 in chunk %d", regular.Edges(0), regular.Find(0, 9))
	}
}

// TestResizeKeepsChunksAndCoversTheArray resizes random grids repeatedly, and compares them with
// lists of all edges. Chunks keep their places and lengths, and a list that ends before the array
// gets one more.
func TestResizeKeepsChunksAndCoversTheArray(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 6))
	for round := range 3000 {
		rank := r.IntN(4)
		shape, declared, lists := make(ints, rank), make([][]Run, rank), make([]ints, rank)
		for d := range rank {
			shape[d] = r.Int64N(12)
			if r.IntN(4) == 0 {
				declared[d] = []Run{{Size: 1 + r.Int64N(4)}}
				continue
			}
			for sum := int64(0); sum < shape[d] || r.IntN(3) == 0; {
				run := Run{1 + r.Int64N(4), 1 + r.Int64N(3)}
				declared[d] = append(declared[d], run)
				for range run.Count {
					lists[d], sum = append(lists[d], run.Size), sum+run.Size
				}
			}
		}
		g, err := Rectilinear(shape, declared)
		if err != nil {
			t.Fatal(err)
		}
		inner := make(ints, rank)
		for d := range inner {
			inner[d] = 1 + r.Int64N(3)
		}
		if r.IntN(2) == 0 {
			inner = nil
		}
		for step := range 6 {
			for d := range shape {
				if r.IntN(2) == 0 {
					shape[d] = r.Int64N(25)
				}
				sum := int64(0)
				for _, edge := range lists[d] {
					sum += edge
				}
				if rest := shape[d] - sum; rest > 0 && (len(declared[d]) == 0 || declared[d][0].Count > 0) {
					if inner != nil {
						rest = (rest + inner[d] - 1) / inner[d] * inner[d]
					}
					lists[d] = append(lists[d], rest)
				}
			}
			before := g
			if g, err = g.Resize(shape, inner); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(g.Shape(), shape) || before == g {
				t.Fatalf("round %d, step %d: shape %v, want %v", round, step, g.Shape(), shape)
			}
			for d, list := range lists {
				if declared[d] != nil && declared[d][0].Count == 0 {
					for at := int64(0); at < shape[d]; at += declared[d][0].Size {
						list = append(list, declared[d][0].Size)
					}
					if !slices.Equal(g.Declared(d), declared[d]) {
						t.Fatalf("round %d, step %d: declared %v", round, step, g.Declared(d))
					}
				} else if got := expanded(g.Declared(d)); !slices.Equal(got, list) {
					t.Fatalf("round %d, step %d: declared %v, want %v", round, step, got, list)
				}
				at, n := int64(0), int64(0)
				for ; at < shape[d]; n++ {
					if start, size := g.dims[d].chunk(n); start != at || size != list[n] {
						t.Fatalf("round %d, step %d: chunk %d is %d from %d, want %d from %d", round, step, n, size, start, list[n], at)
					}
					at += list[n]
				}
				if got := expanded(g.Edges(d)); g.Counts()[d] != n || !slices.Equal(got, list[:n]) {
					t.Fatalf("round %d, step %d: %d chunks %v, want %v", round, step, g.Counts()[d], got, list[:n])
				}
			}
		}
	}
	for _, make := range []func(shape, chunks []int64) (*Grid, error){Regular, RegularBounded} {
		g := must.Get(make(ints{5, 0}, ints{2, 3}))(t)
		if to, err := g.Resize(ints{7, 4}, nil); err != nil || to.Kind() != g.Kind() || !slices.Equal(to.Counts(), ints{4, 2}) {
			t.Errorf("%s: %v", g.Kind(), err)
		}
		for _, shape := range []ints{{1}, {-1, 1}} {
			if _, err := g.Resize(shape, nil); err == nil {
				t.Errorf("%s: shape %v", g.Kind(), shape)
			}
		}
	}
	g := must.Get(Rectilinear(ints{3}, [][]Run{{{3, 1}}}))(t)
	for _, c := range []struct{ shape, inner ints }{{ints{1, 2}, nil}, {ints{-1}, nil}, {ints{math.MaxInt64}, ints{math.MaxInt64 - 9}}} {
		if _, err := g.Resize(c.shape, c.inner); err == nil {
			t.Errorf("shape %v", c.shape)
		}
	}
}

// expanded are the lengths that runs mean.
func expanded(runs []Run) ints {
	list := ints{}
	for _, r := range runs {
		for range r.Count {
			list = append(list, r.Size)
		}
	}
	return list
}
