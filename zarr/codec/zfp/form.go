package zfp

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// scalar is a type that zfp knows, as its header numbers them.
type scalar uint8

const (
	int32s scalar = iota
	int64s
	float32s
	float64s
)

func (s scalar) float() bool { return s >= float32s }

// size is the bytes of one.
func (s scalar) size() int {
	if s&1 == 0 {
		return 4
	}
	return 8
}

// exponent is the bits that a floating-point exponent has.
func (s scalar) exponent() int {
	if s == float32s {
		return 8
	}
	return 11
}

func (s scalar) String() string {
	switch s {
	case int32s:
		return "int32"
	case int64s:
		return "int64"
	case float32s:
		return "float32"
	}
	return "float64"
}

// form is how elements of a data type stand in a field.
type form struct {
	scalar scalar
	size   int // bytes of an element
	// demote makes an element's bits of a value, which is given as the integer or
	// as the bits of the floating-point number; nil: they are the same.
	demote func(v int64) uint64
}

// formOf is the form of a data type, if it has one.
func formOf(t *dtype.Type) (form, bool) {
	f := form{size: t.Size}
	bits := t.Size * 8
	if t.Bits != 0 {
		bits = t.Bits
	}
	switch t.Kind {
	case dtype.DateTime, dtype.TimeDelta:
		f.scalar = int64s
	case dtype.Int:
		f.scalar = integer(bits)
		if bits < 32 {
			low, high := -int64(1)<<(bits-1), int64(1)<<(bits-1)-1
			f.demote = func(v int64) uint64 { return uint64(min(max(v>>(31-bits), low), high)) }
		}
	case dtype.Uint:
		f.scalar = integer(bits)
		if bits < 32 {
			middle, high := int64(1)<<(bits-1), int64(1)<<bits-1
			f.demote = func(v int64) uint64 { return uint64(min(max(v>>(31-bits)+middle, 0), high)) }
		} else {
			f.demote = func(v int64) uint64 { return uint64(max(v, 0)) }
		}
	case dtype.Float, dtype.MiniFloat:
		switch f.scalar = float32s; {
		case t.Size == 8:
			f.scalar = float64s
		case t.Size < 4:
			f.demote = func(v int64) uint64 { return t.FloatBits(float64(math.Float32frombits(uint32(v)))) }
		}
	default:
		return f, false
	}
	return f, true
}

func integer(bits int) scalar {
	if bits == 64 {
		return int64s
	}
	return int32s
}

// decode decodes a field into dst, which has room for exactly its elements.
func (f form) decode(r *bitio.Reader, shape field, p params, dst []byte) error {
	if f.scalar.size() == 4 {
		return decode[int32](r, f, shape, p, dst)
	}
	return decode[int64](r, f, shape, p, dst)
}
