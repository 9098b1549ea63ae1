package plan

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// randomGrid returns a grid of one to three dimensions. Each chunk length is a multiple of the
// dimension's entry in multiples, so that inner chunks of those lengths divide the chunks.
func randomGrid(t *testing.T, rng *rand.Rand, multiples []int) *grid.Grid {
	t.Helper()
	shape, chunks := make([]int64, len(multiples)), make([]int64, len(multiples))
	edges := make([][]grid.Run, len(multiples))
	for d, m := range multiples {
		shape[d] = int64(1 + rng.IntN(24))
		chunks[d] = int64(m * (1 + rng.IntN(3)))
		for left := shape[d]; left > 0; {
			run := grid.Run{Size: int64(m * (1 + rng.IntN(3))), Count: int64(1 + rng.IntN(2))}
			edges[d] = append(edges[d], run)
			left -= run.Size * run.Count
		}
	}
	var g *grid.Grid
	var err error
	switch rng.IntN(3) {
	case 0:
		g, err = grid.Regular(shape, chunks)
	case 1:
		g, err = grid.RegularBounded(shape, chunks)
	default:
		g, err = grid.Rectilinear(shape, edges)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomItem selects from a dimension of length n in one of all ways.
func randomItem(rng *rand.Rand, n int64) grid.Item {
	position := func() *int64 {
		if rng.IntN(4) == 0 {
			return nil
		}
		p := rng.Int64N(2*n+3) - n - 1
		return &p
	}
	switch rng.IntN(6) {
	case 0:
		return grid.All()
	case 1:
		return grid.At(rng.Int64N(2*n) - n)
	case 2, 3:
		step := []int64{1, 1, 2, 5, -1, -2, -7}[rng.IntN(7)]
		return grid.Range(position(), position(), &step)
	case 4:
		list := make([]int64, rng.IntN(12))
		for i := range list {
			list[i] = rng.Int64N(2*n) - n
		}
		return grid.ListOf(list)
	}
	mask := make([]bool, n)
	for i := range mask {
		mask[i] = rng.IntN(2) == 0
	}
	return grid.MaskOf(mask)
}

// selection is a plan with its expected contents: the coordinates in the array of each element of
// the result, in C order.
type selection struct {
	text    string
	g       *grid.Grid
	plan    *Plan
	strides []int // of the result
	shape   []int // of the result
	want    []string
	again   func(most int64) (*Plan, error)
}

// randomSelection plans a random selection or random points.
func randomSelection(t *testing.T, rng *rand.Rand, multiples []int) selection {
	t.Helper()
	g := randomGrid(t, rng, multiples)
	shape := g.Shape()
	s := selection{g: g}
	if rng.IntN(4) == 0 {
		n := rng.IntN(60)
		lists := make([][]int64, len(shape))
		for range n {
			at := make([]int64, len(shape))
			for d := range shape {
				at[d] = rng.Int64N(shape[d])
				lists[d] = append(lists[d], at[d])
			}
			s.want = append(s.want, fmt.Sprint(at))
		}
		s.text = fmt.Sprintf("%s grid of %v, points %v", g.Kind(), shape, lists)
		s.shape = []int{n}
		s.again = func(most int64) (*Plan, error) { return NewPoints(g, lists, most) }
	} else {
		var items []grid.Item
		for d := range rng.IntN(len(shape) + 1) {
			items = append(items, randomItem(rng, shape[d]))
		}
		axes := must.Get(grid.Resolve(items, shape))(t)
		s.text = fmt.Sprintf("%s grid of %v, axes %+v", g.Kind(), shape, axes)
		for _, a := range axes {
			s.shape = append(s.shape, int(a.Count))
		}
		each(s.shape, func(at []int) {
			coords := make([]int64, len(at))
			for d, i := range at {
				coords[d] = axes[d].At(int64(i))
			}
			s.want = append(s.want, fmt.Sprint(coords))
		})
		s.again = func(most int64) (*Plan, error) { return New(g, axes, most) }
	}
	s.strides = ndarray.Strides(s.shape)
	s.plan = s.make(t)
	return s
}

func (s *selection) make(t *testing.T) *Plan {
	t.Helper()
	p, err := s.again(1 << 40)
	if err != nil {
		t.Fatal(s.text, err)
	}
	return p
}

// each calls f with all indices of a shape in C order.
func each(shape []int, f func(at []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	for at := make([]int, len(shape)); ; {
		f(at)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// offset returns the place of an index in a layout.
func offset(l ndarray.Layout, at []int) int {
	n := l.Offset
	for d, i := range at {
		if l.Lists != nil && l.Lists[d] != nil {
			n += int(l.Lists[d][i]) * l.Strides[d]
		} else {
			n += i * l.Strides[d]
		}
	}
	return n
}

// element is one selected element of a chunk, with its places in the chunk and in the result.
type element struct {
	in  []int
	out int
}

// elements returns the elements that layouts select from a chunk of the shape.
func elements(c *Chunk, shape, strides []int) (all []element) {
	l := NewLayout(len(shape))
	own := ndarray.Strides(shape)
	l.SetIn(c, own)
	l.SetOut(c, strides)
	each(l.Shape, func(at []int) {
		in, rest := make([]int, len(shape)), offset(l.In, at)
		for d, stride := range own {
			in[d], rest = rest/stride, rest%stride
		}
		all = append(all, element{in, offset(l.Out, at)})
	})
	return all
}

// chunks calls f with each touched chunk, its shape, and its start in the array.
func (s *selection) chunks(t *testing.T, f func(c *Chunk, shape []int, start []int64)) {
	t.Helper()
	rank := s.g.Rank()
	room := Room(1, rank) // every chunk uses the same room, as in a worker
	for i := range s.plan.Total() {
		c := &room[0]
		s.plan.Touch(c, i)
		stored, err := s.g.ChunkShape(c.Coords)
		if err != nil {
			t.Fatal(s.text, err)
		}
		shape, start := make([]int, rank), make([]int64, rank)
		for d, n := range stored {
			shape[d], start[d] = int(n), s.g.Start(d, c.Coords[d])
		}
		f(c, shape, start)
	}
}

func inArray(start []int64, in []int) string {
	at := make([]int64, len(in))
	for d := range in {
		at[d] = start[d] + int64(in[d])
	}
	return fmt.Sprint(at)
}

// TestPlansTakeEachElementOfASelectionOnce compares random plans with an enumeration of the
// selected elements. Each element of the result comes from one chunk. Each chunk with a selected
// element is touched once, and no other chunk is.
func TestPlansTakeEachElementOfASelectionOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	for range 2000 {
		s := randomSelection(t, rng, []int{1, 1, 1}[:1+rng.IntN(3)])
		got, seen := map[int]string{}, map[string]bool{}
		s.chunks(t, func(c *Chunk, shape []int, start []int64) {
			if id := fmt.Sprint(c.Coords); seen[id] {
				t.Fatalf("%s: chunk %s is touched twice", s.text, id)
			} else {
				seen[id] = true
			}
			taken := elements(c, shape, s.strides)
			if len(taken) == 0 {
				t.Fatalf("%s: chunk %v is touched for nothing", s.text, c.Coords)
			}
			for _, e := range taken {
				if before, twice := got[e.out]; twice {
					t.Fatalf("%s: element %d of the result is %s and %v of chunk %v", s.text, e.out, before, e.in, c.Coords)
				}
				got[e.out] = inArray(start, e.in)
			}
		})
		for i, want := range s.want {
			if got[i] != want {
				t.Fatalf("%s: element %d of the result is %q, want %s", s.text, i, got[i], want)
			}
		}
		if len(got) != len(s.want) {
			t.Fatalf("%s: %d elements, want %d", s.text, len(got), len(s.want))
		}
	}
}

// TestPlansAreRefusedAboveALimitOfChunks plans with a limit equal to the touched chunks, and with
// one less.
func TestPlansAreRefusedAboveALimitOfChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 2))
	for range 1000 {
		s := randomSelection(t, rng, []int{1, 1, 1}[:1+rng.IntN(3)])
		n := int64(s.plan.Total())
		if p, err := s.again(n); err != nil || p.Total() != int(n) {
			t.Fatalf("%s: of at most %d chunks: %v", s.text, n, err)
		}
		var limit *limits.Error
		if _, err := s.again(n - 1); n > 0 && (!errors.As(err, &limit) || limit.Limit != "Chunks" || limit.Max != n-1) {
			t.Fatalf("%s: of at most %d chunks: %v, want a limit error", s.text, n-1, err)
		}
	}
}

// TestOnceKeepsTheLastOfRepeatedElements compares with a map written in the order of the result.
// IsAll then holds exactly if the chunk's elements in the array are all selected.
func TestOnceKeepsTheLastOfRepeatedElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 3))
	for range 2000 {
		s := randomSelection(t, rng, []int{1, 1, 1}[:1+rng.IntN(3)])
		want := map[string]int{}
		for i, at := range s.want {
			want[at] = i
		}
		s.plan.Once()
		got := map[string]int{}
		array := s.g.Shape()
		s.chunks(t, func(c *Chunk, shape []int, start []int64) {
			taken := elements(c, shape, s.strides)
			for _, e := range taken {
				at := inArray(start, e.in)
				if _, twice := got[at]; twice {
					t.Fatalf("%s: element %s is still there twice", s.text, at)
				}
				got[at] = e.out
			}
			all, own := 1, make([]int64, len(shape))
			for d, n := range shape {
				own[d] = min(int64(n), array[d]-start[d])
				all *= int(own[d])
			}
			if is := c.IsAll(own); is != (len(taken) == all && c.Points == nil) {
				t.Fatalf("%s: chunk %v: %d of %d elements, IsAll %v", s.text, c.Coords, len(taken), all, is)
			}
		})
		if !maps.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", s.text, got, want)
		}
	}
}

// TestWhatIsToldOfAChunkIsTrueOfItsElements compares regions, runs and boxes with the elements.
func TestWhatIsToldOfAChunkIsTrueOfItsElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 4))
	for range 1500 {
		s := randomSelection(t, rng, []int{1, 1, 1}[:1+rng.IntN(3)])
		if s.plan.Total() == 0 {
			continue
		}
		scattered, first := false, -1
		s.chunks(t, func(c *Chunk, shape []int, _ []int64) {
			taken := elements(c, shape, s.strides)
			if first < 0 {
				first = len(taken)
			}
			region := make([]codec.Range, len(shape))
			less := c.Region(region, shape)
			tight, whole := make([]codec.Range, len(shape)), true
			for d := range shape {
				tight[d] = codec.Range{From: shape[d]}
				for _, e := range taken {
					tight[d] = codec.Range{From: min(tight[d].From, e.in[d]), To: max(tight[d].To, e.in[d]+1)}
				}
				whole = whole && tight[d] == codec.Range{To: shape[d]}
			}
			if !slices.Equal(region, tight) || less != (!whole || c.Points != nil) {
				t.Fatalf("%s: chunk %v: region %v (less: %v), want %v", s.text, c.Coords, region, less, tight)
			}

			within, box := c.Within(region), make([]int, len(shape))
			for d, r := range region {
				box[d] = r.To - r.From
			}
			for i, e := range elements(&within, box, s.strides) {
				for d, r := range region {
					if e.out != taken[i].out || e.in[d] != taken[i].in[d]-r.From {
						t.Fatalf("%s: chunk %v: within %v element %v is %v", s.text, c.Coords, region, taken[i], e)
					}
				}
			}

			all := ndarray.Block{Shape: shape}.Len()
			run := c.Points == nil && len(taken) == all
			for i, e := range taken {
				place := 0
				for d, stride := range ndarray.Strides(shape) {
					place += e.in[d] * stride
				}
				run = run && place == i && e.out == taken[0].out+i
			}
			if n, ok := c.IsRun(shape, s.shape); ok && !run || ok && n != all {
				t.Fatalf("%s: chunk %v: a run of %d elements: %v", s.text, c.Coords, n, taken)
			} else if run && !ok && !hasSteps(c) {
				t.Fatalf("%s: chunk %v is a run, which is not seen", s.text, c.Coords)
			}

			start, size, ok := c.Box()
			if ok {
				i := 0
				each(size, func(at []int) {
					want := 0
					for d := range at {
						want += (start[d] + at[d]) * s.strides[d]
					}
					if i == len(taken) || taken[i].out != want {
						t.Fatalf("%s: chunk %v is not the box %v of %v", s.text, c.Coords, size, start)
					}
					i++
				})
			}
			scattered = scattered || c.Points != nil || slices.ContainsFunc(c.Projections, func(p *grid.Projection) bool { return p.Out.List != nil })
			dense := !slices.ContainsFunc(c.Projections, func(p *grid.Projection) bool {
				return p == nil || p.Out.List != nil || p.Out.Step != 1 && p.Out.Count > 1
			})
			if ok != dense {
				t.Fatalf("%s: chunk %v has a box: %v, want %v", s.text, c.Coords, ok, dense)
			}
		})
		if s.plan.Scattered() != scattered {
			t.Fatalf("%s: scattered %v, want %v", s.text, s.plan.Scattered(), scattered)
		}
		if n := s.plan.First(); n != first && !(n == 1 && scattered) {
			t.Fatalf("%s: the first chunk has %d elements, want %d", s.text, n, first)
		}
	}
}

// hasSteps reports whether a chunk has positions that form a range only by chance.
func hasSteps(c *Chunk) bool {
	return slices.ContainsFunc(c.Projections, func(p *grid.Projection) bool { return p.In.List != nil || p.Out.List != nil })
}

// TestInnerChunksTakeWhatTheirShardTakes splits shards of two levels. Together the inner chunks
// select the shard's elements. Split returns each of them once, and the count of innermost chunks
// agrees.
func TestInnerChunksTakeWhatTheirShardTakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 5))
	for range 2000 {
		rank := 1 + rng.IntN(3)
		outer, inner := make([]int, rank), make([]int, rank)
		for d := range rank {
			inner[d] = 1 + rng.IntN(3)
			outer[d] = inner[d] * (1 + rng.IntN(2))
		}
		shapes := [][]int{outer, inner}
		s := randomSelection(t, rng, outer)
		counted := 0
		s.chunks(t, func(c *Chunk, shape []int, start []int64) {
			want, got := map[int]string{}, map[int]string{}
			for _, e := range elements(c, shape, s.strides) {
				want[e.out] = inArray(start, e.in)
			}
			n := 0
			split(t, s.text, c, shape, start, shapes, func(q *Chunk, shape []int, start []int64) {
				n++
				for _, e := range elements(q, shape, s.strides) {
					if _, twice := got[e.out]; twice {
						t.Fatalf("%s: shard %v: element %d comes twice", s.text, c.Coords, e.out)
					}
					got[e.out] = inArray(start, e.in)
				}
			})
			if !maps.Equal(got, want) {
				t.Fatalf("%s: shard %v by %v: %v, want %v", s.text, c.Coords, shapes, got, want)
			}
			if all := c.Innermost(inner, 1<<30); all != n {
				t.Fatalf("%s: shard %v by %v: %d chunks are counted, want %d", s.text, c.Coords, shapes, all, n)
			}
			counted += n
		})
		for _, most := range []int{counted, counted + 1, 1 << 30} {
			if n := s.plan.Innermost(inner, most); n != counted {
				t.Fatalf("%s by %v: %d chunks are counted up to %d, want %d", s.text, shapes, n, most, counted)
			}
		}
		for most := max(0, counted-2); most < counted; most++ {
			if n := s.plan.Innermost(inner, most); n <= most {
				t.Fatalf("%s by %v: %d chunks are counted up to %d, want more", s.text, shapes, n, most)
			}
		}
	}
}

// split calls f with the innermost chunks.
func split(t *testing.T, text string, c *Chunk, shape []int, start []int64, shapes [][]int, f func(*Chunk, []int, []int64)) {
	t.Helper()
	if len(shapes) == 0 {
		f(c, shape, start)
		return
	}
	counts := make([]int, len(shape))
	for d := range shape {
		counts[d] = (shape[d]-1)/shapes[0][d] + 1 // a bounded grid's last shard may end within one
	}
	seen := map[int]bool{}
	for _, q := range c.Split(shapes[0], counts) {
		if seen[q.Number] || !slices.Equal(q.Coords, c.Coords) {
			t.Fatalf("%s: chunk %v: inner chunk %d comes twice, or is of %v", text, c.Coords, q.Number, q.Coords)
		}
		seen[q.Number] = true
		from, rest := slices.Clone(start), q.Number
		for d := len(shape) - 1; d >= 0; d-- {
			from[d] += int64(rest % counts[d] * shapes[0][d])
			rest /= counts[d]
		}
		split(t, text, &q.Chunk, shapes[0], from, shapes[1:], f)
	}
}

// TestRegionsOfAChunkAreTheResult plans regions of a chunk, including empty ones.
func TestRegionsOfAChunkAreTheResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 6))
	for range 500 {
		rank := 1 + rng.IntN(3)
		coords, start, size, shape := make([]int64, rank), make([]int, rank), make([]int, rank), make([]int, rank)
		for d := range rank {
			coords[d], shape[d] = int64(rng.IntN(5)), 1+rng.IntN(5)
			start[d] = rng.IntN(shape[d])
			size[d] = rng.IntN(shape[d] - start[d] + 1)
		}
		p := NewRegion(coords, start, size)
		n := ndarray.Block{Shape: size}.Len()
		if p.Total() != min(n, 1) {
			t.Fatalf("region %v of %v: %d chunks", size, start, p.Total())
		}
		if n == 0 {
			continue
		}
		c := &Room(1, rank)[0]
		p.Touch(c, 0)
		taken := elements(c, shape, ndarray.Strides(size))
		if len(taken) != n || !slices.Equal(c.Coords, coords) || p.First() != n || p.Scattered() {
			t.Fatalf("region %v of %v: %d elements of chunk %v", size, start, len(taken), c.Coords)
		}
		i := 0
		each(size, func(at []int) {
			for d := range at {
				if taken[i].out != i || taken[i].in[d] != start[d]+at[d] {
					t.Fatalf("region %v of %v: element %d is %+v", size, start, i, taken[i])
				}
			}
			i++
		})
	}
}
