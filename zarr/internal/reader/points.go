package reader

import (
	"context"
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// points are single elements that are wanted of a box of the array, such as a chunk.
type points struct {
	which []int32   // of all that are read: their places in the lists, and in the result
	lists [][]int64 // the coordinates in the array of all that are read
	from  []int64   // where the box begins in the array
}

// at returns the place of the i-th point in the box.
func (p *points) at(d, i int) int { return int(p.lists[d][p.which[i]] - p.from[d]) }

// ReadPoints reads single elements: coords has a list for each dimension, all
// of one length, and element i of the result is the one at coords[0][i],
// coords[1][i], and so on. Negative coordinates count from the end; coords is not changed. Each chunk
// is read once, however many points lie in it, and of shards only the inner chunks with points. There
// are no partial results. Errors are those of [Array.Read].
func (a *Array) ReadPoints(ctx context.Context, coords [][]int64, opt Options) (*Result, error) {
	lists, err := a.CheckPoints(coords)
	if err != nil {
		return nil, err
	}
	r := &read{a: a, opt: opt}
	r.opt.Partial = nil
	n := len(lists[0])
	if err := r.preparePoints(lists, n); err != nil {
		return nil, err
	}
	return r.execute(ctx, []int{n})
}

// CheckPoints returns the coordinates, none of them negative, as many in each list. The error is an *InvalidSelectionError when
// they are none of the array.
func (a *Array) CheckPoints(coords [][]int64) ([][]int64, error) {
	invalid := func(dim int, msg string) error {
		return &InvalidSelectionError{a.Path, &grid.Error{Dim: dim, Msg: msg}}
	}
	if len(coords) != len(a.Shape) || len(coords) == 0 {
		return nil, invalid(-1, "points need a list of coordinates for each dimension")
	}
	lists := slices.Clone(coords)
	n := len(coords[0])
	if n > math.MaxInt32 {
		return nil, invalid(0, "there are more points than one read can have")
	}
	for d, list := range coords {
		if len(list) != n {
			return nil, invalid(d, "the lists of coordinates are not of one length")
		}
		for i, c := range list {
			if c < -a.Shape[d] || c >= a.Shape[d] {
				return nil, invalid(d, "a coordinate is outside the array")
			}
			if c >= 0 {
				continue
			}
			if &lists[d][0] == &list[0] {
				lists[d] = slices.Clone(list) // it is the caller's
			}
			lists[d][i] += a.Shape[d]
		}
	}
	return lists, nil
}

// preparePoints groups the points by chunk and takes the memory for the result.
func (r *read) preparePoints(lists [][]int64, n int) error {
	a, rank := r.a, len(lists)
	if err := a.allows([]int{n}, "selection"); err != nil {
		return err
	}
	most := a.engine.opt.Limits.Chunks
	which := a.byChunk(lists, n)
	for from := 0; from < n; {
		if int64(len(r.pointChunks)) >= most {
			return &codec.LimitError{Limit: "Chunks", Max: most, Asked: most + 1, What: "selection"}
		}
		room := make([]int64, 2*rank)
		c := pointChunk{coords: room[:rank], points: points{lists: lists, from: room[rank:]}}
		for d, list := range lists {
			c.coords[d] = a.Grid.Find(d, list[which[from]])
			c.points.from[d] = a.Grid.Start(d, c.coords[d])
		}
		to := from + 1
		for to < n && a.holds(c.coords, lists, int(which[to])) {
			to++
		}
		c.points.which = which[from:to]
		r.pointChunks = append(r.pointChunks, c)
		from = to
	}
	r.total = len(r.pointChunks)
	if err := r.size([]int{n}); err != nil {
		return err
	}
	return r.takeOutput([]int{n})
}

// byChunk orders the points by the coordinates of their chunks.
func (a *Array) byChunk(lists [][]int64, n int) []int32 {
	which := order.By(n, 0, nil)
	for d := len(lists) - 1; d >= 0 && n > 0; d-- {
		list := lists[d]
		first, last := a.Grid.Find(d, slices.Min(list)), a.Grid.Find(d, slices.Max(list))
		if first == last {
			continue
		}
		before := which
		which = order.By(n, uint64(last-first), func(i int) uint64 { return uint64(a.Grid.Find(d, list[before[i]]) - first) })
		for k, i := range which {
			which[k] = before[i]
		}
	}
	return which
}

// holds is true where the i-th point lies in a chunk.
func (a *Array) holds(chunk []int64, lists [][]int64, i int) bool {
	for d, c := range chunk {
		if a.Grid.Find(d, lists[d][i]) != c {
			return false
		}
	}
	return true
}

// pointChunk is a chunk of the grid with the points in it.
type pointChunk struct {
	coords []int64
	points points
}

// innerPoints are the points in an inner chunk of a shard.
type innerPoints struct {
	number int
	points points
}

// split groups the points of a shard by its inner chunks.
func (p *points) split(inner, counts []int) (groups []innerPoints) {
	p.each(inner, counts, func(g innerPoints) bool {
		g.points.from = slices.Clone(g.points.from)
		groups = append(groups, g)
		return true
	})
	return groups
}

// each calls f with the points in an inner chunk of a shard, one such chunk after the other, until it returns false. Where they begin
// is then that of the next.
func (p *points) each(inner, counts []int, f func(g innerPoints) bool) {
	numberOf := func(i int) int {
		number := 0
		for d, edge := range inner {
			number = number*counts[d] + p.at(d, i)/edge
		}
		return number
	}
	all := 1
	for _, n := range counts {
		all *= n
	}
	by := order.By(len(p.which), uint64(all-1), func(i int) uint64 { return uint64(numberOf(i)) })
	g := innerPoints{points: points{lists: p.lists, from: make([]int64, len(inner))}}
	for from := 0; from < len(by); {
		first, to := int(by[from]), from
		for g.number = numberOf(first); to < len(by) && numberOf(int(by[to])) == g.number; to++ {
			by[to] = p.which[by[to]]
		}
		for d, edge := range inner {
			g.points.from[d] = p.from[d] + int64(p.at(d, first)/edge*edge)
		}
		if g.points.which = by[from:to]; !f(g) {
			return
		}
		from = to
	}
}

// innermost counts the chunks without inner chunks that hold points, up to most.
func (p *points) innermost(plan *codec.Plan, most int) int {
	c := plan.Shard()
	if c == nil {
		return 1
	}
	n := 0
	p.each(c.Inner.Array().Shape, c.Counts, func(g innerPoints) bool {
		n += g.points.innermost(c.Inner, most)
		return n <= most
	})
	return n
}

// bounds sets want to the box that holds all points.
func (p *points) bounds(want []codec.Range) {
	for d := range want {
		low, high := p.at(d, 0), p.at(d, 0)
		for i := range p.which {
			at := p.at(d, i)
			low, high = min(low, at), max(high, at)
		}
		want[d] = codec.Range{From: low, To: high + 1}
	}
}

// in returns the points as those of a box of theirs.
func (p *points) in(box []codec.Range) *points {
	moved := points{p.which, p.lists, slices.Clone(p.from)}
	for d, r := range box {
		moved.from[d] += int64(r.From)
	}
	return &moved
}
