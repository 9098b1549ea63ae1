package brotli

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// bits reads a stream's bits, lowest first. acc holds n valid bits; the bits above them are either
// zero or the stream's next bits. Zeros follow the end, and over reports that they were read.
type bits struct {
	src []byte
	pos int // of the next byte; may be beyond the end
	acc uint64
	n   uint
}

// fill makes at least 56 bits valid.
func (b *bits) fill() {
	if len(b.src)-b.pos >= 8 {
		b.acc |= kernel.Load64(b.src, b.pos) << (b.n & 63)
		b.pos += int(63-b.n) >> 3
		b.n |= 56
		return
	}
	for b.n < 56 {
		if b.pos < len(b.src) {
			b.acc |= uint64(b.src[b.pos]) << (b.n & 63)
		}
		b.pos++
		b.n += 8
	}
}

// drop removes k valid bits.
func (b *bits) drop(k uint) {
	b.acc >>= k & 63
	b.n -= k
}

// read returns the next k bits, at most 24.
func (b *bits) read(k uint) int {
	if b.n < k {
		b.fill()
	}
	v := int(b.acc & (1<<(k&63) - 1))
	b.drop(k)
	return v
}

// used returns the number of bits taken.
func (b *bits) used() int { return b.pos*8 - int(b.n) }

// over reports whether bits beyond the end have been taken.
func (b *bits) over() bool { return b.used() > 8*len(b.src) }

// byteAlign moves to the next whole byte. It reports false if a skipped bit is not zero.
func (b *bits) byteAlign() bool {
	zero := b.read(b.n&7) == 0
	b.pos -= int(b.n >> 3)
	b.acc, b.n = 0, 0
	return zero
}

// bytes returns the next k bytes, or nil if there are fewer. The stream must be at a whole byte.
func (b *bits) bytes(k int) []byte {
	if b.pos > len(b.src) || k > len(b.src)-b.pos {
		return nil
	}
	b.pos += k
	return b.src[b.pos-k : b.pos]
}
