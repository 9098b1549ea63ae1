// Package naive holds encoders whose simplicity shows that they are right, to test decoders.
package naive

import "bytes"

// Shuffle shuffles the bytes of elements, a byte at a time.
func Shuffle(src []byte, size int) []byte {
	n := len(src) / size
	dst := bytes.Clone(src)
	for i := range n {
		for b := range size {
			dst[b*n+i] = src[i*size+b]
		}
	}
	return dst
}

// BitShuffle shuffles the bits of elements, a bit at a time.
func BitShuffle(src []byte, size int) []byte {
	n := len(src) / size
	dst := bytes.Clone(src)
	if n%8 != 0 {
		return dst
	}
	clear(dst[:n*size])
	for i := range n {
		for b := range size {
			for k := range 8 {
				dst[(b*8+k)*(n/8)+i/8] |= src[i*size+b] >> k & 1 << (i % 8)
			}
		}
	}
	return dst
}
