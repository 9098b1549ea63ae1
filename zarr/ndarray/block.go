// Package ndarray moves elements between blocks of memory: strided copies in
// any direction, fills and transposes, for elements of any size.
//
// It knows nothing of chunks or types: a [Block] is dense memory and a size of
// element, a [Layout] says which of its elements are meant.
package ndarray

// Block is the elements of an array in C order, without gaps.
type Block struct {
	Shape []int
	// Size is the bytes of one element in Data; elements of variable length
	// have Size 0 and stand in Items. Fixed elements of zero bytes have neither.
	Size  int
	Data  []byte
	Items [][]byte
}

// Len is the number of elements.
func (b Block) Len() int {
	n := 1
	for _, d := range b.Shape {
		n *= d
	}
	return n
}
