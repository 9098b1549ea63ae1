package ndarray

import (
	"math"
	"unsafe"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Domain is the set of numbers in which a type is computed exactly. Three domains replace a
// computation for each pair of types.
type Domain uint8

// The domains. DomainSigned holds all signed integers and bool, DomainUnsigned all unsigned
// ones, DomainReal all floating-point types.
const (
	DomainNone Domain = iota
	DomainSigned
	DomainUnsigned
	DomainReal
)

// DomainOf returns the domain of a type's elements, DomainNone if they are not numbers.
func DomainOf(t *dtype.Type) Domain {
	switch t.Kind {
	case dtype.Int, dtype.DateTime, dtype.TimeDelta:
		return DomainSigned
	case dtype.Bool, dtype.Uint:
		return DomainUnsigned
	case dtype.Float, dtype.MiniFloat:
		return DomainReal
	}
	return DomainNone
}

// Number is a number of any domain. In DomainSigned and DomainUnsigned it holds the 64 bits, and in
// DomainReal the bits of a binary64.
type Number uint64

// Float returns a number of DomainReal.
func (n Number) Float() float64 { return math.Float64frombits(uint64(n)) }

// FloatNumber returns a DomainReal number.
func FloatNumber(f float64) Number { return Number(math.Float64bits(f)) }

func isFloat32(t *dtype.Type) bool { return t.Kind == dtype.Float && t.Size == 4 }
func isFloat64(t *dtype.Type) bool { return t.Kind == dtype.Float && t.Size == 8 }

// Load reads the i-th packed little-endian element of a numeric type.
func Load(data []byte, i int, t *dtype.Type) Number {
	var bits uint64
	b := data[i*t.Size : (i+1)*t.Size]
	for k, c := range b {
		bits |= uint64(c) << (8 * k)
	}
	switch DomainOf(t) {
	case DomainSigned:
		width := t.Size * 8
		if t.Bits != 0 {
			width = t.Bits
		}
		return Number(uint64(int64(bits<<(64-width)) >> (64 - width)))
	case DomainUnsigned:
		if t.Bits != 0 {
			bits &= 1<<t.Bits - 1
		}
		return Number(bits)
	}
	switch {
	case isFloat64(t):
		return Number(bits)
	case isFloat32(t):
		return FloatNumber(float64(math.Float32frombits(uint32(bits))))
	}
	return FloatNumber(t.Float64(bits))
}

// Store writes a number of the type's own domain as its i-th element. It keeps the low bits of
// integers, and rounds floating-point numbers half to even.
func Store(data []byte, i int, t *dtype.Type, n Number) {
	bits := uint64(n)
	if DomainOf(t) == DomainReal {
		switch {
		case isFloat64(t):
		case isFloat32(t):
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

// Convert converts a number between domains like a C cast. Real to integer truncates; NaN and
// numbers out of range become the integer's smallest value, as on x86. Integer to integer keeps the
// bits.
func Convert(n Number, from, to Domain) Number {
	switch {
	case from == to || from != DomainReal && to != DomainReal:
		return n
	case to == DomainReal && from == DomainSigned:
		return FloatNumber(float64(int64(n)))
	case to == DomainReal:
		return FloatNumber(float64(uint64(n)))
	}
	f := math.Trunc(n.Float())
	switch {
	case f >= -1<<63 && f < 1<<63:
		return Number(uint64(int64(f)))
	case to == DomainUnsigned && f >= 1<<63 && f < 1<<64:
		return Number(uint64(f))
	}
	return 1 << 63
}

// Batch is how many numbers are processed at once. Their 64-bit form stays in the cache, and the
// type is checked once for all of them.
const Batch = 256

// LoadAll reads packed little-endian elements of a numeric type from the i-th on.
func LoadAll(nums []Number, data []byte, i int, t *dtype.Type) {
	data = data[i*t.Size : (i+len(nums))*t.Size]
	signed := DomainOf(t) == DomainSigned
	switch {
	case unaligned && t.Bits == 0 && DomainOf(t) != DomainReal && t.Size < 8:
		kernel.Widen(words(nums), data, t.Size, signed)
	case unaligned && isFloat32(t):
		kernel.Promote(words(nums), data)
	case unaligned && t.Bits == 0 && t.Size == 8:
		copy(packed(nums), data)
	case t.Bits != 0 || DomainOf(t) == DomainReal && !isFloat32(t) && !isFloat64(t):
		for k := range nums {
			nums[k] = Load(data, k, t)
		}
	case isFloat32(t):
		for k := range nums {
			nums[k] = FloatNumber(float64(math.Float32frombits(kernel.Load32(data, 4*k))))
		}
	case t.Size == 8:
		for k := range nums {
			nums[k] = Number(kernel.Load64(data, 8*k))
		}
	case t.Size == 4 && signed:
		for k := range nums {
			nums[k] = Number(uint64(int32(kernel.Load32(data, 4*k))))
		}
	case t.Size == 4:
		for k := range nums {
			nums[k] = Number(kernel.Load32(data, 4*k))
		}
	case t.Size == 2 && signed:
		for k := range nums {
			nums[k] = Number(uint64(int16(kernel.Load16(data, 2*k))))
		}
	case t.Size == 2:
		for k := range nums {
			nums[k] = Number(kernel.Load16(data, 2*k))
		}
	case signed:
		for k := range nums {
			nums[k] = Number(uint64(int8(data[k])))
		}
	default:
		for k := range nums {
			nums[k] = Number(data[k])
		}
	}
}

// StoreAll writes numbers of the type's own domain as elements from the i-th on, like Store.
func StoreAll(data []byte, i int, t *dtype.Type, nums []Number) {
	data = data[i*t.Size : (i+len(nums))*t.Size]
	switch {
	case unaligned && DomainOf(t) != DomainReal && t.Size < 8:
		kernel.Narrow(data, words(nums), t.Size)
	case unaligned && isFloat32(t):
		kernel.Demote(data, words(nums))
	case unaligned && t.Size == 8:
		copy(data, packed(nums))
	case DomainOf(t) == DomainReal && !isFloat32(t) && !isFloat64(t):
		for k, n := range nums {
			Store(data, k, t, n)
		}
	case isFloat32(t):
		for k, n := range nums {
			kernel.Store32(data, 4*k, math.Float32bits(float32(n.Float())))
		}
	case t.Size == 8:
		for k, n := range nums {
			kernel.Store64(data, 8*k, uint64(n))
		}
	case t.Size == 4:
		for k, n := range nums {
			kernel.Store32(data, 4*k, uint32(n))
		}
	case t.Size == 2:
		for k, n := range nums {
			kernel.Store16(data, 2*k, uint16(n))
		}
	default:
		for k, n := range nums {
			data[k] = byte(n)
		}
	}
}

// ConvertAll is Convert for all numbers of a slice, in place.
func ConvertAll(nums []Number, from, to Domain) {
	switch {
	case from == to || from != DomainReal && to != DomainReal:
	case to == DomainReal:
		kernel.Real(words(nums), from == DomainSigned)
	default:
		for k, n := range nums {
			if f := n.Float(); f > -1<<63 && f < 1<<63 {
				nums[k] = Number(int64(f))
			} else {
				nums[k] = Convert(n, from, to)
			}
		}
	}
}

// ScaleAll divides numbers of DomainReal by the scale and then adds the offset; each step rounds.
func ScaleAll(nums []Number, scale, offset float64) { kernel.Scale(words(nums), scale, offset) }

// packed returns numbers as little-endian elements, on little-endian machines.
func packed(nums []Number) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(nums))), 8*len(nums))
}

// words returns the bits of numbers.
func words(nums []Number) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(nums))), len(nums))
}

// Batches calls f for the numbers of all packed elements of src, a batch at a time. It stores the
// changed numbers in dst.
func Batches(dst []byte, to *dtype.Type, src []byte, from *dtype.Type, f func(nums []Number)) {
	var room [Batch]Number
	n := len(src) / from.Size
	for i := 0; i < n; i += Batch {
		nums := room[:min(Batch, n-i)]
		LoadAll(nums, src, i, from)
		f(nums)
		StoreAll(dst, i, to, nums)
	}
}

// Cast converts packed elements like numpy's astype. dst and src hold the same number of elements
// of their types. Both types are numeric.
func Cast(dst []byte, to *dtype.Type, src []byte, from *dtype.Type) {
	df, dt := DomainOf(from), DomainOf(to)
	Batches(dst, to, src, from, func(nums []Number) {
		if to.Kind == dtype.Bool {
			for k, n := range nums { // any real but zero, NaN too, is true
				nums[k] = Truth(n, df)
			}
			return
		}
		ConvertAll(nums, df, dt)
	})
}

// Truth returns 1 for any number except zero.
func Truth(n Number, d Domain) Number {
	if d == DomainReal && n.Float() == 0 || n == 0 {
		return 0
	}
	return 1
}
