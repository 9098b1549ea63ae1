// Package ndarray moves elements between blocks of memory: strided copies in any direction, fills
// and transposes, for elements of any size.
//
// It is independent of chunks and types. A [Block] is dense memory with an element size, and a
// [Layout] selects some of its elements. [Copy] copies a region from one block to another, and
// [Fill] fills one. Each call first checks that every element lies in its block. If not, it moves
// nothing, and returns [ErrBounds] or [ErrShape].
package ndarray

import (
	"errors"
	"math"
)

// Block is the elements of an array in C order, without gaps.
type Block struct {
	Shape []int
	// Size is the size of one element in Data, in bytes. Elements of variable length have Size 0
	// and are in Items. Fixed elements of zero bytes use neither.
	Size  int
	Data  []byte
	Items [][]byte
}

// New returns a block of zeros, or of nil items if variable. The caller has checked that the
// elements fit in memory.
func New(shape []int, size int, variable bool) Block {
	b := Block{Shape: shape}
	switch n := b.Len(); {
	case variable:
		b.Items = make([][]byte, n)
	default:
		b.Size = size
		b.Data = make([]byte, n*size)
	}
	return b
}

// Len returns the number of elements.
func (b Block) Len() int {
	n := 1
	for _, d := range b.Shape {
		n *= d
	}
	return n
}

// held returns the number of elements that the memory has room for, regardless of the shape.
func (b *Block) held() int {
	if b.Size > 0 {
		return len(b.Data) / b.Size
	}
	return len(b.Items)
}

// Layout is a view of a block's elements, with strides and offset in elements. Position (i0, i1,
// ...) of a region is the element Offset + sum(Strides[d]*i_d), or with a list
// Strides[d]*Lists[d][i_d].
type Layout struct {
	Offset  int
	Strides []int
	// Lists is nil, or has an entry for each dimension: nil, or one index for each position of the
	// region.
	Lists [][]int64
}

// Strides returns the strides of a dense block in C order, in elements.
func Strides(shape []int) []int {
	out := make([]int, len(shape))
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		out[d] = n
		n *= shape[d]
	}
	return out
}

// Errors of Copy and Fill.
var (
	// ErrBounds: a layout leaves its block.
	ErrBounds = errors.New("ndarray: the region leaves its block")
	// ErrShape: the arguments do not match. The ranks, the length of a list or the sizes of
	// elements differ, or a length is negative.
	ErrShape = errors.New("ndarray: shape, strides and elements do not match")
)

// list returns the list of dimension d, nil if there is none.
func (l *Layout) list(d int) []int64 {
	if l.Lists == nil {
		return nil
	}
	return l.Lists[d]
}

// fits reports whether the layout has the region's rank.
func (l *Layout) fits(shape []int) bool {
	if len(l.Strides) != len(shape) || l.Lists != nil && len(l.Lists) != len(shape) {
		return false
	}
	for d, list := range l.Lists {
		if list != nil && len(list) != shape[d] {
			return false
		}
	}
	return true
}

// inside reports whether a region of the shape, with no length below 1, lies within n elements.
func (l *Layout) inside(shape []int, n int) bool {
	low, high := l.Offset, l.Offset
	for d, count := range shape {
		first, last := 0, count-1
		if list := l.list(d); list != nil {
			low, high := list[0], list[0]
			for _, i := range list {
				low, high = min(low, i), max(high, i)
			}
			if first, last = int(low), int(high); int64(first) != low || int64(last) != high {
				return false
			}
		}
		a, ok1 := mul(first, l.Strides[d])
		b, ok2 := mul(last, l.Strides[d])
		var ok3, ok4 bool
		low, ok3 = add(low, min(a, b))
		high, ok4 = add(high, max(a, b))
		if !ok1 || !ok2 || !ok3 || !ok4 {
			return false
		}
	}
	return low >= 0 && high < n
}

// add and mul report false on overflow.
func add(a, b int) (int, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func mul(a, b int) (int, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a && !(a == -1 && b == math.MinInt) && !(b == -1 && a == math.MinInt)
}
