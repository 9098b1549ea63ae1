package kernel

import (
	"math"
	mathbits "math/bits"
)

const (
	lz4Log   = 12
	lz4Prime = 0x9e3779b97f4a7c15
	lz4Far   = 1<<16 - 1 // the longest distance
	// A block's last match begins at least lz4Begin bytes before its end, and ends lz4End before.
	lz4Begin = 12
	lz4End   = 5
)

// LZ4Table has the last place of each hash of 5 bytes.
type LZ4Table [1 << lz4Log]uint32

// LZ4Bound returns the number of bytes that an encoded block of n bytes may take at most, with what
// is written beyond.
func LZ4Bound(n int) int { return n + n/255 + 32 }

// LZ4Encode encodes src as a raw LZ4 block to dst, and returns its length. dst has LZ4Bound bytes,
// and src less than 2^31 bytes. Without matches, the search takes larger steps the higher
// acceleration is, which is 1 or more.
func LZ4Encode(dst, src []byte, t *LZ4Table, acceleration int) int {
	if len(dst) < LZ4Bound(len(src)) || len(src) > math.MaxInt32 {
		panic("kernel: no room for an LZ4 block")
	}
	clear(t[:])
	d, anchor := 0, 0
	if len(src) > lz4Begin {
		d, anchor = lz4Encode(dst, src, t, min(max(acceleration, 1), 1<<16))
	}
	// The last sequence has no match.
	n := len(src) - anchor
	d = lz4Length(dst, d, n, 0)
	return d + copy(dst[d:], src[anchor:])
}

// lz4Length writes a token with the length of literals at dst[d], and returns its end.
func lz4Length(dst []byte, d, n int, match byte) int {
	if n < 15 {
		dst[d] = byte(n<<4) | match
		return d + 1
	}
	dst[d] = 15<<4 | match
	return lz4Extend(dst, d+1, n-15)
}

// lz4Extend writes the rest of a length.
func lz4Extend(dst []byte, d, n int) int {
	for ; n >= 255; n -= 255 {
		dst[d] = 255
		d++
	}
	dst[d] = byte(n)
	return d + 1
}

// lz4EncodeGo writes the sequences with a match, and returns the end of both, in dst and src.
func lz4EncodeGo(dst, src []byte, t *LZ4Table, acceleration int) (d, anchor int) {
	stop := len(src) - lz4Begin
	for p := 1; ; {
		var c int
		for step := acceleration << 6; ; step++ {
			if p > stop {
				return d, anchor
			}
			v := Load64(src, p)
			slot := &t[v<<24*lz4Prime>>(64-lz4Log)]
			c = int(*slot)
			*slot = uint32(p)
			if Load32(src, c) == uint32(v) && p-c <= lz4Far {
				break
			}
			p += step >> 6
		}
		at := p + 4
		for p > anchor && c > 0 && src[p-1] == src[c-1] {
			p--
			c--
		}
		offset := p - c
		at += lz4Common(src[:len(src)-lz4End], at, at-offset)
		n := at - p - 4

		d = lz4Length(dst, d, p-anchor, byte(min(n, 15)))
		if k := p - anchor; k <= 32 {
			// This also copies bytes after the literals, which are overwritten later.
			for i := 0; i < k; i += 8 {
				Store64(dst, d+i, Load64(src, anchor+i))
			}
		} else {
			copy(dst[d:], src[anchor:p])
		}
		d += p - anchor
		Store16(dst, d, uint16(offset))
		d += 2
		if n >= 15 {
			d = lz4Extend(dst, d, n-15)
		}
		anchor, p = at, at
		if p <= stop {
			t[Load64(src, p-2)<<24*lz4Prime>>(64-lz4Log)] = uint32(p - 2)
		}
	}
}

// lz4Common returns the number of bytes from a on, up to the end of src, that equal those from b
// on. Place b is before a.
func lz4Common(src []byte, a, b int) int {
	begin := a
	for a+8 <= len(src) {
		if x := Load64(src, a) ^ Load64(src, b); x != 0 {
			return a - begin + mathbits.TrailingZeros64(x)>>3
		}
		a += 8
		b += 8
	}
	for a < len(src) && src[a] == src[b] {
		a++
		b++
	}
	return a - begin
}
