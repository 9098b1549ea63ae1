package grid

import (
	"slices"
	"strconv"
)

// Run is Count consecutive chunks of Size elements each in one dimension. A Run without a Count is
// alone in its dimension, and repeats as often as the dimension's length requires. It corresponds
// to a bare integer in a rectilinear grid's chunk_shapes.
type Run struct{ Size, Count int64 }

// Rectilinear returns the grid with these chunk edges, one list for each dimension. A list must
// cover its dimension, and may extend beyond it. The chunk at the array's end is stored whole. The
// error is an *Error.
func Rectilinear(shape []int64, edges [][]Run) (*Grid, error) {
	if len(shape) != len(edges) {
		return nil, &Error{-1, "edges of " + strconv.Itoa(len(edges)) + " dimensions for an array of rank " + strconv.Itoa(len(shape))}
	}
	g := &Grid{kind: kindRectilinear, shape: append([]int64{}, shape...), dims: make([]dimension, len(shape))}
	for i, n := range shape {
		if n < 0 {
			return nil, &Error{i, "negative length " + strconv.FormatInt(n, 10)}
		}
		d, err := place(i, n, edges[i])
		if err != nil {
			return nil, err
		}
		g.dims[i] = d
	}
	return g, nil
}

// placed is a run with its place: chunks from first on, from position start.
type placed struct{ start, size, first int64 }

// place lays the runs out over a dimension. It never computes the end of the last run, which may
// overflow int64.
func place(dim int, length int64, edges []Run) (dimension, error) {
	d := dimension{length: length, runs: []placed{}, declared: slices.Clone(edges)}
	var at int64 // elements covered, at most length
	for _, r := range edges {
		repeats := r.Count == 0 && len(edges) == 1
		if r.Size < 1 || r.Count < 1 && !repeats {
			return d, &Error{dim, strconv.FormatInt(r.Count, 10) + " chunks of length " + strconv.FormatInt(r.Size, 10)}
		}
		if at == length {
			continue
		}
		if last := len(d.runs) - 1; last < 0 || d.runs[last].size != r.Size {
			d.runs = append(d.runs, placed{at, r.Size, d.count})
		}
		d.edge = max(d.edge, r.Size)
		need := (length-at-1)/r.Size + 1
		if r.Count >= need || repeats {
			d.count += need
			at = length
			continue
		}
		d.count += r.Count
		at += r.Size * r.Count // less than length
	}
	if at < length {
		return d, &Error{dim, "the chunks cover " + strconv.FormatInt(at, 10) + " of " + strconv.FormatInt(length, 10) + " elements"}
	}
	if length == 0 && len(edges) > 0 {
		// No chunk holds an element, but ChunkShapes still returns the declared size.
		for _, r := range edges {
			d.edge = max(d.edge, r.Size)
		}
	}
	return d, nil
}

func chunkInRuns(runs []placed, c int64) (start, size int64) {
	i, ok := slices.BinarySearchFunc(runs, c, func(r placed, c int64) int { return compare(r.first, c) })
	if !ok {
		i--
	}
	r := runs[i]
	return r.start + (c-r.first)*r.size, r.size
}

// runAt returns the run that contains position p.
func runAt(runs []placed, p int64) int {
	i, ok := slices.BinarySearchFunc(runs, p, func(r placed, p int64) int { return compare(r.start, p) })
	if !ok {
		i--
	}
	return i
}

func findInRuns(runs []placed, p int64) (c, start, size int64) {
	r := runs[runAt(runs, p)]
	k := (p - r.start) / r.size
	return r.first + k, r.start + k*r.size, r.size
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
