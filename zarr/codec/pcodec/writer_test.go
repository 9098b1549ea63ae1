package pcodec

import "github.com/zarr-wasm/zarr-wasm/zarr/dtype"

// bitWriter writes bit fields, for files that no available writer produces.
type bitWriter struct {
	b []byte
	n uint
}

func (w *bitWriter) bits(v uint64, n uint) *bitWriter {
	for i := range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
	return w
}

func (w *bitWriter) align() *bitWriter {
	w.n = uint(8 * len(w.b))
	return w
}

// start writes the headers of a file of format 4.1 and of a chunk.
func start(code byte, n int) *bitWriter {
	w := &bitWriter{}
	w.bits('p'|'c'<<8|'o'<<16|'!'<<24, 32).bits(3, 8).bits(0, 8).bits(5, 6).bits(0, 6).align()
	return w.bits(4, 8).bits(1, 8).bits(uint64(code), 8).bits(uint64(n-1), 24)
}

// plainBin writes a variable of one bin that holds every value.
func (w *bitWriter) plainBin(width uint) *bitWriter {
	lengths := map[uint]uint{8: 4, 16: 5, 32: 6, 64: 7}[width]
	return w.bits(0, 4).bits(1, 15).bits(0, width).bits(uint64(width), lengths)
}

// end writes the terminator.
func (w *bitWriter) end() []byte { return w.align().bits(0, 8).b }

// order returns a number's rank in the order of its type.
func order(v uint64, t number) uint64 {
	mask := uint64(1)<<(t.width-1)<<1 - 1
	switch t.kind {
	case dtype.Uint:
		return v & mask
	case dtype.Int:
		return (v ^ 1<<(t.width-1)) & mask
	}
	return orderOf(v, t.width) & mask
}
