package kernel

import (
	"math"
	"unsafe"
)

// The functions of this file take packed little-endian elements of any alignment
// and need a machine that loads such. Numbers of 64 bits are integers, or the bits of
// a float64.

// Widen makes len(dst) integers of 1, 2 or 4 bytes longer, with their sign if they
// have one.
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

// Promote makes float64s of len(dst) float32s.
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

// Scale divides float64s by the scale and then adds the offset, each of which rounds.
func Scale(x []uint64, by, offset float64) {
	if len(x) > 0 {
		scale(unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]), len(x), math.Float64bits(by), math.Float64bits(offset))
	}
}

// Real makes float64s of integers of 64 bits, in place.
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
		// The explicit conversion keeps the division and the sum from being fused.
		to[i] = float64(v/scale) + add
	}
}
