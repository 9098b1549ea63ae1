package zstd

import (
	mathbits "math/bits"

	"zarr-wasm/internal/kernel"
)

// A Huffman table is looked up with as many bits as its longest code has. An
// entry's bits 0-7 are the code's length, 8-15 the symbol.
const (
	maxHuffman  = 11
	huffmanSize = 1 << maxHuffman
)

type huffman struct {
	entries [huffmanSize]uint16
	log     uint
	set     bool // there is a table that the next block may use again
}

// read reads a tree description (RFC 8878, section 4.2.1) at src[at:end] and
// returns where it ends.
func (h *huffman) read(w *work, src []byte, at, end int) (int, error) {
	h.set = false
	if at >= end {
		return 0, errHuffman
	}
	var weights [256]uint8
	n := 0
	head := int(src[at])
	at++
	if head >= 128 {
		n = head - 127
		if (n+1)/2 > end-at {
			return 0, errHuffman
		}
		for i := 0; i < n; i += 2 {
			b := src[at+i/2]
			weights[i] = b >> 4
			weights[i+1] = b & 15
		}
		weights[n] = 0
		at += (n + 1) / 2
	} else {
		if head > end-at {
			return 0, errHuffman
		}
		var err error
		if n, err = readWeights(w, &weights, src, at, at+head); err != nil {
			return 0, err
		}
		at += head
	}

	// The last symbol's weight is what fills the code up.
	var ranks [16]int
	total := 0
	for _, v := range weights[:n] {
		if v > maxHuffman {
			return 0, errHuffman
		}
		ranks[v&15]++
		total += 1 << v >> 1
	}
	if total == 0 {
		return 0, errHuffman
	}
	h.log = uint(mathbits.Len(uint(total)))
	rest := 1<<h.log - total
	if h.log > maxHuffman || rest&(rest-1) != 0 {
		return 0, errHuffman
	}
	last := mathbits.Len(uint(rest))
	weights[n] = uint8(last)
	ranks[last&15]++
	n++
	if ranks[1] < 2 {
		return 0, errHuffman // no code has the length that the table is looked up with
	}

	// The longest codes come first, those of a length in the symbols' order.
	at0 := 0
	var start [16]int
	for v := 1; v <= int(h.log); v++ {
		start[v] = at0
		at0 += ranks[v] << (v - 1)
	}
	for s, v := range weights[:n] {
		if v == 0 {
			continue
		}
		e := uint16(h.log+1-uint(v)) | uint16(s)<<8
		i := start[v&15]
		size := 1 << (v - 1)
		start[v&15] = i + size
		switch size {
		case 1:
			h.entries[i&(huffmanSize-1)] = e
		case 2:
			h.entries[i&(huffmanSize-1)] = e
			h.entries[(i+1)&(huffmanSize-1)] = e
		default:
			run := h.entries[i : i+size]
			for k := 0; k+4 <= len(run); k += 4 {
				run[k], run[k+1], run[k+2], run[k+3] = e, e, e, e
			}
		}
	}
	h.set = true
	return at, nil
}

// readWeights decodes the weights of src[at:end] (section 4.2.1.2) and returns how many there are.
func readWeights(w *work, weights *[256]uint8, src []byte, at, end int) (int, error) {
	at, err := w.counts.read(src, at, end, maxSymbols-1, maxWeightLog)
	if err != nil {
		return 0, err
	}
	t := &w.weights
	t.build(&w.counts, nil)
	low := 8 * at
	pos, err := streamEnd(src, at, end)
	if err != nil {
		return 0, err
	}
	acc := kernel.Load64(src, word(pos)) << pad(pos)
	a := top(acc, t.log)
	b := top(acc<<t.log, t.log)
	if pos -= int(2 * t.log); pos < low {
		return 0, errStream
	}
	// Two states take turns; when the bits end inside of one's next state, the
	// other has one more symbol.
	for n := 0; n < 254; n++ {
		e := t.entries[a&(fseSize-1)]
		weights[n] = uint8(e >> valueAt)
		bits := e & 63
		acc = kernel.Load64(src, word(pos)) << pad(pos)
		if pos -= int(bits); pos < low {
			weights[n+1] = uint8(t.entries[b&(fseSize-1)] >> valueAt)
			return n + 2, nil
		}
		a, b = b, e>>stateAt&0xffff+top(acc, bits)
	}
	return 0, errHuffman
}

// one decodes the stream src[from:to] into dst.
func (h *huffman) one(dst, src []byte, from, to int) error {
	at, err := streamEnd(src, from, to)
	if err != nil {
		return err
	}
	return h.rest(dst, src, at, 8*from)
}

// rest decodes what is before bit at of a stream that begins at bit low.
func (h *huffman) rest(dst, src []byte, at, low int) error {
	t, shift := &h.entries, -h.log&63
	k := 0
	for k+5 <= len(dst) && at-low >= 5*maxHuffman {
		acc := kernel.Load64(src, word(at)) << pad(at)
		d := dst[k : k+5 : k+5]
		e := uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[0] = byte(e >> 8)
		n := e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[1] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[2] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[3] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		d[4] = byte(e >> 8)
		n += e
		at -= int(n & 255)
		k += 5
	}
	for ; k < len(dst); k++ {
		if at < low {
			return errStream
		}
		e := t[kernel.Load64(src, word(at))<<pad(at)>>shift&(huffmanSize-1)]
		at -= int(e & 255)
		dst[k] = byte(e >> 8)
	}
	if at != low {
		return errStream
	}
	return nil
}

// four decodes the four streams of src[from:to], each a quarter of dst (section 4.2.2).
func (h *huffman) four(dst, src []byte, from, to int) error {
	quarter := (len(dst) + 3) / 4
	if to-from < 6 || 3*quarter > len(dst) {
		return errStream
	}
	s0 := from + 6
	s1 := s0 + int(src[from]) + int(src[from+1])<<8
	s2 := s1 + int(src[from+2]) + int(src[from+3])<<8
	s3 := s2 + int(src[from+4]) + int(src[from+5])<<8
	if s3 > to {
		return errStream
	}
	a0, err0 := streamEnd(src, s0, s1)
	a1, err1 := streamEnd(src, s1, s2)
	a2, err2 := streamEnd(src, s2, s3)
	a3, err3 := streamEnd(src, s3, to)
	if err0 != nil || err1 != nil || err2 != nil || err3 != nil {
		return errStream
	}
	d0, d1, d2, d3 := dst[:quarter], dst[quarter:2*quarter], dst[2*quarter:3*quarter], dst[3*quarter:]
	k := 0
	t, shift := &h.entries, -h.log&63
	// Five symbols of each stream a round. The streams do not depend on each
	// other: their lookups run side by side.
	const need = 5 * maxHuffman
	l0, l1, l2, l3 := 8*s0+need, 8*s1+need, 8*s2+need, 8*s3+need
	for k+5 <= len(d3) && (a0-l0)|(a1-l1)|(a2-l2)|(a3-l3) >= 0 {
		acc := kernel.Load64(src, word(a0)) << pad(a0)
		d := d0[k : k+5 : k+5]
		e := uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[0] = byte(e >> 8)
		n := e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[1] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[2] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[3] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		d[4] = byte(e >> 8)
		a0 -= int((n + e) & 255)

		acc = kernel.Load64(src, word(a1)) << pad(a1)
		d = d1[k : k+5 : k+5]
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[0] = byte(e >> 8)
		n = e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[1] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[2] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[3] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		d[4] = byte(e >> 8)
		a1 -= int((n + e) & 255)

		acc = kernel.Load64(src, word(a2)) << pad(a2)
		d = d2[k : k+5 : k+5]
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[0] = byte(e >> 8)
		n = e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[1] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[2] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[3] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		d[4] = byte(e >> 8)
		a2 -= int((n + e) & 255)

		acc = kernel.Load64(src, word(a3)) << pad(a3)
		d = d3[k : k+5 : k+5]
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[0] = byte(e >> 8)
		n = e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[1] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[2] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		acc <<= e & 63
		d[3] = byte(e >> 8)
		n += e
		e = uint(t[acc>>shift&(huffmanSize-1)])
		d[4] = byte(e >> 8)
		a3 -= int((n + e) & 255)
		k += 5
	}
	if err := h.rest(d0[k:], src, a0, 8*s0); err != nil {
		return err
	}
	if err := h.rest(d1[k:], src, a1, 8*s1); err != nil {
		return err
	}
	if err := h.rest(d2[k:], src, a2, 8*s2); err != nil {
		return err
	}
	return h.rest(d3[k:], src, a3, 8*s3)
}
