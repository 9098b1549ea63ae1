package zarr

import (
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Elements is a value to write that need not be in memory as a whole: a write fetches the elements
// of each chunk. They have a fixed size, and are packed and little-endian.
type Elements struct {
	Shape []int
	// Bytes is the total size in bytes.
	Bytes int
	// Gather copies the elements of a region to dst, one after the other. The layout has no lists.
	// Its offset and strides, which may be 0 or negative, count elements of the given size. Several
	// goroutines call it.
	Gather func(dst []byte, size int, from ndarray.Layout, shape []int) error
}

// List is a value of one dimension without a shape of its own, like a slice. It takes the shape of
// a selection with as many elements. Elements is an [ndarray.Block] or [*Elements].
type List struct{ Elements any }

// blockOf returns the block of the elements without its data.
func (e *Elements) blockOf(t *dtype.Type) (ndarray.Block, error) {
	b := ndarray.Block{Shape: e.Shape, Size: t.Size}
	n := 1
	for _, length := range e.Shape {
		if length < 0 || length > 0 && n > math.MaxInt/length {
			return b, invalidValue("elements of an invalid shape")
		}
		n *= length
	}
	if t.Variable() || t.Size > 0 && (n > math.MaxInt/t.Size || e.Bytes != n*t.Size) {
		return b, invalidValue(strconv.Itoa(e.Bytes) + " bytes for " + strconv.Itoa(n) + " elements of " + t.Name)
	}
	return b, nil
}

// gathered returns the block with its data.
func (e *Elements) gathered(b ndarray.Block) (ndarray.Block, error) {
	b.Data = make([]byte, e.Bytes)
	return b, e.Gather(b.Data, b.Size, ndarray.Layout{Strides: ndarray.Strides(b.Shape)}, b.Shape)
}
