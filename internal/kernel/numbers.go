package kernel

import (
	"math"
	"unsafe"
)

// These functions take packed little-endian elements of any alignment, and need a machine that
// loads such. Numbers of 64 bits are integers, or the bits of a float64.

// Widen extends len(dst) integers of 1, 2 or 4 bytes to 64 bits, with their sign if signed.
func Widen(dst []uint64, src []byte, width int, signed bool) {
	src = src[:len(dst)*width]
	if len(dst) == 0 {
		return
	}
	d, s, n := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), len(dst)
	switch {
	case width == 1 && signed:
		widenS1(d, s, n)
	case width == 1:
		widenU1(d, s, n)
	case width == 2 && signed:
		widenS2(d, s, n)
	case width == 2:
		widenU2(d, s, n)
	case width == 4 && signed:
		widenS4(d, s, n)
	case width == 4:
		widenU4(d, s, n)
	}
}

// Narrow keeps the low 1, 2 or 4 bytes of integers.
func Narrow(dst []byte, src []uint64, width int) {
	dst = dst[:len(src)*width]
	if len(src) == 0 {
		return
	}
	d, s, n := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), len(src)
	switch width {
	case 1:
		narrow1(d, s, n)
	case 2:
		narrow2(d, s, n)
	case 4:
		narrow4(d, s, n)
	}
}

// Promote converts len(dst) float32s to float64s.
func Promote(dst []uint64, src []byte) {
	src = src[:len(dst)*4]
	if len(dst) > 0 {
		promote(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), len(dst))
	}
}

// Demote rounds float64s to float32s.
func Demote(dst []byte, src []uint64) {
	dst = dst[:len(src)*4]
	if len(src) > 0 {
		demote(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), len(src))
	}
}

// Scale divides float64s by the scale and adds the offset. Each step rounds.
func Scale(x []uint64, by, offset float64) {
	if len(x) > 0 {
		scale(unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]), len(x), math.Float64bits(by), math.Float64bits(offset))
	}
}

// Real converts 64-bit integers to float64s in place.
func Real(x []uint64, signed bool) {
	if len(x) == 0 {
		return
	}
	if p := unsafe.Pointer(&x[0]); signed {
		realS(p, p, len(x))
	} else {
		realU(p, p, len(x))
	}
}

type integer interface {
	int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64
}

func widenGo[T integer](dst, src unsafe.Pointer, n int) {
	from, to := unsafe.Slice((*T)(src), n), unsafe.Slice((*uint64)(dst), n)
	for i, v := range from {
		to[i] = uint64(v)
	}
}

func realGo[T int64 | uint64](dst, src unsafe.Pointer, n int) {
	from, to := unsafe.Slice((*T)(src), n), unsafe.Slice((*float64)(dst), n)
	for i, v := range from {
		to[i] = float64(v)
	}
}

func narrowGo[T integer](dst, src unsafe.Pointer, n int) {
	from, to := unsafe.Slice((*uint64)(src), n), unsafe.Slice((*T)(dst), n)
	for i, v := range from {
		to[i] = T(v)
	}
}

func promoteGo(dst, src unsafe.Pointer, n int) {
	from, to := unsafe.Slice((*float32)(src), n), unsafe.Slice((*float64)(dst), n)
	for i, v := range from {
		to[i] = float64(v)
	}
}

func demoteGo(dst, src unsafe.Pointer, n int) {
	from, to := unsafe.Slice((*float64)(src), n), unsafe.Slice((*float32)(dst), n)
	for i, v := range from {
		to[i] = float32(v)
	}
}

func scaleGo(dst, src unsafe.Pointer, n int, by, offset uint64) {
	from, to := unsafe.Slice((*float64)(src), n), unsafe.Slice((*float64)(dst), n)
	scale, add := math.Float64frombits(by), math.Float64frombits(offset)
	for i, v := range from {
		// The explicit conversion prevents a fused multiply-add.
		to[i] = float64(v/scale) + add
	}
}
