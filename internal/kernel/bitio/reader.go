// Package bitio reads numbers of any number of bits from bytes whose first bit
// is the lowest one, as zfp and pcodec write them.
package bitio

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// Window is the number of bits that [Reader.Peek] vouches for.
const Window = 56

// Reader reads bits. Behind the last byte there are only zeros: decoders need
// not look at every read, but ask [Reader.Past] from time to time.
type Reader struct {
	src []byte
	at  int64 // in bits
}

// NewReader returns a reader of src.
func NewReader(src []byte) Reader { return Reader{src: src} }

// Peek returns the next bits without going on: the lowest Window of them are
// those of the source, the others arbitrary.
func (r *Reader) Peek() uint64 {
	i := uint64(r.at) >> 3
	if n := uint64(len(r.src)); n >= 8 && i <= n-8 {
		return kernel.Load64(r.src, int(i)) >> (r.at & 7)
	}
	return r.peekEnd(i) >> (r.at & 7)
}

func (r *Reader) peekEnd(i uint64) uint64 {
	var w uint64
	for k := range uint64(8) {
		if i+k < uint64(len(r.src)) {
			w |= uint64(r.src[i+k]) << (8 * k)
		}
	}
	return w
}

// Bits reads a number of n bits, 0 to 64.
func (r *Reader) Bits(n uint) uint64 {
	if n > Window {
		low := r.Bits(32)
		return low | r.Bits(n-32)<<32
	}
	w := r.Peek() & (1<<n - 1)
	r.at += int64(n)
	return w
}

// Skip goes on by n bits, which must not be negative.
func (r *Reader) Skip(n int64) { r.at += n }

// Align goes on to the next whole byte.
func (r *Reader) Align() { r.at = (r.at + 7) &^ 7 }

// At is the number of bits that were read.
func (r *Reader) At() int64 { return r.at }

// Left is the number of bits that there still are; negative when too many
// were read.
func (r *Reader) Left() int64 { return int64(len(r.src))*8 - r.at }

// Past is true when more bits were read than there are.
func (r *Reader) Past() bool { return r.Left() < 0 }

// Rest is the bytes from the next one on, after an Align.
func (r *Reader) Rest() []byte { return r.src[min(r.at>>3, int64(len(r.src))):] }
