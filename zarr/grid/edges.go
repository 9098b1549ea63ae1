package grid

import (
	"slices"
	"strconv"
)

// Edges are the chunks of one dimension of a rectilinear grid, as runs of
// chunks of one length, without those beyond the array's end. For a grid whose
// chunks are as long as each other by its nature they are nil.
func (g *Grid) Edges(dim int) []Run {
	d := &g.dims[dim]
	if d.runs == nil {
		return nil
	}
	out := make([]Run, len(d.runs))
	for i, r := range d.runs {
		end := d.count
		if i+1 < len(d.runs) {
			end = d.runs[i+1].first
		}
		out[i] = Run{r.size, end - r.first}
	}
	return out
}

// Declared are the edges of one dimension as [Rectilinear] was given them, nil
// for a grid of another kind.
func (g *Grid) Declared(dim int) []Run { return slices.Clone(g.dims[dim].declared) }

// Find is the chunk of one dimension that a position of the array lies in.
func (g *Grid) Find(dim int, position int64) int64 {
	c, _, _ := g.dims[dim].find(position)
	return c
}

// Start is where a chunk of one dimension begins in the array.
func (g *Grid) Start(dim int, chunk int64) int64 {
	start, _ := g.dims[dim].chunk(chunk)
	return start
}

// Resize returns the grid of the array with another shape: chunks keep their
// places and lengths. Where the edges of a rectilinear grid end before the
// array, one more chunk holds the rest, as in zarr-python; inner, where it is
// not nil, are lengths that divide those of chunks, and this one's too. It
// returns an *Error.
func (g *Grid) Resize(shape, inner []int64) (*Grid, error) {
	if len(shape) != len(g.dims) {
		return nil, &Error{-1, "a shape of rank " + strconv.Itoa(len(shape)) + " for an array of rank " + strconv.Itoa(len(g.dims))}
	}
	switch g.kind {
	case kindRegular:
		return Regular(shape, g.ChunkShapes())
	case kindRegularBounded:
		return RegularBounded(shape, g.ChunkShapes())
	}
	edges := make([][]Run, len(shape))
	for i, n := range shape {
		step := int64(1)
		if inner != nil {
			step = inner[i]
		}
		edges[i] = grown(g.dims[i].declared, n, step)
	}
	return Rectilinear(shape, edges)
}

// grown are edges that cover n elements: where they do not, with one more
// chunk, whose length is a multiple of step.
func grown(edges []Run, n, step int64) []Run {
	for _, r := range edges {
		if r.Count == 0 || r.Count > (n-1)/r.Size {
			return edges
		}
		n -= r.Size * r.Count
	}
	if n <= 0 {
		return edges
	}
	if over := n % step; over > 0 {
		n += step - over // one too large for an int64 is refused as a length
	}
	edges = slices.Clone(edges)
	if last := len(edges) - 1; last >= 0 && edges[last].Size == n {
		edges[last].Count++
		return edges
	}
	return append(edges, Run{n, 1})
}
