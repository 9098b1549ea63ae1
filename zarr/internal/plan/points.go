package plan

import (
	"cmp"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Points are single selected elements of a box of the array, such as a chunk.
type Points struct {
	which []int32   // their places in the lists and in the result
	lists [][]int64 // the coordinates in the array of all points of the selection, by dimension
	from  []int64   // the start of the box in the array
}

// at returns the place of the i-th point in the box.
func (p *Points) at(d, i int) int { return int(p.lists[d][p.which[i]] - p.from[d]) }

// pointChunk is a chunk of the grid with the points in it.
type pointChunk struct {
	coords []int64
	points Points
}

// NewPoints plans single elements. lists has their coordinates in the array, by dimension. None is
// negative, and all lists have the same length. NewPoints returns a *limits.Error if the points
// touch more than most chunks.
func NewPoints(g *grid.Grid, lists [][]int64, most int64) (*Plan, error) {
	p := &Plan{}
	n, rank := len(lists[0]), len(lists)
	which := byChunk(g, lists)
	for from := 0; from < n; {
		if int64(len(p.points)) >= most {
			return nil, tooMany(most)
		}
		room := make([]int64, 2*rank)
		c := pointChunk{coords: room[:rank], points: Points{lists: lists, from: room[rank:]}}
		for d, list := range lists {
			c.coords[d] = g.Find(d, list[which[from]])
			c.points.from[d] = g.Start(d, c.coords[d])
		}
		to := from + 1
		for to < n && holds(g, c.coords, lists, int(which[to])) {
			to++
		}
		c.points.which = which[from:to:to]
		p.points = append(p.points, c)
		from = to
	}
	p.total = len(p.points)
	return p, nil
}

// byChunk orders the points by the coordinates of their chunks. Points of one chunk keep their
// order.
func byChunk(g *grid.Grid, lists [][]int64) []int32 {
	n := len(lists[0])
	which := order.By(n, 0, nil)
	for d := len(lists) - 1; d >= 0 && n > 0; d-- {
		list := lists[d]
		first, last := g.Find(d, slices.Min(list)), g.Find(d, slices.Max(list))
		if first == last {
			continue
		}
		before := which
		which = order.By(n, uint64(last-first), func(i int) uint64 { return uint64(g.Find(d, list[before[i]]) - first) })
		for k, i := range which {
			which[k] = before[i]
		}
	}
	return which
}

// holds reports whether the i-th point lies in a chunk.
func holds(g *grid.Grid, coords []int64, lists [][]int64, i int) bool {
	for d, c := range coords {
		if g.Find(d, lists[d][i]) != c {
			return false
		}
	}
	return true
}

// once keeps the last of the points that are the same element.
func (p *Points) once() {
	compare := func(i, j int32) int {
		for _, list := range p.lists {
			if c := cmp.Compare(list[i], list[j]); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortStableFunc(p.which, compare)
	kept := p.which[:0]
	for k, i := range p.which {
		if k+1 == len(p.which) || compare(i, p.which[k+1]) != 0 {
			kept = append(kept, i)
		}
	}
	p.which = kept
}

// split groups the points of a shard by its inner chunks.
func (p *Points) split(coords []int64, shape, counts []int) (all []Inner) {
	p.each(shape, func(inner *Points) bool {
		own := *inner
		own.from = slices.Clone(inner.from)
		number := 0
		for d, length := range shape {
			number = number*counts[d] + int(own.from[d]-p.from[d])/length
		}
		all = append(all, Inner{Chunk{Coords: coords, Points: &own}, number})
		return true
	})
	return all
}

// each calls f with the points of each touched inner chunk of a shard until f returns false. The
// next call overwrites the argument.
func (p *Points) each(shape []int, f func(inner *Points) bool) {
	// Inner chunks are numbered within the box from the shard's start to its last inner chunk with
	// a point.
	counts, most := make([]int, len(shape)), 1
	for d, length := range shape {
		for i := range p.which {
			counts[d] = max(counts[d], p.at(d, i)/length+1)
		}
		most *= counts[d]
	}
	number := func(i int) int {
		n := 0
		for d, length := range shape {
			n = n*counts[d] + p.at(d, i)/length
		}
		return n
	}
	by := order.By(len(p.which), uint64(most-1), func(i int) uint64 { return uint64(number(i)) })
	inner := Points{lists: p.lists, from: make([]int64, len(shape))}
	for from := 0; from < len(by); {
		first, to := int(by[from]), from
		for n := number(first); to < len(by) && number(int(by[to])) == n; to++ {
			by[to] = p.which[by[to]]
		}
		for d, length := range shape {
			inner.from[d] = p.from[d] + int64(p.at(d, first)/length*length)
		}
		if inner.which = by[from:to:to]; !f(&inner) {
			return
		}
		from = to
	}
}

// innermost counts the inner chunks of a shape that hold points. It stops above most.
func (p *Points) innermost(shape []int, most int) int {
	n := 0
	p.each(shape, func(*Points) bool {
		n++
		return n <= most
	})
	return n
}

// bounds sets region to the smallest one that holds all points.
func (p *Points) bounds(region []codec.Range) {
	for d := range region {
		low, high := p.at(d, 0), p.at(d, 0)
		for i := range p.which {
			at := p.at(d, i)
			low, high = min(low, at), max(high, at)
		}
		region[d] = codec.Range{From: low, To: high + 1}
	}
}

// within returns the points relative to the start of a region of the box.
func (p *Points) within(region []codec.Range) *Points {
	moved := Points{p.which, p.lists, slices.Clone(p.from)}
	for d, r := range region {
		moved.from[d] += int64(r.From)
	}
	return &moved
}

// layOut sets the number of points, and their places in a result with that stride.
func (p *Points) layOut(l *Layout, stride int) {
	to := make([]int64, len(p.which))
	for i, at := range p.which {
		to[i] = int64(at)
	}
	l.Shape = append(l.Shape[:0], len(to))
	l.Out = ndarray.Layout{Strides: []int{stride}, Lists: [][]int64{to}}
}

// layIn sets the places of the points in a box with these strides.
func (p *Points) layIn(l *Layout, strides []int) {
	from := make([]int64, len(p.which))
	for i := range from {
		for d, stride := range strides {
			from[i] += int64(p.at(d, i) * stride)
		}
	}
	l.In = ndarray.Layout{Strides: []int{1}, Lists: [][]int64{from}}
}
