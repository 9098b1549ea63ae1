package grid

import (
	"errors"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// FuzzWalk walks over the chunks of a selection. They are the product of the projections, and their
// number equals the count. A walk continues where another one stopped.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{10, 3, 20, 7}, []byte{0, 1, 2, 9, 1}, false)
	f.Add([]byte{10, 3, 20, 7, 5, 5}, []byte{3, 2, 2, 9, 1, 4, 0, 8, 255, 255}, true)
	f.Add([]byte{0, 0, 1, 1}, []byte{1, 0, 4, 1}, true)
	f.Fuzz(func(t *testing.T, sizes, selection []byte, runs bool) {
		rank := min(len(sizes)/2, 3)
		shape, chunks, edges := make(ints, rank), make(ints, rank), make([][]Run, rank)
		for i := range rank {
			shape[i], chunks[i] = int64(sizes[2*i]), int64(sizes[2*i+1]%32)
			edges[i] = []Run{{chunks[i], shape[i] / 2}, {chunks[i] + 1, shape[i]}}
		}
		make := Regular
		if runs {
			make = func(shape, _ []int64) (*Grid, error) { return Rectilinear(shape, edges) }
		}
		g, err := make(shape, chunks)
		if err != nil {
			var wrong *Error
			if !errors.As(err, &wrong) {
				t.Fatalf("%T", err)
			}
			return
		}
		sel := items(selection)
		walk, err := g.Walk(sel, nil)
		axes, resolveErr := Resolve(sel, shape)
		if (err == nil) != (resolveErr == nil) {
			t.Fatalf("walk: %v, selection: %v", err, resolveErr)
		}
		if err != nil {
			return
		}
		want := int64(1)
		for dim, a := range axes {
			projections := must.Get(g.Projections(dim, a, 1<<20))(t)
			want *= int64(len(projections))
		}
		if walk.Count() != float64(want) {
			t.Fatalf("%v chunks are counted, there are %d", walk.Count(), want)
		}
		here, other := spansOf(rank), spansOf(rank)
		for n := int64(0); ; n++ {
			at := walk.At()
			again, err := g.Walk(sel, at)
			if at != nil && err != nil {
				t.Fatal(err)
			}
			more := walk.Next(here)
			if !more || n >= 2000 {
				if !more && n != want {
					t.Fatalf("%d chunks, not %d", n, want)
				}
				return
			}
			if at == nil && n > 0 {
				t.Fatal("at no place before its end")
			}
			if n > 0 && (!again.Next(other) || !slices.EqualFunc(here, other, func(a, b Projection) bool {
				return a.Chunk == b.Chunk && a.In.At(0) == b.In.At(0) && a.Out.At(0) == b.Out.At(0)
			})) {
				t.Fatalf("chunk %d from %v on: %+v, not %+v", n, at, other, here)
			}
		}
	})
}

func spansOf(rank int) []Projection { return make([]Projection, rank) }

// items reads a selection of bytes.
func items(b []byte) []Item {
	var sel []Item
	next := func() int64 {
		if len(b) == 0 {
			return 0
		}
		v := int64(int8(b[0]))
		b = b[1:]
		return v
	}
	for len(b) > 0 && len(sel) < 4 {
		switch next() & 7 {
		case 0:
			sel = append(sel, All())
		case 1:
			sel = append(sel, At(next()))
		case 2:
			start, stop, step := next(), next(), next()
			sel = append(sel, Range(&start, &stop, &step))
		case 3:
			list := make([]int64, next()&15)
			for i := range list {
				list[i] = next()
			}
			sel = append(sel, ListOf(list))
		case 4:
			sel = append(sel, EllipsisItem())
		case 5:
			step := next()
			sel = append(sel, Range(nil, nil, &step))
		default:
			mask := make([]bool, next()&31)
			for i := range mask {
				mask[i] = next()&1 == 1
			}
			sel = append(sel, MaskOf(mask))
		}
	}
	return sel
}
