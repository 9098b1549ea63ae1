package writer

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// part is what is written of one chunk.
type part struct {
	coords []int64
	in     ndarray.Layout // its elements
	from   ndarray.Layout // which of the values they become
	shape  []int
	whole  bool // these are all elements that the chunk has in the array
}

// plan is the chunks that a write touches, each of them once.
type plan interface {
	total() int
	// set makes p the i-th part, of a chunk of the shape.
	at(i int) (coords []int64)
	set(p *part, i int, chunk []int)
}

// boxes is the plan of a selection: the product of the spans of its dimensions.
type boxes struct {
	g      *grid.Grid
	spans  [][]grid.Span
	values Values
	grows  int // see Options; -1 for none
}

// Values are elements that are written: a block, and how far apart they lie in it along each dimension of a selection; 0 where they are
// the same all along.
type Values struct {
	ndarray.Block
	Strides []int
	// Gather, if set, has the elements: the block has no data then.
	Gather Gather
}

// Gather copies the elements of a region, which has no lists, to dst, one after the other.
type Gather func(dst []byte, from ndarray.Layout, shape []int) error

func (b *boxes) total() int {
	n := 1
	for _, spans := range b.spans {
		n *= len(spans)
	}
	return n
}

func (b *boxes) each(i int, f func(d int, s *grid.Span)) {
	for d := len(b.spans) - 1; d >= 0; d-- {
		all := b.spans[d]
		f(d, &all[i%len(all)])
		i /= len(all)
	}
}

func (b *boxes) at(i int) []int64 {
	coords := make([]int64, len(b.spans))
	b.each(i, func(d int, s *grid.Span) { coords[d] = s.Chunk })
	return coords
}

func (b *boxes) set(p *part, i int, chunk []int) {
	n := len(b.spans)
	strides := ndarray.Strides(chunk)
	p.shape = make([]int, n)
	p.in = ndarray.Layout{Strides: make([]int, n), Lists: make([][]int64, n)}
	p.from = ndarray.Layout{Strides: make([]int, n), Lists: make([][]int64, n)}
	p.whole = true
	shape := b.g.Shape()
	b.each(i, func(d int, s *grid.Span) {
		inside := int64(chunk[d])
		if d != b.grows {
			inside = min(inside, shape[d]-b.g.Start(d, s.Chunk))
		}
		place(&p.in, d, s.In, strides[d])
		place(&p.from, d, s.Out, b.values.Strides[d])
		p.shape[d] = int(s.In.Count)
		p.whole = p.whole && s.In.Count == inside && (s.In.List != nil || inside == 1 || s.In.Step == 1 || s.In.Step == -1)
	})
}

// place sets a dimension of a layout to the positions of an axis.
func place(l *ndarray.Layout, d int, a grid.Axis, stride int) {
	if a.List == nil {
		l.Offset += int(a.Start) * stride
		l.Strides[d] = int(a.Step) * stride
		return
	}
	l.Strides[d] = stride
	l.Lists[d] = a.List
}

// planBoxes plans the writing of values to what the axes select.
func planBoxes(a *reader.Array, axes []grid.Axis, values Values, most int64) (*boxes, error) {
	b := &boxes{g: a.Grid, spans: make([][]grid.Span, len(axes)), values: values}
	left := most
	for d, ax := range axes {
		spans, err := a.Grid.Spans(d, ax, left)
		if errors.Is(err, grid.ErrTooMany) {
			return nil, tooMany(most)
		}
		if err != nil {
			return nil, reader.SelectionError(a.Path, err)
		}
		for i := range spans {
			once(&spans[i])
		}
		b.spans[d] = spans
		left /= int64(max(1, len(spans)))
	}
	return b, nil
}

func tooMany(most int64) error {
	return &limits.Error{Limit: "Chunks", Max: most, Asked: most + 1, What: "selection"}
}

// once leaves of the positions that a span has several times only the last: that is the one whose value stays, as in numpy.
func once(s *grid.Span) {
	if s.In.List == nil {
		if s.In.Step == 0 && s.In.Count > 1 {
			last := s.Out.At(s.Out.Count - 1)
			s.In, s.Out = grid.Axis{Start: s.In.Start, Step: 1, Count: 1}, grid.Axis{Start: last, Step: 1, Count: 1}
		}
		return
	}
	order := make([]int, len(s.In.List))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(s.In.List[i], s.In.List[j]), cmp.Compare(i, j)) })
	in, out := make([]int64, 0, len(order)), make([]int64, 0, len(order))
	for k, i := range order {
		if k+1 < len(order) && s.In.List[order[k+1]] == s.In.List[i] {
			continue
		}
		in, out = append(in, s.In.List[i]), append(out, s.Out.At(int64(i)))
	}
	n := int64(len(in))
	s.In, s.Out = grid.Axis{List: in, Count: n}, grid.Axis{List: out, Count: n}
}

// points is the plan of single elements.
type points struct {
	chunks []pointChunk
	rank   int
	places []int // of each point its place in its chunk, a dimension after the other
	stride int   // between the values of two points
}

// pointChunk is a chunk with the points in it, by their numbers.
type pointChunk struct {
	coords []int64
	points []int
}

func (p *points) total() int       { return len(p.chunks) }
func (p *points) at(i int) []int64 { return p.chunks[i].coords }

func (p *points) set(to *part, i int, chunk []int) {
	strides := ndarray.Strides(chunk)
	all := p.chunks[i].points
	in, from := make([]int64, len(all)), make([]int64, len(all))
	for k, point := range all {
		from[k] = int64(point)
		for d, s := range strides {
			in[k] += int64(p.places[point*p.rank+d] * s)
		}
	}
	to.shape = []int{len(all)}
	to.in = ndarray.Layout{Strides: []int{1}, Lists: [][]int64{in}}
	to.from = ndarray.Layout{Strides: []int{p.stride}, Lists: [][]int64{from}}
	to.whole = false
}

// planPoints plans the writing of values to single elements, of which coords has a list for each dimension.
func planPoints(a *reader.Array, coords [][]int64, stride int, most int64) (*points, error) {
	n, rank := len(coords[0]), len(coords)
	p := &points{rank: rank, places: make([]int, n*rank), stride: stride}
	chunks := make([]int64, n*rank)
	for d, list := range coords {
		for i, c := range list {
			if c < 0 {
				c += a.Shape[d]
			}
			chunk := a.Grid.Find(d, c)
			at := c - a.Grid.Start(d, chunk)
			if at > math.MaxInt {
				return nil, tooMany(most)
			}
			chunks[i*rank+d], p.places[i*rank+d] = chunk, int(at)
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	chunk := func(i int) []int64 { return chunks[i*rank : (i+1)*rank] }
	place := func(i int) []int { return p.places[i*rank : (i+1)*rank] }
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(slices.Compare(chunk(i), chunk(j)), slices.Compare(place(i), place(j)), cmp.Compare(i, j))
	})
	for k, i := range order {
		if k+1 < n && slices.Equal(chunk(i), chunk(order[k+1])) && slices.Equal(place(i), place(order[k+1])) {
			continue // the last of several values for one element stays
		}
		last := len(p.chunks) - 1
		if last < 0 || !slices.Equal(p.chunks[last].coords, chunk(i)) {
			if int64(len(p.chunks)) >= most {
				return nil, tooMany(most)
			}
			p.chunks = append(p.chunks, pointChunk{coords: chunk(i)})
			last++
		}
		p.chunks[last].points = append(p.chunks[last].points, i)
	}
	return p, nil
}
