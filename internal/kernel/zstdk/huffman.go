package zstdk

import (
	mathbits "math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

// The index of a Huffman table has as many bits as its longest code. An entry has the code's length
// in bits 0-7, and the symbol in 8-15.
const (
	maxHuffman  = 11
	huffmanSize = 1 << maxHuffman
	round       = 5 // symbols decoded from one word
	roundBits   = round * maxHuffman
)

// For short codes, one lookup of maxHuffman bits decodes two symbols. An entry of that table has
// the symbols in bits 0-15, their length in 16-23, and their number in 24-31.
const (
	pairBits  = 16
	pairCount = 24
	pairsFrom = 16 << 10 // the number of literals that pays for building the table
)

// Huffman is the table of a Huffman code for literals, with the memory to build it.
type Huffman struct {
	entries [huffmanSize + 4]uint16 // written in steps of four
	log     uint
	pairs   [huffmanSize]uint32
	paired  bool   // pairs is built
	at, low [4]int // the streams: the next bit to read, and their start, in bits
	to      [4]int // the streams' next output position
	counts  counts
	states  table
	weights [256 + 8]uint8
	ranks   [16]int
	sorted  [256]uint8
}

// Read builds the table from the tree description (RFC 8878, section 4.2.1) at src[at:end], and
// returns the description's end. After a failure, the table is unusable.
func (h *Huffman) Read(src []byte, at, end int) (int, Status) {
	if at >= end {
		return 0, BadTree
	}
	n := 0
	head := int(src[at])
	at++
	if head >= 128 {
		n = head - 127
		if (n+1)/2 > end-at {
			return 0, BadTree
		}
		for i := 0; i < n; i += 2 {
			b := src[at+i/2]
			h.weights[i] = b >> 4
			h.weights[i+1] = b & 15
		}
		at += (n + 1) / 2
	} else {
		if head > end-at {
			return 0, BadTree
		}
		var status Status
		if n, status = h.readWeights(src, at, at+head); status != OK {
			return 0, status
		}
		at += head
	}

	// The last symbol's weight completes the code.
	h.ranks = [16]int{}
	total := 0
	for _, v := range h.weights[:n] {
		if v > maxHuffman {
			return 0, BadTree
		}
		h.ranks[v&15]++
		total += 1 << (v & 15) >> 1
	}
	if total == 0 {
		return 0, BadTree
	}
	log := uint(mathbits.Len(uint(total)))
	rest := 1<<log - total
	if log > maxHuffman || rest&(rest-1) != 0 {
		return 0, BadTree
	}
	last := mathbits.Len(uint(rest))
	h.weights[n] = uint8(last)
	h.ranks[last&15]++
	n++
	if h.ranks[1] < 2 {
		return 0, BadTree // no code is as long as the table's index
	}
	h.log, h.paired = log, false
	huffmanFill(h, n)
	return at, OK
}

// huffmanFillGo builds the table of n weights, which add up to 1<<h.log; h.ranks holds the number
// of each. It consumes the ranks, and may write three entries beyond the table.
//
// The longest codes, of the least weight, come first. Codes of one length have the order of the
// symbols.
func huffmanFillGo(h *Huffman, n int) {
	at := 0
	for v := 1; v < len(h.ranks); v++ {
		at, h.ranks[v] = at+h.ranks[v], at
	}
	h.ranks[0] = at // unused symbols come last
	for s, v := range h.weights[:n] {
		i := &h.ranks[v&15]
		h.sorted[*i&255] = uint8(s)
		*i++
	}
	// A rank is now the start of the next one.
	at = 0
	i := 0
	for v := uint(1); v <= h.log; v++ {
		size := 1 << (v - 1)
		for _, s := range h.sorted[i:h.ranks[v&15]] {
			e := uint16(h.log+1-v) | uint16(s)<<8
			for k := 0; k < size; k += 4 {
				run := h.entries[at+k : at+k+4 : at+k+4]
				run[0], run[1], run[2], run[3] = e, e, e, e
			}
			at += size
		}
		i = h.ranks[v&15]
	}
}

// readWeights decodes the weights of src[at:end] (section 4.2.1.2) and returns their number.
func (h *Huffman) readWeights(src []byte, at, end int) (int, Status) {
	at, status := h.counts.read(src, at, end, maxSymbols-1, maxWeightLog)
	if status != OK {
		return 0, status
	}
	build(&h.states, &h.counts, nil)
	pos, ok := streamEnd(src, at, end)
	if !ok {
		return 0, BadStream
	}
	low := 8 * at
	if pos-low < int(2*h.states.log) {
		return 0, BadStream
	}
	n := weights(h, src, pos, low)
	if n > 255 {
		return 0, BadTree
	}
	return n, OK
}

// weightsGo decodes weights from the bits of src between low and pos, from the end. It returns
// their number, or more than 255 for too many.
func weightsGo(h *Huffman, src []byte, pos, low int) int {
	t := &h.states
	acc := kernel.Load64(src, word(pos)) << pad(pos)
	a := top(acc, t.log)
	b := top(acc<<t.log, t.log)
	pos -= int(2 * t.log)
	// Two states alternate. When the bits end inside one's next state, the other has one more
	// symbol.
	for n := range 254 {
		e := t.entries[a&(fseSize-1)]
		h.weights[n] = uint8(e >> valueAt)
		bits := e & 63
		acc = kernel.Load64(src, word(pos)) << pad(pos)
		if pos -= int(bits); pos < low {
			h.weights[n+1] = uint8(t.entries[b&(fseSize-1)] >> valueAt)
			return n + 2
		}
		a, b = b, e>>stateAt&0xffff+top(acc, bits)
	}
	return 256
}

// One decodes the stream src[from:to] into dst.
func (h *Huffman) One(dst, src []byte, from, to int) bool {
	at, ok := streamEnd(src, from, to)
	return ok && huffman1(h, dst, src, at, 8*from) == 8*from
}

// huffman1Go fills dst from the bits before at of a stream that begins at bit low. It returns the
// last position read. If that is below low, dst may not be full.
func huffman1Go(h *Huffman, dst, src []byte, at, low int) int {
	t, shift := (*[huffmanSize]uint16)(h.entries[:]), -h.log&63
	k := 0
	for k+round <= len(dst) && at-low >= roundBits {
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
		k += round
	}
	for ; k < len(dst) && at >= low; k++ {
		e := t[kernel.Load64(src, word(at))<<pad(at)>>shift&(huffmanSize-1)]
		at -= int(e & 255)
		dst[k] = byte(e >> 8)
	}
	return at
}

// Four decodes the four streams of src[from:to], each a quarter of dst (section 4.2.2).
func (h *Huffman) Four(dst, src []byte, from, to int) bool {
	quarter := (len(dst) + 3) / 4
	if to-from < 6 || 3*quarter > len(dst) {
		return false
	}
	var ends [4]int
	start := from + 6
	for i := range 4 {
		end := to
		if i < 3 {
			end = start + int(src[from+2*i]) + int(src[from+2*i+1])<<8
		}
		var ok bool
		if end > to {
			return false
		}
		if h.at[i], ok = streamEnd(src, start, end); !ok {
			return false
		}
		h.low[i], ends[i] = 8*start, min((i+1)*quarter, len(dst))
		start = end
	}
	for i := range 4 {
		h.to[i] = i * quarter
	}
	// Codes take less than half of the index, and there are many literals.
	pairs := pairsPay && len(dst) >= pairsFrom && 16*(to-from) < maxHuffman*len(dst)
	room := round
	if pairs {
		room = 2 * round
		if !h.paired {
			huffmanPairs(h)
			h.paired = true
		}
	}
	// As many rounds as no stream can end in. The streams' positions afterwards show what the
	// rounds took.
	for {
		n := len(dst)
		for i := range 4 {
			n = min(n, (h.at[i]-h.low[i])/roundBits, (ends[i]-h.to[i])/room)
		}
		switch {
		case n <= 0:
			for i := range 4 {
				if huffman1(h, dst[h.to[i]:ends[i]], src, h.at[i], h.low[i]) != h.low[i] {
					return false
				}
			}
			return true
		case pairs:
			huffman4Pairs(h, dst, src, n)
		default:
			huffman4(h, dst, src, n)
		}
	}
}

// huffmanPairsGo builds the table of pairs.
func huffmanPairsGo(h *Huffman) {
	shift := maxHuffman - h.log
	for i := range h.pairs {
		e := uint32(h.entries[i>>shift])
		bits := e & 255
		next := uint32(h.entries[i<<bits&(huffmanSize-1)>>shift])
		if both := bits + next&255; both <= maxHuffman {
			h.pairs[i] = e>>8 | next&0xff00 | both<<pairBits | 2<<pairCount
		} else {
			h.pairs[i] = e>>8 | bits<<pairBits | 1<<pairCount
		}
	}
}

// huffman4PairsGo does the same as huffman4, with one or two symbols per lookup. There must be room
// for two.
func huffman4PairsGo(h *Huffman, dst, src []byte, n int) {
	for range n {
		for i := range 4 {
			at, o := h.at[i], h.to[i]
			acc := kernel.Load64(src, word(at)) << pad(at)
			bits := 0
			for range round {
				e := h.pairs[acc>>(64-maxHuffman)]
				kernel.Store16(dst, o, uint16(e))
				o += int(e >> pairCount)
				acc <<= e >> pairBits & 63
				bits += int(e >> pairBits & 255)
			}
			h.at[i], h.to[i] = at-bits, o
		}
	}
}

// huffman4Go decodes n rounds of each of four streams to h.to in dst. The number n is at least 1,
// and the caller has checked bits and room for n rounds.
//
// The streams are independent, so their lookups run in parallel.
func huffman4Go(h *Huffman, dst, src []byte, n int) {
	t, shift := (*[huffmanSize]uint16)(h.entries[:]), -h.log&63
	a0, a1, a2, a3 := h.at[0], h.at[1], h.at[2], h.at[3]
	n *= round
	d0, d1, d2, d3 := dst[h.to[0]:][:n], dst[h.to[1]:][:n], dst[h.to[2]:][:n], dst[h.to[3]:][:n]
	for k := 0; k+round <= n; k += round {
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
	}
	h.at = [4]int{a0, a1, a2, a3}
	for i := range 4 {
		h.to[i] += n
	}
}
