package dispatch

import "github.com/zarr-wasm/zarr-wasm/zarr/dtype"

// What one element takes in JavaScript, about, besides its own bytes: a text or another small object with the reference
// to it, a view of bytes, and an array with memory of its own.
const (
	objectBytes = 32
	viewBytes   = 128
	arrayBytes  = 256
)

// weigh is how many bytes an element takes in JavaScript at least, about. Most types become a typed array; of the
// others each element is an object, however few bytes it has in Go.
func weigh(t *dtype.Type) int64 {
	size := int64(t.Size)
	switch t.Kind {
	case dtype.Char, dtype.Unicode, dtype.String, dtype.Object:
		return size + objectBytes
	case dtype.Bytes:
		return viewBytes
	case dtype.Ragged:
		return arrayBytes
	case dtype.MiniFloat:
		return 4
	case dtype.Complex:
		return 2 * max(weigh(t.Elem), 4)
	case dtype.Optional:
		return objectBytes + weigh(t.Elem)
	case dtype.Sub:
		n := weigh(t.Elem)
		for _, d := range t.Shape {
			n *= int64(d)
		}
		return arrayBytes + n
	case dtype.Struct:
		for _, f := range t.Fields {
			size += weigh(f.Type)
		}
	case dtype.Float:
		return max(size, 4) // float16, where there is no array of it
	}
	return max(size, 1)
}
