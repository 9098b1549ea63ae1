package zfp

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

const maxRank = 4

// field is the shape of the coded array, the fastest dimension first. Missing dimensions have
// length 1.
type field struct {
	rank int
	n    [maxRank]int64
}

// fieldOf returns an array's field; an array without dimensions has a field of one.
func fieldOf(shape []int) field {
	f := field{rank: max(1, min(len(shape), maxRank)), n: [maxRank]int64{1, 1, 1, 1}}
	for i, d := range shape {
		if k := len(shape) - 1 - i; k < maxRank {
			f.n[k] = int64(d)
		}
	}
	return f
}

// len returns the number of values. The lengths of a header have 48 bits together.
func (f field) len() int64 { return f.n[0] * f.n[1] * f.n[2] * f.n[3] }

// holds compares the number of values with the array's. Their shapes may differ: writers also
// flatten arrays.
func (f field) holds(n int64) error {
	switch {
	case f.len() < n:
		return codec.Truncated("the header has fewer elements than the chunk")
	case f.len() > n:
		return codec.Corrupt("the header has more elements than the chunk")
	}
	return nil
}
