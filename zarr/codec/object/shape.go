package object

import (
	"math/bits"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Errors of documents in either format.
var (
	errShort = codec.Truncated("the document has fewer elements than the chunk")
	errLong  = codec.Corrupt("the document has more elements than the chunk")
	errForm  = codec.Corrupt("the document is not a list of elements, a type and a shape")
)

// fits checks that a shape has n elements.
func fits(shape []int, n int) error {
	total := uint64(1)
	zero := false
	for _, d := range shape {
		zero = zero || d == 0
	}
	if zero {
		total = 0
	}
	for _, d := range shape {
		hi, lo := bits.Mul64(total, uint64(d))
		if hi != 0 {
			return errLong
		}
		total = lo
	}
	switch {
	case total < uint64(n):
		return errShort
	case total > uint64(n):
		return errLong
	}
	return nil
}

// longest returns the largest number of items in the outermost list of a document of n elements. It
// includes the type, the shape, and empty rows.
func longest(shape []int, n int) int {
	if len(shape) > 0 {
		n = max(n, shape[0])
	}
	return n + 3
}

// itemsOf returns the shape of the nested lists in a document, whose outermost list has count
// items. It must fit n elements.
func itemsOf(shape []int, n, count int) ([]int, error) {
	if err := fits(shape, n); err != nil {
		return nil, err
	}
	if len(shape) == 0 {
		shape = []int{1} // one element is the list's only item
	}
	if count != shape[0] {
		return nil, errForm
	}
	return shape, nil
}
