package zstdenc

import (
	mathbits "math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"
)

// Kinds of codes, in the order in which blocks describe them.
const (
	literalLengths = iota
	offsets
	matchLengths
	kinds
)

// The codes of short lengths (RFC 8878, section 3.1.1.3.2.1.1). Longer ones have codes for each
// power of two.
var (
	literalCodes = [64]uint8{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21,
		22, 22, 22, 22, 22, 22, 22, 22, 23, 23, 23, 23, 23, 23, 23, 23, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24,
	}
	matchCodes = [128]uint8{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 36, 36, 37, 37, 37, 37, 38, 38, 38, 38, 38, 38, 38, 38, 39, 39, 39, 39, 39, 39, 39, 39,
		40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41,
		42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42,
	}
)

// Codes of lengths from the ends of the tables on are the logarithm plus these.
const (
	literalBeyond = 19
	matchBeyond   = 36
)

// Codes encodes the sequences of a block (section 3.1.1.3.2).
type Codes struct {
	coders [kinds]coder
	counts [kinds][maxSymbols]uint32
	norms  norms
}

// The modes of a kind of codes.
const (
	predefined = iota
	repeated
	described
)

// fewSequences is the number of sequences up to which the description of a code is not worth its
// bytes.
const fewSequences = 40

// SequenceRoom returns the number of bytes that n sequences may take at most, with what is written
// beyond.
func SequenceRoom(n int) int { return 12*n + 512 }

// Append appends the section of the sequences of a block. dst has room for it.
func (c *Codes) Append(dst []byte, list []Sequence) []byte {
	if cap(dst)-len(dst) < SequenceRoom(len(list)) {
		panic("zstdenc: no room for sequences")
	}
	switch n := len(list); {
	case n < 128:
		dst = append(dst, byte(n))
	case n < 0x7f00:
		dst = append(dst, byte(n>>8+128), byte(n))
	default:
		n -= 0x7f00
		dst = append(dst, 255, byte(n), byte(n>>8))
	}
	if len(list) == 0 {
		return dst
	}
	c.counts = [kinds][maxSymbols]uint32{}
	count(list, &c.counts)
	modes := len(dst)
	dst = append(dst, 0)
	for k := range kinds {
		var mode byte
		dst, mode = c.choose(dst, k, len(list))
		dst[modes] |= mode << (6 - 2*k)
	}
	return dst[:len(dst)+encode(dst[len(dst):cap(dst)], list, &c.coders)]
}

// choose chooses the code of a kind, and appends its description.
func (c *Codes) choose(dst []byte, k, total int) ([]byte, byte) {
	kind := zstdk.Kind(k)
	counts := c.counts[k][:kind.Codes()]
	present, last := 0, 0
	for s, n := range counts {
		if n > 0 {
			present++
			last = s
		}
	}
	to := &c.coders[k]
	usual, log := kind.Predefined()
	switch {
	case present == 1:
		to.repeat(last, kind.Extra(last))
		return append(dst, byte(last)), repeated
	case total < fewSequences && last < len(usual):
		copy(c.norms[:], usual)
		to.build(&c.norms, len(usual), log, kind)
		return dst, predefined
	}
	log = logFor(total, present, kind.MaxLog())
	c.norms.normalize(counts[:last+1], log)
	to.build(&c.norms, last+1, log, kind)
	return c.norms.describe(dst, last+1, log), described
}

// countGo sets the codes of the sequences, and counts them.
func countGo(list []Sequence, counts *[kinds][maxSymbols]uint32) {
	// Equal codes follow each other. Two tables let their additions overlap.
	var odd [kinds][maxSymbols]uint32
	to, other := counts, &odd
	for i := range list {
		to, other = other, to
		q := &list[i]
		l, m := uint32(0), uint32(0)
		if q.Literals < uint32(len(literalCodes)) {
			l = uint32(literalCodes[q.Literals])
		} else {
			l = uint32(mathbits.Len32(q.Literals)) - 1 + literalBeyond
		}
		if q.Match < uint32(len(matchCodes)) {
			m = uint32(matchCodes[q.Match])
		} else {
			m = uint32(mathbits.Len32(q.Match)) - 1 + matchBeyond
		}
		o := uint32(mathbits.Len32(q.Offset)) - 1
		to[literalLengths][l%maxSymbols]++
		to[offsets][o%maxSymbols]++
		to[matchLengths][m%maxSymbols]++
		q.codes = l | m<<8 | o<<16
	}
	for k := range odd {
		for s, n := range odd[k] {
			counts[k][s] += n
		}
	}
}

// encodeGo writes the bits of the sequences, the last one first, and returns their number of bytes.
func encodeGo(dst []byte, list []Sequence, c *[kinds]coder) int {
	var w bits
	at := 0
	var l, o, m uint32 // the states
	for i := len(list) - 1; i >= 0; i-- {
		q := &list[i]
		lc, mc, oc := q.codes%maxSymbols, q.codes>>8%maxSymbols, q.codes>>16%maxSymbols
		ls, ms, os := &c[literalLengths].symbols[lc], &c[matchLengths].symbols[mc], &c[offsets].symbols[oc]
		if i == len(list)-1 {
			l, m, o = ls.first, ms.first, os.first
		} else {
			w, o = c[offsets].put(w, o, os)
			w, m = c[matchLengths].put(w, m, ms)
			w, l = c[literalLengths].put(w, l, ls)
		}
		// A base is a multiple of the power of two that its extra bits count to. Short lengths, the
		// usual ones, have none.
		if ls.extra|ms.extra != 0 || os.extra > 24 {
			w = w.low(q.Literals, ls.extra)
			w, at = w.flush(dst, at)
			w = w.low(q.Match, ms.extra)
		}
		w = w.low(q.Offset, os.extra)
		w, at = w.flush(dst, at)
	}
	for _, end := range [...]struct {
		k int
		x uint32
	}{{matchLengths, m}, {offsets, o}, {literalLengths, l}} {
		log := uint32(c[end.k].log)
		w = w.low(end.x, log)
	}
	return w.finish(dst, at)
}
