// Package boxshape chooses the shapes of boxes in which arrays are copied.
package boxshape

import "math"

// Grow returns the shape of boxes of whole chunks, of about most elements unless a chunk is larger.
// A box grows first where it is shortest relative to the other boxes. These are read or
// written in part for every box that touches them. After it has reached their lengths, it grows in
// C order to about enough elements.
func Grow(chunk, other, shape []int64, most, enough int64) []int64 {
	box := make([]int64, len(chunk))
	for d := range box {
		box[d] = max(1, chunk[d])
	}
	count := func() float64 {
		n := 1.0
		for d := range box {
			n *= float64(min(box[d], max(1, shape[d])))
		}
		return n
	}
	// grow multiplies the length of a dimension, limited by memory. It returns false if it cannot
	// grow.
	grow := func(d int, times int64) bool {
		times = min(times, (max(1, shape[d])-1)/box[d]+1, int64(float64(most)/min(count(), float64(most)+1)))
		if times < 2 {
			return false
		}
		box[d] *= times
		return true
	}
	full := make([]bool, len(box))
	for {
		shortest := -1
		for d := range box {
			if full[d] || box[d] >= min(other[d], shape[d]) {
				continue
			}
			if shortest < 0 || float64(box[d])*float64(other[shortest]) < float64(box[shortest])*float64(other[d]) {
				shortest = d
			}
		}
		if shortest < 0 {
			break
		}
		full[shortest] = !grow(shortest, 2)
	}
	most = min(most, enough)
	for d := len(box) - 1; d >= 0; d-- {
		grow(d, math.MaxInt64)
		if box[d] < shape[d] {
			break
		}
	}
	return box
}
