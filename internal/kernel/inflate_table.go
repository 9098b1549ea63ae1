package kernel

import "math/bits"

// The decoding tables of Inflate have entries of 32 bits. The lowest 6 bits are always the number
// of bits that the entry consumes.
//
//	a literal  inflateLit; bits 16-23 the byte
//	a base     bits 16-31 the base; bits 8-11 the length of the code, after which the
//	           extra bits are
//	subtable   inflateSub; bits 16-31 where it begins; 8-11 the number of bits of its index
//	the rest   both bits of inflateOdd: the end of the block, or no code at all (inflateNone)
//
// An entry of a subtable counts the bits after those that selected the subtable.
const (
	inflateLit  = 1 << 6
	inflateOdd  = 3 << 14 // a bit of it in all but literals and bases
	inflateSub  = 1 << 14
	inflateNone = inflateOdd | 1<<16
)

// The index bits of the tables' first level. The sizes suffice for complete codes of up to 15 bits
// with their second levels.
const (
	inflateLitRoot, inflateLits   = 11, 2342
	inflateDistRoot, inflateDists = 8, 402

	inflateLitMask, inflateDistMask = 1<<inflateLitRoot - 1, 1<<inflateDistRoot - 1
)

// InflateMaxLits and InflateMaxDists bound the symbols of the codes.
const (
	InflateMaxLits  = 288
	InflateMaxDists = 32
)

// Codes builds the tables of a block from its code lengths, 0 to 15 bits: those of literals and
// lengths, and those of distances. It returns false for over-subscribed and incomplete codes. As in
// zlib, a code may have no symbol, or one of a single bit.
func (s *Inflate) Codes(lits, dists []uint8) bool {
	return inflateTable(s.lit[:], inflateLitRoot, lits, inflateLitSymbols[:], true) &&
		inflateTable(s.dist[:], inflateDistRoot, dists, inflateDistSymbols[:], true)
}

// InflateLengths is the table of the code in a block's header that encodes code lengths.
type InflateLengths [1 << inflateLengthRoot]uint32

const inflateLengthRoot = 7

// Set builds the table from the lengths, 0 to 7 bits, of its 19 codes. It returns false for an
// incomplete code.
func (t *InflateLengths) Set(lens []uint8) bool {
	return inflateTable(t[:], inflateLengthRoot, lens, inflateLitSymbols[:], false)
}

// Symbol returns the symbol at the lowest bits, and the number of its bits.
func (t *InflateLengths) Symbol(acc uint64) (sym int, bits uint) {
	e := t[acc&(1<<inflateLengthRoot-1)]
	return int(e >> 16), uint(e & 63)
}

// inflateTable fills a table of entries as above with the canonical code of these lengths. The
// argument symbols holds the entries without lengths. With partial, a code may have no symbol, or
// one symbol of one bit.
func inflateTable(table []uint32, root uint, lens []uint8, symbols []uint32, partial bool) bool {
	if len(lens) > InflateMaxLits || len(lens) > len(symbols) || len(table) < 1<<root {
		return false
	}
	var count, at [16]int
	for _, l := range lens {
		count[l&15]++
	}
	count[0] = 0
	left, longest := 1, uint(0)
	for l := uint(1); l < 16; l++ {
		if left = left<<1 - count[l]; left < 0 {
			return false
		}
		if count[l] > 0 {
			longest = l
		}
		if l > 1 {
			at[l] = at[l-1] + count[l-1]
		}
	}
	if left > 0 && (!partial || longest > 1) {
		return false
	}
	// Codes are assigned by length, then by symbol.
	var sorted [InflateMaxLits]uint16
	for sym, l := range lens {
		if l &= 15; l > 0 {
			sorted[at[l]] = uint16(sym)
			at[l]++
		}
	}

	// A code's first bit is the table's lowest. In this reversed order, the next code sets the
	// highest 0 and clears the ones above it. While codes fit the first level, each length doubles
	// the filled part.
	table[0] = inflateNone
	rev, i := 0, 0
	next := func(length uint) uint32 {
		e := symbols[sorted[i]]
		i++
		if e == inflateNone {
			return e
		}
		return e + uint32(length<<8|length)
	}
	for length := uint(1); length <= root; length++ {
		half := 1 << (length - 1)
		copy(table[half:2*half], table[:half])
		for range count[length] {
			table[rev] = next(length)
			rev = following(rev, length)
		}
	}
	used := 1 << root
	first, width := -1, uint(0)
	for length := root + 1; length <= longest; length++ {
		for ; count[length] > 0; count[length]-- {
			if at := rev & (1<<root - 1); at != first {
				// This is the shortest code of its prefix. The subtable is as wide as the remaining
				// codes can fill.
				first, width = at, length-root
				for room := 1 << width; root+width < longest; width++ {
					if room -= count[root+width]; room <= 0 {
						break
					}
					room <<= 1
				}
				if used+1<<width > len(table) {
					return false
				}
				table[first] = inflateSub | uint32(width<<8|root) | uint32(used)<<16
				used += 1 << width
			}
			e := next(length - root)
			sub := table[used-1<<width : used]
			for k := rev >> root; k < len(sub); k += 1 << (length - root) {
				sub[k] = e
			}
			rev = following(rev, length)
		}
	}
	return true
}

// following returns the code after rev, both reversed, or 0 after the last one.
func following(rev int, length uint) int {
	zeros := uint(rev) ^ (1<<length - 1)
	if zeros == 0 {
		return 0
	}
	top := 1 << (bits.Len(zeros) - 1)
	return rev&(top-1) | top
}

// The entries without lengths.
var (
	inflateLitSymbols  = litSymbols()
	inflateDistSymbols = distSymbols()
)

func litSymbols() (t [InflateMaxLits]uint32) {
	for i := range 256 {
		t[i] = uint32(i)<<16 | inflateLit
	}
	t[256] = inflateOdd
	base := uint32(3)
	for i := range 28 {
		extra := uint32(max(0, i/4-1))
		t[257+i] = base<<16 | extra
		base += 1 << extra
	}
	t[285] = 258 << 16
	t[286], t[287] = inflateNone, inflateNone
	return t
}

func distSymbols() (t [InflateMaxDists]uint32) {
	base := uint32(1)
	for i := range 30 {
		extra := uint32(max(0, i/2-1))
		t[i] = base<<16 | extra
		base += 1 << extra
	}
	t[30], t[31] = inflateNone, inflateNone
	return t
}
