package grid

import "strconv"

// Regular returns the grid of v1, v2 and most v3 arrays: all chunks have the same shape, even
// beyond the array's end. A chunk length must be at least 1. It may be 0 if the dimension is 0 too,
// because such arrays exist. The error is an *Error.
func Regular(shape, chunks []int64) (*Grid, error) {
	return regular(kindRegular, shape, chunks)
}

// RegularBounded returns the grid zarrs.regular_bounded: a regular grid whose last chunks are
// stored without elements outside the array. The error is an *Error.
func RegularBounded(shape, chunks []int64) (*Grid, error) {
	g, err := regular(kindRegularBounded, shape, chunks)
	if err != nil {
		return nil, err
	}
	g.clipped = true
	return g, nil
}

func regular(kind string, shape, chunks []int64) (*Grid, error) {
	if len(shape) != len(chunks) {
		return nil, &Error{-1, "chunk shape of rank " + strconv.Itoa(len(chunks)) + " for an array of rank " + strconv.Itoa(len(shape))}
	}
	g := &Grid{kind: kind, shape: append([]int64{}, shape...), dims: make([]dimension, len(shape))}
	for i, n := range shape {
		c := chunks[i]
		if n < 0 {
			return nil, &Error{i, "negative length " + strconv.FormatInt(n, 10)}
		}
		if c < 0 || c == 0 && n > 0 {
			return nil, &Error{i, "chunk length " + strconv.FormatInt(c, 10)}
		}
		d := dimension{length: n, edge: c}
		if n > 0 {
			d.count = (n-1)/c + 1
		}
		g.dims[i] = d
	}
	return g, nil
}
