package grid

import (
	"slices"
	"strconv"
)

// Edges returns the chunks of one dimension of a rectilinear grid, as runs of chunks of one length,
// without those beyond the array's end. For a grid with equal chunks by definition it returns nil.
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

// Declared returns the edges of one dimension that [Rectilinear] received, nil for a grid of
// another kind.
func (g *Grid) Declared(dim int) []Run { return slices.Clone(g.dims[dim].declared) }

// Find returns the chunk of one dimension that contains a position of the array.
func (g *Grid) Find(dim int, position int64) int64 {
	c, _, _ := g.dims[dim].find(position)
	return c
}

// Start returns the start of a chunk of one dimension in the array.
func (g *Grid) Start(dim int, chunk int64) int64 {
	start, _ := g.dims[dim].chunk(chunk)
	return start
}

// Resize returns the grid of the array with another shape. Chunks keep their places and lengths. If
// the edges of a rectilinear grid end before the array, one more chunk holds the rest, as in
// zarr-python. If inner is not nil, its lengths divide those of chunks, including the new one. The
// error is an *Error.
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

// grown returns edges that cover n elements. If they are too short, it adds one more chunk, whose
// length is a multiple of step.
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
		n += step - over // an overflow of int64 is rejected as a length
	}
	edges = slices.Clone(edges)
	if last := len(edges) - 1; last >= 0 && edges[last].Size == n {
		edges[last].Count++
		return edges
	}
	return append(edges, Run{n, 1})
}
