package rechunk

import (
	"sort"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// cuts divides a dimension into boxes: of one length, or at edges.
type cuts struct {
	length, step int64
	edges        []int64 // with both ends, or nil
}

// cutsOf returns the boxes of at most step elements, or of one chunk, that end at ends of chunks.
func cutsOf(g *grid.Grid, dim int, step, length int64) cuts {
	c := cuts{length: length, step: max(1, step)}
	runs := g.Edges(dim)
	if runs == nil || length == 0 {
		return c
	}
	c.edges = []int64{0}
	at := int64(0)
	for _, r := range runs {
		for range r.Count {
			end := min(at+r.Size, length)
			last := c.edges[len(c.edges)-1]
			if end-last > step && at > last {
				c.edges = append(c.edges, at)
			}
			at = end
		}
	}
	if c.edges[len(c.edges)-1] < length {
		c.edges = append(c.edges, length)
	}
	return c
}

// count returns the number of boxes.
func (c cuts) count() int64 {
	if c.edges != nil {
		return int64(len(c.edges) - 1)
	}
	return (c.length + c.step - 1) / c.step
}

// at returns the ends of a box.
func (c cuts) at(i int64) (lo, hi int64) {
	if c.edges != nil {
		return c.edges[i], c.edges[i+1]
	}
	return i * c.step, min((i+1)*c.step, c.length)
}

// next returns the first end of a box after a position.
func (c cuts) next(position int64) int64 {
	if c.edges != nil {
		return c.edges[sort.Search(len(c.edges), func(i int) bool { return c.edges[i] > position })]
	}
	return min((position/c.step+1)*c.step, c.length)
}

// merged returns the lengths between the ends of the boxes of either.
func merged(a, b cuts) (runs []grid.Run) {
	for at := int64(0); at < a.length; {
		end := min(a.next(at), b.next(at))
		if n := len(runs) - 1; n >= 0 && runs[n].Size == end-at {
			runs[n].Count++
		} else {
			runs = append(runs, grid.Run{Size: end - at, Count: 1})
		}
		at = end
	}
	if runs == nil {
		runs = []grid.Run{{Size: 1, Count: 1}}
	}
	return runs
}
