package kernel

import "math/bits"

// Swap copies src to dst and reverses the bytes of every scalar of width (2, 4 or 8) bytes. Bytes
// after the last whole scalar are copied. dst has len(src) bytes, and is src itself or does not
// overlap it.
func Swap(dst, src []byte, width int) {
	dst = dst[:len(src)]
	n := len(src) &^ 31
	if n > 0 {
		switch width {
		case 2:
			swap2(dst[:n], src[:n], even, pairs)
		case 4:
			swap4(dst[:n], src[:n], even, pairs)
		case 8:
			swap8(dst[:n], src[:n], even, pairs)
		}
	}
	for ; n+width <= len(src); n += width {
		for i, j := n, n+width-1; i < j; i, j = i+1, j-1 {
			dst[i], dst[j] = src[j], src[i]
		}
	}
	copy(dst[n:], src[n:])
}

// swap2Go, swap4Go and swap8Go swap lengths that are positive multiples of 32. even and pairs are
// the masks below.

func swap2Go(dst, src []byte, even, _ uint64) {
	for i := 0; i+8 <= len(src); i += 8 {
		x := Load64(src, i)
		Store64(dst, i, x>>8&even|x&even<<8)
	}
}

func swap4Go(dst, src []byte, even, pairs uint64) {
	for i := 0; i+8 <= len(src); i += 8 {
		x := Load64(src, i)
		x = x>>8&even | x&even<<8
		Store64(dst, i, x>>16&pairs|x&pairs<<16)
	}
}

func swap8Go(dst, src []byte, _, _ uint64) {
	for i := 0; i+8 <= len(src); i += 8 {
		Store64(dst, i, bits.ReverseBytes64(Load64(src, i)))
	}
}

const (
	even  = 0x00ff00ff00ff00ff
	pairs = 0x0000ffff0000ffff
)
