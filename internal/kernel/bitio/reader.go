// Package bitio reads bit fields from bytes, lowest bit first, as zfp and pcodec write them.
//
//	r := bitio.NewReader(src)
//	n := r.Bits(5)
//	if r.Past() { ... } // src was too short
package bitio

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// Window is the number of valid bits that [Reader.Peek] returns.
const Window = 56

// Reader reads bits. Beyond the last byte it reads zeros, so a decoder checks [Reader.Past] now and
// then rather than at every read.
type Reader struct {
	src []byte
	at  int64 // in bits
}

// NewReader returns a reader of src.
func NewReader(src []byte) Reader { return Reader{src: src} }

// Peek returns the next bits without consuming them. The lowest Window bits are valid, the others
// arbitrary.
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

// Skip consumes n bits, which must not be negative.
func (r *Reader) Skip(n int64) { r.at += n }

// Align skips to the next whole byte.
func (r *Reader) Align() { r.at = (r.at + 7) &^ 7 }

// At returns the number of consumed bits.
func (r *Reader) At() int64 { return r.at }

// Left returns the number of remaining bits. It is negative after reads beyond the end.
func (r *Reader) Left() int64 { return int64(len(r.src))*8 - r.at }

// Past reports whether more bits were read than the source has.
func (r *Reader) Past() bool { return r.Left() < 0 }

// Rest returns the remaining bytes after an Align.
func (r *Reader) Rest() []byte { return r.src[min(r.at>>3, int64(len(r.src))):] }
