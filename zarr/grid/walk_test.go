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

// A walk goes over what the projections of the dimensions are the product of, also when it is taken
// up again by another one.
func TestWalkRandom(t *testing.T) {
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 5))
		var g Grid
		var sel []Item
		want := [][]Projection{{}}
		for d := range r.IntN(4) {
			one, n, _, _ := randomGrid(r)
			sel = append(sel, randomItem(r, n))
			a := must.Get(Resolve(sel[d:], ints{n}))(t)
			g.dims, g.shape = append(g.dims, one.dims[0]), append(g.shape, n)
			projections := must.Get(g.Projections(d, a[0], math.MaxInt64))(t)
			var longer [][]Projection
			for _, head := range want {
				for _, s := range projections {
					longer = append(longer, append(slices.Clip(head), s))
				}
			}
			want = longer
		}
		w, err := g.Walk(sel, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		if w.Count() != float64(len(want)) {
			t.Fatalf("seed %d: Count is %v of %d", seed, w.Count(), len(want))
		}
		got := 0
		for projections := make([]Projection, len(sel)); w.Next(projections); got++ {
			if got >= len(want) || !reflect.DeepEqual(projections, want[got]) {
				t.Fatalf("seed %d: chunk %d is %+v", seed, got, projections)
			}
			if w.At() != nil && r.IntN(8) == 0 {
				if w, err = g.Walk(sel, w.At()); err != nil {
					t.Fatal(seed, err)
				}
			}
		}
		if got != len(want) || w.At() != nil {
			t.Fatalf("seed %d: %d chunks of %d", seed, got, len(want))
		}
	}
}

// A walk over more chunks than can be listed, or counted, begins at once.
func TestWalkHuge(t *testing.T) {
	const n = math.MaxInt64
	g := must.Get(Rectilinear(ints{n, n, 10}, [][]Run{{{1, n}}, {{3, 5}, {1, n - 15}}, {{4, 2}, {1, 2}}}))(t)
	sel := []Item{Range(nil, nil, p(-1)), All(), ListOf(ints{9, 0, 9})}
	allocations := testing.AllocsPerRun(1, func() {
		w, err := g.Walk(sel, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(n) * (n - 10) * 2; w.Count() != want {
			t.Fatalf("Count is %v and not %v", w.Count(), want)
		}
		projections := make([]Projection, 3)
		for range 3 {
			w.Next(projections)
		}
		if projections[0].Chunk != n-1 || projections[1].Chunk != 1 || projections[2].Chunk != 0 {
			t.Fatalf("%+v", projections)
		}
	})
	if allocations > 100 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestWalkErrors(t *testing.T) {
	g, _ := Regular(ints{10, 10}, ints{3, 3})
	var e *SelectionError
	for _, at := range []ints{{-1, 0}, {0, 10}} {
		if _, err := g.Walk(nil, at); !errors.As(err, &e) {
			t.Error(at, err)
		}
	}
	if _, err := g.Walk([]Item{At(10)}, nil); !errors.As(err, &e) {
		t.Error(err)
	}
}
