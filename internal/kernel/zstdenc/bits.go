package zstdenc

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// writer writes a stream of bits that is read backwards, the lowest bits of a value first.
type writer struct {
	dst []byte
	at  int
	acc uint64
	n   uint // bits in acc
}

// put adds the low n bits of v, whose other bits are 0. Up to 57 bits fit between two flushes.
func (w *writer) put(v uint64, n uint) {
	w.acc |= v << (w.n & 63)
	w.n += n
}

// flush writes the whole bytes. It may write 8 bytes.
func (w *writer) flush() {
	kernel.Store64(w.dst, w.at, w.acc)
	w.at += int(w.n >> 3)
	w.acc >>= w.n & 56
	w.n &= 7
}

// finish ends the stream by a bit that marks its end, and returns the number of written bytes.
func (w *writer) finish() int {
	w.put(1, 1)
	w.flush()
	if w.n > 0 {
		w.at++
	}
	return w.at
}
