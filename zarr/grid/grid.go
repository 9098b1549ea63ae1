// Package grid is the integer side of reading an array. It computes a grid's chunks and their keys,
// the elements of a selection, and their positions in the chunks. It touches no bytes and does no
// I/O.
//
// [Regular], [Rectilinear] and [RegularBounded] make a [Grid]. A selection is a list of [Item].
// [Resolve] converts it to one [Axis] for each dimension, and resolves negative indices and open
// ends. [Grid.Projections] splits an axis by chunks. Dimensions are independent of each other: the
// chunks that a selection touches are the Cartesian product of the projections of its dimensions.
//
// All numbers are int64. Every sum and product that could overflow is checked or avoided, because
// shapes come from metadata that anyone may have written.
package grid

import (
	"math/bits"
	"strconv"
)

// Grid is the division of an array into chunks. It is immutable, and safe for concurrent use.
type Grid struct {
	kind  string
	shape []int64
	dims  []dimension
	// clipped means that the last chunk of a dimension is stored without elements outside the
	// array.
	clipped bool
}

// dimension is the division of one dimension.
type dimension struct {
	length int64 // of the array
	count  int64 // of chunks
	edge   int64 // the regular chunk length, or the largest edge
	// The edges of a rectilinear dimension, nil for a regular one; declared also includes the edges
	// beyond its end.
	runs     []placed
	declared []Run
}

// The names of the grids in metadata.
const (
	kindRegular        = "regular"
	kindRectilinear    = "rectilinear"
	kindRegularBounded = "zarrs.regular_bounded"
)

// Error reports that a grid is invalid, or that a chunk is not in it.
type Error struct {
	Dim int // the dimension, -1 for all
	Msg string
}

func (e *Error) Error() string {
	if e.Dim < 0 {
		return "chunk grid: " + e.Msg
	}
	return "chunk grid: dimension " + strconv.Itoa(e.Dim) + ": " + e.Msg
}

// Kind returns the grid's name in v3 metadata: "regular", "rectilinear" or "zarrs.regular_bounded".
func (g *Grid) Kind() string { return g.kind }

// Rank returns the number of dimensions.
func (g *Grid) Rank() int { return len(g.dims) }

// Shape returns a copy of the array's shape.
func (g *Grid) Shape() []int64 { return append([]int64{}, g.shape...) }

// Counts returns the number of chunks in each dimension. A chunk counts if it contains at least one
// element of the array; a rectilinear grid may list more.
func (g *Grid) Counts() []int64 {
	out := make([]int64, len(g.dims))
	for i := range g.dims {
		out[i] = g.dims[i].count
	}
	return out
}

// Total returns the number of chunks. It reports false if the number overflows an int64. An array
// of rank 0 has one chunk.
func (g *Grid) Total() (int64, bool) {
	total, fits := uint64(1), true
	for i := range g.dims {
		n := uint64(g.dims[i].count)
		if n == 0 {
			return 0, true
		}
		hi, lo := bits.Mul64(total, n)
		if hi != 0 || lo > maxInt64 {
			// A later dimension may still have no chunks at all.
			fits, lo = false, 1
		}
		total = lo
	}
	if !fits {
		return 0, false
	}
	return int64(total), true
}

const maxInt64 = 1<<63 - 1

// ChunkShapes returns the declared shape of chunks: the chunk shape of a regular grid, the largest
// edge of each dimension of a rectilinear one.
func (g *Grid) ChunkShapes() []int64 {
	out := make([]int64, len(g.dims))
	for i := range g.dims {
		out[i] = g.dims[i].edge
	}
	return out
}

// Uniform reports whether every chunk is stored with the shape [Grid.ChunkShapes].
func (g *Grid) Uniform() bool {
	for i := range g.dims {
		d := &g.dims[i]
		if g.clipped && d.length > 0 && d.length%d.edge != 0 {
			return false
		}
		for _, r := range d.runs {
			if r.size != d.edge {
				return false
			}
		}
	}
	return true
}

// ChunkShape returns the stored shape of the chunk at coords. It includes elements beyond the
// array's end, except in a bounded grid. It returns an *Error if there is no such chunk.
func (g *Grid) ChunkShape(coords []int64) ([]int64, error) {
	if len(coords) != len(g.dims) {
		return nil, &Error{-1, strconv.Itoa(len(coords)) + " chunk coordinates for " + strconv.Itoa(len(g.dims)) + " dimensions"}
	}
	out := make([]int64, len(coords))
	for i, c := range coords {
		d := &g.dims[i]
		if c < 0 || c >= d.count {
			return nil, &Error{i, "chunk " + strconv.FormatInt(c, 10) + " of " + strconv.FormatInt(d.count, 10)}
		}
		start, size := d.chunk(c)
		if g.clipped && size > d.length-start {
			size = d.length - start
		}
		out[i] = size
	}
	return out, nil
}

// chunk returns the start and length of chunk c, which must be below count.
func (d *dimension) chunk(c int64) (start, size int64) {
	if d.runs == nil {
		return c * d.edge, d.edge
	}
	return chunkInRuns(d.runs, c)
}

// find returns the chunk that contains position p, its start and its length. The position must be
// in the array.
func (d *dimension) find(p int64) (c, start, size int64) {
	if d.runs == nil {
		c = p / d.edge
		return c, c * d.edge, d.edge
	}
	return findInRuns(d.runs, p)
}
