package pcodec

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// bitsOf returns the rank of a value in the order of its type. Unsigned integers are unchanged,
// signed ones begin with the smallest, and floats with the negative ones.
func bitsOf(v uint64, t number) uint64 {
	middle := uint64(1) << (t.width - 1)
	switch {
	case t.kind == dtype.Uint:
		return v
	case t.kind == dtype.Int || v&middle != 0:
		return v ^ middle
	}
	return ^v
}

// orderOf returns the rank of a float in the order of floats: the inverse of bitsOf.
func orderOf(bits uint64, width uint) uint64 {
	if middle := uint64(1) << (width - 1); bits&middle == 0 {
		return bits ^ middle
	}
	return ^bits
}

// put writes values, given in the order of their type, as numbers.
func put(dst []byte, t number, values []uint64) {
	switch t.width {
	case 8:
		for i, v := range values {
			dst[i] = byte(bitsOf(v, t))
		}
	case 16:
		for i, v := range values {
			kernel.Store16(dst, 2*i, uint16(bitsOf(v, t)))
		}
	case 32:
		for i, v := range values {
			kernel.Store32(dst, 4*i, uint32(bitsOf(v, t)))
		}
	default:
		for i, v := range values {
			kernel.Store64(dst, 8*i, bitsOf(v, t))
		}
	}
}

// mantissa returns the number of bits of a float's mantissa, without the leading one.
func mantissa(width uint) uint {
	switch width {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}

// half returns float16, for its conversions.
func half() *dtype.Type { return &dtype.Type{Kind: dtype.Float, Name: "float16", Size: 2} }

// floatBits returns the bits of the float of that width nearest to x.
func floatBits(x float64, width uint) uint64 {
	switch width {
	case 16:
		return half().FloatBits(x)
	case 32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// multiply multiplies two floats, given by their bits.
func multiply(a, b uint64, width uint) uint64 {
	switch width {
	case 16:
		// The product is exact in binary64 and rounded once.
		h := half()
		return h.FloatBits(h.Float64(a) * h.Float64(b))
	case 32:
		return uint64(math.Float32bits(math.Float32frombits(uint32(a)) * math.Float32frombits(uint32(b))))
	}
	return math.Float64bits(math.Float64frombits(a) * math.Float64frombits(b))
}

// integerFloat returns the bits of the float for a latent variable of multiples. Values count from
// the middle. Up to the largest integer below which all integers are floats, they are these
// integers. Beyond it they are the following floats, which are all integers.
func integerFloat(v uint64, width uint) uint64 {
	middle := uint64(1) << (width - 1)
	sign, n := uint64(0), v-middle
	if v < middle {
		sign, n = middle, middle-1-v
	}
	exact := uint64(1) << (mantissa(width) + 1)
	bits := floatBits(float64(min(n, exact)), width)
	if n > exact {
		bits += n - exact
	}
	return bits | sign
}
