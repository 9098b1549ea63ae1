// Package plan turns selections into touched chunks and, for each chunk, into projections. A
// projection lists the selected elements and their places in the result. Reads and writes use the
// same plans: a write takes its values from the places where a read puts its result.
//
// [New] makes a [Plan] of the axes of a selection, [NewPoints] of single elements, and [NewRegion]
// of a region of one chunk. A plan holds projections for each dimension, and no chunks:
// [Plan.Touch] makes a [Chunk] of a number. [Chunk.Split] divides the selected part of a shard by
// its inner chunks. [grid.Walk] walks over chunks without counting them first.
package plan

import (
	"errors"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// Plan holds the chunks that a selection touches, each of them once.
type Plan struct {
	dims   [][]grid.Projection // one list for each dimension; nil for points
	points []pointChunk
	total  int
}

// New plans a selection. It returns a *limits.Error if the selection touches more than most chunks,
// and a *grid.SelectionError if an axis does not fit the grid.
func New(g *grid.Grid, axes []grid.Axis, most int64) (*Plan, error) {
	p := &Plan{}
	for i := range axes {
		if axes[i].Count == 0 {
			return p, nil
		}
	}
	p.dims = make([][]grid.Projection, len(axes))
	p.total = 1
	for d, a := range axes {
		all, err := g.Projections(d, a, most/int64(p.total))
		if errors.Is(err, grid.ErrTooMany) {
			return nil, tooMany(most)
		}
		if err != nil {
			return nil, err
		}
		p.dims[d] = all
		p.total *= len(all)
	}
	return p, nil
}

// NewRegion plans a region of one chunk of the grid, which fills the result. The region may reach
// beyond the array.
func NewRegion(coords []int64, start, shape []int) *Plan {
	p := &Plan{dims: make([][]grid.Projection, len(shape)), total: 1}
	for d, n := range shape {
		count := int64(n)
		in := grid.Axis{Start: int64(start[d]), Step: 1, Count: count}
		p.dims[d] = []grid.Projection{{Chunk: coords[d], In: in, Out: grid.Axis{Step: 1, Count: count}}}
	}
	if slices.Contains(shape, 0) {
		p.total = 0
	}
	return p
}

func tooMany(most int64) error {
	return &limits.Error{Limit: "Chunks", Max: most, Asked: most + 1, What: "selection"}
}

// Total returns the number of touched chunks.
func (p *Plan) Total() int { return p.total }

// Room returns n chunks for [Plan.Touch], for an array of that rank.
func Room(n, rank int) []Chunk {
	chunks := make([]Chunk, n)
	coords, projections := make([]int64, n*rank), make([]*grid.Projection, n*rank)
	for i := range chunks {
		chunks[i].Coords = coords[i*rank : (i+1)*rank : (i+1)*rank]
		chunks[i].Projections = projections[i*rank : (i+1)*rank : (i+1)*rank]
	}
	return chunks
}

// Touch sets c to the i-th touched chunk in C order. c must come from [Room].
func (p *Plan) Touch(c *Chunk, i int) {
	if p.points != nil {
		copy(c.Coords, p.points[i].coords)
		c.Points = &p.points[i].points
		return
	}
	for d := len(p.dims) - 1; d >= 0; d-- {
		all := p.dims[d]
		c.Projections[d] = &all[i%len(all)]
		i /= len(all)
		c.Coords[d] = c.Projections[d].Chunk
	}
}

// Scattered reports whether neighbouring elements of a chunk are apart in the result, because of a
// list of positions or of points.
func (p *Plan) Scattered() bool {
	if p.points != nil {
		return true
	}
	for _, all := range p.dims {
		for i := range all {
			if all[i].Out.List != nil {
				return true
			}
		}
	}
	return false
}

// Innermost counts the touched inner chunks of that shape, in shards or nested shards. It stops
// counting above most.
func (p *Plan) Innermost(shape []int, most int) int {
	if p.points != nil {
		n := 0
		for i := range p.points {
			if n += p.points[i].points.innermost(shape, most); n > most {
				break
			}
		}
		return n
	}
	total := min(p.total, 1)
	for d, all := range p.dims {
		n := 0
		for i := range all {
			if n += int(all[i].Touched(int64(shape[d]))); n > most {
				break
			}
		}
		if total > 0 && n > most/total {
			return most + 1
		}
		total *= n
	}
	return total
}

// Once removes duplicates: if an element of a chunk appears several times in the result, only its
// last place remains. The last of several values for one element wins, as in numpy.
func (p *Plan) Once() {
	for _, all := range p.dims {
		for i := range all {
			once(&all[i])
		}
	}
	for i := range p.points {
		p.points[i].points.once()
	}
}

// once keeps the last of the equal positions in a list.
func once(p *grid.Projection) {
	list := p.In.List
	if list == nil {
		return // the positions of a range differ
	}
	by := order.By(len(list), uint64(slices.Max(list)), func(i int) uint64 { return uint64(list[i]) })
	in, out := make([]int64, 0, len(by)), make([]int64, 0, len(by))
	for k, i := range by {
		if k+1 == len(by) || list[by[k+1]] != list[i] {
			in, out = append(in, list[i]), append(out, p.Out.At(int64(i)))
		}
	}
	n := int64(len(in))
	p.In, p.Out = grid.Axis{List: in, Count: n}, grid.Axis{List: out, Count: n}
}

// First returns the number of selected elements of the first touched chunk; for points, of one
// point. The plan must touch a chunk.
func (p *Plan) First() int {
	n := 1
	for _, all := range p.dims {
		n *= int(all[0].In.Count)
	}
	return n
}
