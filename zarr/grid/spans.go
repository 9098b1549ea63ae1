package grid

import (
	"errors"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/order"
)

// ErrTooMany says that a selection touches more chunks than allowed.
var ErrTooMany = errors.New("the selection touches too many chunks")

// Span is what one dimension of a selection has to do with one chunk: the k-th
// position In of the chunk goes to the k-th position Out of the result.
type Span struct {
	// Chunk is the chunk's coordinate in this dimension.
	Chunk int64
	// In are the positions within the chunk, Out those along the result's axis.
	// Their counts are equal. Drop is false in both.
	In, Out Axis
}

// Spans splits the selection of dimension dim by the chunks it touches, each of
// them once: in the order of the selection for a range, in the order of chunks for a list. The
// work is in proportion to the touched chunks and listed positions, however far apart they are.
// It returns ErrTooMany when there are more than maxSpans, and a *SelectionError when the
// axis does not fit the dimension (those of [Resolve] for the grid's shape do).
func (g *Grid) Spans(dim int, a Axis, maxSpans int64) ([]Span, error) {
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
		return d.spansOfList(a.List, maxSpans)
	}
	return d.spansOfRange(a, maxSpans)
}

// check makes sure that all positions are in a dimension of length n.
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

func (d *dimension) spansOfRange(a Axis, maxSpans int64) ([]Span, error) {
	n := d.touched(a)
	if n > maxSpans {
		return nil, ErrTooMany
	}
	spans := make([]Span, 0, max(0, n))
	for i := int64(0); i < a.Count; i += spans[len(spans)-1].In.Count {
		spans = append(spans, d.span(a, i))
	}
	return spans, nil
}

// span is the span of a range from its i-th position on.
func (d *dimension) span(a Axis, i int64) Span {
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
	return Span{Chunk: c, In: in, Out: Axis{Start: i, Step: 1, Count: n}}
}

func (d *dimension) spansOfList(list []int64, maxSpans int64) ([]Span, error) {
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
	var by []int32 // the positions, chunk by chunk; none where they are in that order
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
	if touched > maxSpans {
		return nil, ErrTooMany
	}
	// All lists of all spans lie in one piece of memory.
	n := len(list)
	in, out := make([]int64, n), make([]int64, len(by))
	spans := make([]Span, 0, touched)
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
		span := Span{Chunk: chunk, In: even(in[from:to:to])}
		if span.Out = (Axis{Start: int64(from), Step: 1, Count: int64(to - from)}); by != nil {
			span.Out = even(out[from:to:to])
		}
		spans = append(spans, span)
		from = to
	}
	return spans, nil
}
