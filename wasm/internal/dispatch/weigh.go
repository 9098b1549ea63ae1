package dispatch

import "github.com/zarr-wasm/zarr-wasm/zarr/dtype"

// The approximate bytes that an element takes in JavaScript beyond its own. The constants are for a
// string or other small object with its reference, a view of bytes, and an array with its own
// memory.
const (
	objectBytes = 32
	viewBytes   = 128
	arrayBytes  = 256
)

// weigh returns the least bytes that an element takes in JavaScript. Most types become a typed
// array. For others each element is an object, however small it is in Go.
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
		return max(size, 4) // float16 without a Float16Array
	}
	return max(size, 1)
}
