package plan

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Chunk is the part of a chunk or an inner chunk that a selection takes, and its place in the
// result.
type Chunk struct {
	// Coords are the coordinates of the chunk of the grid. For an inner chunk they are its shard's.
	Coords []int64
	// Projections has one projection for each dimension.
	Projections []*grid.Projection
	// Points, if set, replace the projections.
	Points *Points
}

// Inner is the part of one inner chunk of a shard that a selection takes.
type Inner struct {
	Chunk
	// Number is the inner chunk's place in its shard, in C order.
	Number int
}

// Split divides the selected part of a shard by inner chunks of that shape. The counts are the
// numbers of inner chunks along the dimensions of the shard.
func (c *Chunk) Split(shape, counts []int) []Inner {
	if c.Points != nil {
		return c.Points.split(c.Coords, shape, counts)
	}
	rank, touched := len(c.Projections), 1
	split := make([][]grid.Projection, rank)
	for d, p := range c.Projections {
		split[d] = p.Split(int64(shape[d]))
		touched *= len(split[d])
	}
	all, projections := make([]Inner, touched), make([]*grid.Projection, touched*rank)
	for k := range all {
		q := &all[k]
		q.Coords = c.Coords
		q.Projections = projections[k*rank : (k+1)*rank : (k+1)*rank]
		stride := 1
		for d := rank - 1; d >= 0; d-- {
			p := &split[d][k%len(split[d])]
			k /= len(split[d])
			q.Projections[d] = p
			q.Number += int(p.Chunk) * stride
			stride *= counts[d]
		}
	}
	return all
}

// Innermost counts the touched inner chunks in c: see [Plan.Innermost].
func (c *Chunk) Innermost(shape []int, most int) int {
	if c.Points != nil {
		return c.Points.innermost(shape, most)
	}
	n := 1
	for d, p := range c.Projections {
		n *= int(p.Touched(int64(shape[d])))
	}
	return n
}

// Region sets region to the smallest region of the chunk that holds all selected elements. It
// reports whether that is less than a chunk of the shape. Points always count as less.
func (c *Chunk) Region(region []codec.Range, shape []int) bool {
	if c.Points != nil {
		c.Points.bounds(region)
		return true
	}
	less := false
	for d, p := range c.Projections {
		r := bounds(&p.In)
		region[d] = r
		less = less || r.From != 0 || r.To != shape[d]
	}
	return less
}

// bounds returns the range that holds all positions.
func bounds(a *grid.Axis) codec.Range {
	if a.List != nil {
		return codec.Range{From: int(slices.Min(a.List)), To: int(slices.Max(a.List)) + 1}
	}
	last := a.Start + (a.Count-1)*a.Step
	return codec.Range{From: int(min(a.Start, last)), To: int(max(a.Start, last)) + 1}
}

// Within returns the same selection with positions relative to the start of a region.
func (c *Chunk) Within(region []codec.Range) Chunk {
	moved := Chunk{Coords: c.Coords}
	if c.Points != nil {
		moved.Points = c.Points.within(region)
		return moved
	}
	moved.Projections = make([]*grid.Projection, len(c.Projections))
	for d, p := range c.Projections {
		q, from := *p, int64(region[d].From)
		if p.In.List == nil {
			q.In.Start -= from
		} else {
			q.In.List = make([]int64, len(p.In.List))
			for i, at := range p.In.List {
				q.In.List[i] = at - from
			}
		}
		moved.Projections[d] = &q
	}
	return moved
}

// IsAll reports whether every element that the chunk has in the array is selected. shape is the
// shape of those elements. The plan must not repeat elements: see [Plan.Once]. Points never count
// as all.
func (c *Chunk) IsAll(shape []int64) bool {
	if c.Points != nil {
		return false
	}
	for d, p := range c.Projections {
		if p.In.Count != shape[d] {
			return false
		}
	}
	return true
}

// IsRun reports whether a whole chunk of the shape becomes one run of the result, in C order and
// without gaps. It returns the number of elements.
func (c *Chunk) IsRun(shape, result []int) (n int, ok bool) {
	if c.Points != nil {
		return 0, false
	}
	inner := true // all dimensions so far span the result's whole dimension
	n = 1
	for d := len(shape) - 1; d >= 0; d-- {
		in, out := &c.Projections[d].In, &c.Projections[d].Out
		if in.List != nil || out.List != nil || in.Start != 0 || in.Count != int64(shape[d]) {
			return 0, false
		}
		if shape[d] > 1 && (!inner || in.Step != 1 || out.Step != 1) {
			return 0, false
		}
		inner = inner && shape[d] == result[d]
		n *= shape[d]
	}
	return n, true
}

// Box returns the box of the result that the chunk fills. It reports false if its elements are
// scattered.
func (c *Chunk) Box() (start, shape []int, ok bool) {
	if c.Points != nil {
		return nil, nil, false
	}
	start, shape = make([]int, len(c.Projections)), make([]int, len(c.Projections))
	for d, p := range c.Projections {
		if p.Out.List != nil || p.Out.Step != 1 && p.Out.Count > 1 {
			return nil, nil, false
		}
		start[d], shape[d] = int(p.Out.Start), int(p.Out.Count)
	}
	return start, shape, true
}

// Layout holds the number of selected elements along each dimension, and their places in the chunk
// and in the result. All points lie along one dimension. The slices have room for all dimensions of
// the array.
type Layout struct {
	Shape   []int
	In, Out ndarray.Layout
}

// NewLayout returns room for the layouts of chunks of that rank.
func NewLayout(rank int) Layout {
	n, lists := make([]int, 3*rank), make([][]int64, 2*rank)
	return Layout{
		Shape: n[:rank:rank],
		In:    ndarray.Layout{Strides: n[rank : 2*rank], Lists: lists[:rank]},
		Out:   ndarray.Layout{Strides: n[2*rank:], Lists: lists[rank:]},
	}
}

// SetOut sets Shape, and sets Out to the places in a result with these strides.
func (l *Layout) SetOut(c *Chunk, strides []int) {
	if c.Points != nil {
		c.Points.layOut(l, strides[0])
		return
	}
	l.Out.Offset = 0
	for d, p := range c.Projections {
		l.Shape[d] = int(p.Out.Count)
		set(&l.Out, d, &p.Out, strides[d])
	}
}

// SetIn sets In to the places in a chunk with these strides.
func (l *Layout) SetIn(c *Chunk, strides []int) {
	if c.Points != nil {
		c.Points.layIn(l, strides)
		return
	}
	l.In.Offset = 0
	for d, p := range c.Projections {
		set(&l.In, d, &p.In, strides[d])
	}
}

// set sets one dimension of a layout to positions.
func set(l *ndarray.Layout, d int, a *grid.Axis, stride int) {
	if l.Lists[d] = a.List; a.List != nil {
		l.Strides[d] = stride
		return
	}
	l.Offset += int(a.Start) * stride
	l.Strides[d] = int(a.Step) * stride
}
