package zstdenc

import (
	mathbits "math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"
)

const (
	maxLog     = 9  // the largest accuracy log, of lengths
	maxSymbols = 64 // more than any alphabet has
	leastLog   = 5
	weightLog  = 6 // the accuracy log of Huffman weights
)

// symbol describes the transitions for a symbol of an FSE code. From a state x, 1<<log or more,
// (x+delta)>>16 low bits are written. The rest of x plus find is the index of the next state.
type symbol struct {
	delta uint32
	find  int32
	extra uint32 // the number of the value's extra bits
	first uint32 // a state for the symbol
}

// coder encodes symbols by an FSE code (RFC 8878, section 4.1).
type coder struct {
	next    [1 << maxLog]uint16
	symbols [maxSymbols]symbol
	log     uint64
}

// norms holds the number of states of each symbol, as in the description of a code. -1 is one
// state, at the end.
type norms [maxSymbols]int16

// normalize distributes the 1<<log states of a code by the counts of its symbols. There are at
// least two symbols, and not more than states.
func (n *norms) normalize(counts []uint32, log uint) {
	total := uint64(0)
	for _, c := range counts {
		total += uint64(c)
	}
	left, best := 1<<log, 0
	for s, c := range counts {
		n[s] = 0
		if c > 0 {
			n[s] = int16(max(1, (uint64(c)<<log+total/2)/total))
			left -= int(n[s])
			if n[s] > n[best] {
				best = s
			}
		}
	}
	// Rounding errors go to the most frequent symbols, for which they cost least.
	for left < 0 {
		take := min(-left, max(1, int(n[best])/4))
		n[best] -= int16(take)
		left += take
		for s := range counts {
			if n[s] > n[best] {
				best = s
			}
		}
	}
	n[best] += int16(left)
}

// logFor returns the accuracy log for a code of total symbols, present of them different.
func logFor(total, present int, most uint) uint {
	log := uint(mathbits.Len(uint(total-1))) - 2
	return min(most, max(log, leastLog, uint(mathbits.Len(uint(present)))))
}

// noKind is the kind of a code whose symbols have no extra bits.
const noKind = zstdk.Kind(-1)

// build builds the tables of a code. count is the length of the alphabet.
func (c *coder) build(n *norms, count int, log uint, kind zstdk.Kind) {
	size := 1 << log
	mask, step := size-1, size>>1+size>>3+3
	var of [1 << maxLog]uint8 // the symbol of each state
	high := size - 1
	for s, k := range n[:count] {
		if k < 0 {
			of[high] = uint8(s)
			high--
		}
	}
	var starts [maxSymbols]int
	pos, start := 0, 0
	for s, k := range n[:count] {
		for range k {
			of[pos] = uint8(s)
			for pos = (pos + step) & mask; pos > high; {
				pos = (pos + step) & mask
			}
		}
		if k < 0 {
			k = 1
		}
		starts[s] = start
		bits := log + 1 - uint(mathbits.Len(uint(max(k, 1)-1)))
		e := symbol{delta: uint32(bits<<16) - uint32(k)<<bits, find: int32(start) - int32(k)}
		if kind != noKind {
			e.extra = uint32(kind.Extra(s))
		}
		c.symbols[s] = e
		start += int(k)
	}
	for i, s := range of[:size] {
		c.next[starts[s]] = uint16(size + i)
		starts[s]++
	}
	for s, k := range n[:count] {
		if k != 0 {
			c.symbols[s].first = uint32(c.next[int(c.symbols[s].find)+max(int(k), -int(k))])
		}
	}
	c.log = uint64(log)
}

// repeat sets the coder to a code of one symbol, which takes no bits.
func (c *coder) repeat(s, extra int) {
	c.log = 0
	c.next[0] = 1
	c.symbols[s] = symbol{delta: 1<<16 - 2, find: -1, extra: uint32(extra), first: 1}
}

// describe appends the description of a code (section 4.1.1).
func (n *norms) describe(dst []byte, count int, log uint) []byte {
	acc, have := uint64(log-leastLog), uint(4)
	put := func(v, bits uint) {
		acc |= uint64(v) << have
		for have += bits; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	left, width := uint(1)<<log+1, log+1
	for s := 0; s < count && left > 1; {
		half := uint(1) << (width - 1)
		short := 2*half - 1 - left
		switch v := uint(n[s] + 1); {
		case v < short:
			put(v, width-1)
		case v < half:
			put(v, width)
		default:
			put(v+short, width)
		}
		k := n[s]
		left -= uint(max(k, -k))
		s++
		if k == 0 {
			zeros := uint(0)
			for s < count && n[s] == 0 {
				zeros++
				s++
			}
			for ; zeros >= 3; zeros -= 3 {
				put(3, 2)
			}
			put(zeros, 2)
		}
		for left < 1<<(width-1) {
			width--
		}
	}
	if have > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// put writes the bits of a transition from state x for a symbol, and returns the next state.
func (c *coder) put(w bits, x uint32, e *symbol) (bits, uint32) {
	n := (x + e.delta) >> 16
	return w.low(x, n), uint32(c.next[(int32(x>>(n&31))+e.find)&(1<<maxLog-1)])
}
