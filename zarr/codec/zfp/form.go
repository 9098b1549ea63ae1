package zfp

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// scalar is a type of zfp, numbered as in its header.
type scalar uint8

const (
	int32s scalar = iota
	int64s
	float32s
	float64s
)

func (s scalar) float() bool { return s >= float32s }

// size returns its size in bytes.
func (s scalar) size() int {
	if s&1 == 0 {
		return 4
	}
	return 8
}

// exponent returns the number of bits of a floating-point exponent.
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

// form describes how a field stores elements of a data type.
type form struct {
	scalar scalar
	size   int // bytes of an element
	// demote converts a value to an element's bits. The value is the integer, or the bits of the
	// floating-point number. If nil, both are the same.
	demote func(v int64) uint64
}

// formOf returns the form of a data type, if it has one.
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
