package grid

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
