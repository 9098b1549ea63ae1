package ndarray

import (
	"math"

	"zarr-wasm/zarr/dtype"
)

// Domain is the set in which a type's numbers are computed with: exactly, and
// in one of three ways instead of one for each pair of types.
type Domain uint8

// The domains. Signed holds all signed integers and bool, Unsigned all unsigned
// ones, Real all floating-point types.
const (
	NoNumber Domain = iota
	Signed
	Unsigned
	Real
)

// DomainOf returns the domain of a type's elements, NoNumber if they are not
// numbers.
func DomainOf(t *dtype.Type) Domain {
	switch t.Kind {
	case dtype.Int, dtype.DateTime, dtype.TimeDelta:
		return Signed
	case dtype.Bool, dtype.Uint:
		return Unsigned
	case dtype.Float, dtype.MiniFloat:
		return Real
	}
	return NoNumber
}

// Number is a number of any domain: a Signed or Unsigned one as its 64 bits, a
// Real one as the bits of its binary64.
type Number uint64

// Float is the number of a Real domain.
func (n Number) Float() float64 { return math.Float64frombits(uint64(n)) }

// FloatNumber makes a Real number.
func FloatNumber(f float64) Number { return Number(math.Float64bits(f)) }

// Load reads the i-th packed little-endian element of a numeric type.
func Load(data []byte, i int, t *dtype.Type) Number {
	var bits uint64
	b := data[i*t.Size : (i+1)*t.Size]
	for k, c := range b {
		bits |= uint64(c) << (8 * k)
	}
	switch DomainOf(t) {
	case Signed:
		width := t.Size * 8
		if t.Bits != 0 {
			width = t.Bits
		}
		return Number(uint64(int64(bits<<(64-width)) >> (64 - width)))
	case Unsigned:
		if t.Bits != 0 {
			bits &= 1<<t.Bits - 1
		}
		return Number(bits)
	}
	switch {
	case t.Kind == dtype.Float && t.Size == 8:
		return Number(bits)
	case t.Kind == dtype.Float && t.Size == 4:
		return FloatNumber(float64(math.Float32frombits(uint32(bits))))
	}
	return FloatNumber(t.Float64(bits))
}

// Store writes a number of the type's own domain as its i-th element, keeping the low bits
// of integers and rounding floating-point numbers half to even.
func Store(data []byte, i int, t *dtype.Type, n Number) {
	bits := uint64(n)
	if DomainOf(t) == Real {
		switch {
		case t.Kind == dtype.Float && t.Size == 8:
		case t.Kind == dtype.Float && t.Size == 4:
			bits = uint64(math.Float32bits(float32(n.Float())))
		default:
			bits = t.FloatBits(n.Float())
		}
	}
	b := data[i*t.Size : (i+1)*t.Size]
	for k := range b {
		b[k] = byte(bits >> (8 * k))
	}
}

// Convert brings a number of one domain into another as a C cast does: real to
// integer by truncation (NaN and what does not fit become the integer's
// smallest value, as on x86), integer to integer by its bits.
func Convert(n Number, from, to Domain) Number {
	switch {
	case from == to || from != Real && to != Real:
		return n
	case to == Real && from == Signed:
		return FloatNumber(float64(int64(n)))
	case to == Real:
		return FloatNumber(float64(uint64(n)))
	}
	f := math.Trunc(n.Float())
	switch {
	case f >= -1<<63 && f < 1<<63:
		return Number(uint64(int64(f)))
	case to == Unsigned && f >= 1<<63 && f < 1<<64:
		return Number(uint64(f))
	}
	return 1 << 63
}

// Cast converts packed elements as numpy's astype does: dst and src hold as
// many elements of their types. Both types are numeric.
func Cast(dst []byte, to *dtype.Type, src []byte, from *dtype.Type) {
	df, dt := DomainOf(from), DomainOf(to)
	for i := range len(src) / from.Size {
		n := Convert(Load(src, i, from), df, dt)
		if to.Kind == dtype.Bool {
			n = Truth(n, dt)
			if df == Real && Load(src, i, from).Float() != 0 {
				n = 1 // numpy: any real but zero, NaN too, is true
			}
		}
		Store(dst, i, to, n)
	}
}

// Truth is 1 for any number but zero.
func Truth(n Number, d Domain) Number {
	if d == Real && n.Float() == 0 || n == 0 {
		return 0
	}
	return 1
}
