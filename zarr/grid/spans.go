package grid

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
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
	n := len(list)
	// Of each position its chunk, and where it is in there; and the positions, chunk by chunk.
	chunks, offsets, order := make([]int64, n), make([]int64, n), make([]int, n)
	var c, start, size int64 // the chunk of the position before, likely this one's too
	sorted := true
	for i, p := range list {
		if i == 0 || p < start || p-start >= size {
			before := c
			c, start, size = d.find(p)
			sorted = sorted && (i == 0 || c > before)
		}
		chunks[i], offsets[i], order[i] = c, p-start, i
	}
	if !sorted {
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(chunks[a], chunks[b]), cmp.Compare(a, b))
		})
	}
	touched := int64(1)
	for k := 1; k < n; k++ {
		if chunks[order[k]] != chunks[order[k-1]] {
			touched++
		}
	}
	if touched > maxSpans {
		return nil, ErrTooMany
	}
	// All lists of all spans lie in one piece of memory.
	in, out := make([]int64, n), make([]int64, n)
	for k, i := range order {
		in[k], out[k] = offsets[i], int64(i)
	}
	spans := make([]Span, 0, touched)
	for k := 0; k < n; {
		chunk, end := chunks[order[k]], k+1
		for end < n && chunks[order[end]] == chunk {
			end++
		}
		spans = append(spans, Span{chunk, even(in[k:end:end]), even(out[k:end:end])})
		k = end
	}
	return spans, nil
}
