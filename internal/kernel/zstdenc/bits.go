package zstdenc

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// bits holds the unwritten bits of a stream that is read backwards, the lowest bits of a value
// first. It is a value of two words, which the compiler keeps in registers.
type bits struct {
	acc uint64
	n   uint64 // bits in acc
}

// put adds the low n bits of v, whose other bits are 0. Up to 57 bits fit between two flushes.
func (w bits) put(v uint64, n uint32) bits {
	return bits{w.acc | v<<(w.n&63), w.n + uint64(n)}
}

// low adds the low n bits of v.
func (w bits) low(v, n uint32) bits { return w.put(uint64(v)&(1<<(n&63)-1), n) }

// flush writes the whole bytes to dst[at:], and returns their end. It may write 8 bytes.
func (w bits) flush(dst []byte, at int) (bits, int) {
	kernel.Store64(dst, at, w.acc)
	return bits{w.acc >> (w.n & 56), w.n & 7}, at + int(w.n>>3)
}

// finish ends the stream by a bit that marks its end, and returns the end of the written bytes.
func (w bits) finish(dst []byte, at int) int {
	w, at = w.put(1, 1).flush(dst, at)
	if w.n > 0 {
		at++
	}
	return at
}
