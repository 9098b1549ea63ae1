package grid

import (
	"errors"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/order"
)

// ErrTooMany reports that a selection touches more chunks than allowed.
var ErrTooMany = errors.New("the selection touches too many chunks")

// Projection is one dimension of a selection within one chunk, with its place in the result. The
// k-th position of In, in the chunk, goes to the k-th position of Out, in the result.
type Projection struct {
	// Chunk is the chunk's coordinate in this dimension.
	Chunk int64
	// In are the positions within the chunk, Out those along the result's axis.
	// Their counts are equal. Drop is false in both.
	In, Out Axis
}

// Projections splits the selection of dimension dim by the chunks it touches, each of them once. A
// range keeps the order of the selection, and a list has the order of chunks. The work is
// proportional to the touched chunks and listed positions, however far apart they are. It returns
// ErrTooMany if there are more than limit. It returns a *SelectionError if the axis does not fit
// the dimension; an axis from [Resolve] for the grid's shape does fit.
func (g *Grid) Projections(dim int, a Axis, limit int64) ([]Projection, error) {
	if dim < 0 || dim >= len(g.dims) {
		return nil, &SelectionError{dim, "there are " + strconv.Itoa(len(g.dims)) + " dimensions"}
	}
	d := &g.dims[dim]
	if err := a.check(d.length); err != nil {
		err.Dim = dim
		return nil, err
	}
	if a.Count == 0 {
		return nil, nil
	}
	if a.List != nil {
		return d.projectList(a.List, limit)
	}
	return d.projectRange(a, limit)
}

// check ensures that all positions are in a dimension of length n.
func (a Axis) check(n int64) *SelectionError {
	bad := &SelectionError{-1, "positions out of bounds for length " + strconv.FormatInt(n, 10)}
	if a.List != nil {
		if int64(len(a.List)) != a.Count {
			return bad
		}
		for _, p := range a.List {
			if p < 0 || p >= n {
				return bad
			}
		}
		return nil
	}
	if a.Count == 0 {
		return nil
	}
	if a.Count < 0 || a.Start < 0 || a.Start >= n {
		return bad
	}
	if a.Count == 1 {
		return nil
	}
	room := uint64(n - 1 - a.Start)
	if a.Step < 0 {
		room = uint64(a.Start)
	}
	if step := magnitude(a.Step); step != 0 && uint64(a.Count-1) > room/step {
		return bad
	}
	return nil
}

func (d *dimension) projectRange(a Axis, limit int64) ([]Projection, error) {
	n := d.touched(a)
	if n > limit {
		return nil, ErrTooMany
	}
	projections := make([]Projection, 0, max(0, n))
	for i := int64(0); i < a.Count; i += projections[len(projections)-1].In.Count {
		projections = append(projections, d.projection(a, i))
	}
	return projections, nil
}

// projection returns the projection of a range from its i-th position on.
func (d *dimension) projection(a Axis, i int64) Projection {
	p := a.Start + i*a.Step
	c, start, size := d.find(p)
	left := size - 1 - (p - start)
	if a.Step < 0 {
		left = p - start
	}
	n := min(a.Count-i, a.room(left))
	in := Axis{Start: p - start, Step: a.Step, Count: n}
	if n == 1 {
		in.Step = 1
	}
	return Projection{Chunk: c, In: in, Out: Axis{Start: i, Step: 1, Count: n}}
}

func (d *dimension) projectList(list []int64, limit int64) ([]Projection, error) {
	if len(list) > math.MaxInt32 {
		return nil, &SelectionError{-1, "a list of " + strconv.Itoa(len(list)) + " positions"}
	}
	var c, start, size int64 // the chunk of the position before, likely this one's too
	find := func(p int64) int64 {
		if p < start || p-start >= size {
			c, start, size = d.find(p)
		}
		return c
	}
	least, most := find(list[0]), c
	sorted, touched := true, int64(1)
	for _, p := range list {
		if before := c; find(p) != before {
			sorted = sorted && c > before
			least, most = min(least, c), max(most, c)
			touched++
		}
	}
	var by []int32 // the positions, chunk by chunk; nil if they are already in that order
	if !sorted {
		by = order.By(len(list), uint64(most-least), func(i int) uint64 { return uint64(find(list[i]) - least) })
		find(list[by[0]])
		touched = 1
		for _, i := range by {
			if before := c; find(list[i]) != before {
				touched++
			}
		}
	}
	if touched > limit {
		return nil, ErrTooMany
	}
	// All lists of all projections share one piece of memory.
	n := len(list)
	in, out := make([]int64, n), make([]int64, len(by))
	projections := make([]Projection, 0, touched)
	for k, i := range by {
		in[k], out[k] = list[i], int64(i)
	}
	if by == nil {
		copy(in, list)
	}
	for from := 0; from < n; {
		chunk, to := find(in[from]), from
		for ; to < n && find(in[to]) == chunk; to++ {
			in[to] -= start
		}
		p := Projection{Chunk: chunk, In: even(in[from:to:to])}
		if p.Out = (Axis{Start: int64(from), Step: 1, Count: int64(to - from)}); by != nil {
			p.Out = even(out[from:to:to])
		}
		projections = append(projections, p)
		from = to
	}
	return projections, nil
}

// Split divides a projection by the inner chunks of its chunk, which have that length. It returns
// one projection for each touched inner chunk; In then has positions within that.
func (p *Projection) Split(length int64) []Projection {
	d := dimension{edge: length, length: math.MaxInt64}
	var all []Projection
	if p.In.List == nil {
		all, _ = d.projectRange(p.In, math.MaxInt64)
	} else {
		all, _ = d.projectList(p.In.List, math.MaxInt64)
	}
	for i := range all {
		out := &all[i].Out
		if p.Out.List == nil && out.List == nil {
			out.Start = p.Out.At(out.Start)
			out.Step *= p.Out.Step
			continue
		}
		list := make([]int64, out.Count)
		for k := range list {
			list[k] = p.Out.At(out.At(int64(k)))
		}
		*out = Axis{Count: out.Count, List: list}
	}
	return all
}

// Touched returns the number of projections that [Projection.Split] returns.
func (p *Projection) Touched(length int64) int64 {
	if p.In.List != nil {
		return int64(len(p.Split(length)))
	}
	d := dimension{edge: length, length: math.MaxInt64}
	return d.touched(p.In)
}
