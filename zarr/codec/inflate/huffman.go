package inflate

import mathbits "math/bits"

// An entry of a decoding table: bits 0-4 the length of the code, 5-7 its kind,
// 8-11 how many extra bits follow (or are looked up in the subtable), 16-31 the
// literal, the base, or where the subtable begins. The zero entry is no code.
type entry uint32

const (
	invalid = iota
	literal
	match
	endOfBlock
	subtable
)

func (e entry) length() uint { return uint(e & 31) }
func (e entry) kind() uint   { return uint(e >> 5 & 7) }
func (e entry) extra() uint  { return uint(e >> 8 & 15) }
func (e entry) value() int   { return int(e >> 16) }

func pack(kind, extra uint, value int) entry {
	return entry(kind<<5 | extra<<8 | uint(value)<<16)
}

// The first level of the tables is looked up with so many bits. The sizes are
// the most that complete codes of at most 15 bits need with second levels.
const (
	litRoot, litSize   = 10, 1334
	distRoot, distSize = 8, 402
	codeRoot, codeSize = 7, 128
)

// tables are the codes of one block.
type tables struct {
	lit     [litSize]entry
	dist    [distSize]entry
	code    [codeSize]entry
	isFixed bool
}

func litEntry(sym int) entry {
	switch {
	case sym < 256:
		return pack(literal, 0, sym)
	case sym == 256:
		return pack(endOfBlock, 0, 0)
	case sym-257 < len(lengthBase):
		return pack(match, uint(lengthBits[sym-257]), int(lengthBase[sym-257]))
	}
	return 0
}

func distEntry(sym int) entry {
	if sym < len(distBase) {
		return pack(match, uint(distBits[sym]), int(distBase[sym]))
	}
	return 0
}

func codeEntry(sym int) entry { return pack(literal, 0, sym) }

// fixed sets the codes of blocks of type 1.
func (t *tables) fixed() {
	if t.isFixed {
		return
	}
	var lens [288 + 32]uint8
	for i := range lens {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		case i < 288:
			lens[i] = 8
		default:
			lens[i] = 5
		}
	}
	makeTable(t.lit[:], litRoot, lens[:288], false, litEntry)
	makeTable(t.dist[:], distRoot, lens[288:], false, distEntry)
	t.isFixed = true
}

// dynamic reads the codes of a block of type 2.
func (t *tables) dynamic(in *bits) error {
	t.isFixed = false
	in.fill()
	if in.n < 14 {
		return errEnd
	}
	nlit, ndist, ncode := in.take(5)+257, in.take(5)+1, in.take(4)+4
	if nlit > 286 || ndist > 30 {
		return errCodes
	}
	var lens [286 + 30]uint8
	var codeLens [19]uint8
	for _, sym := range codeOrder[:ncode] {
		in.fill()
		if in.n < 3 {
			return errEnd
		}
		codeLens[sym] = uint8(in.take(3))
	}
	if !makeTable(t.code[:], codeRoot, codeLens[:], false, codeEntry) {
		return errCodes
	}
	for i := 0; i < nlit+ndist; {
		in.fill()
		e, err := in.look(t.code[:], codeRoot)
		if err != nil {
			return err
		}
		sym := e.value()
		if sym < 16 {
			lens[i] = uint8(sym)
			i++
			continue
		}
		var extra uint
		var repeat int
		var l uint8
		switch sym {
		case 16:
			if i == 0 {
				return errCodes
			}
			extra, repeat, l = 2, 3, lens[i-1]
		case 17:
			extra, repeat = 3, 3
		default:
			extra, repeat = 7, 11
		}
		if in.n < extra {
			return errEnd
		}
		repeat += in.take(extra)
		if repeat > nlit+ndist-i {
			return errCodes
		}
		for range repeat {
			lens[i] = l
			i++
		}
	}
	if lens[256] == 0 || // no code ends the block
		!makeTable(t.lit[:], litRoot, lens[:nlit], true, litEntry) ||
		!makeTable(t.dist[:], distRoot, lens[nlit:nlit+ndist], true, distEntry) {
		return errCodes
	}
	return nil
}

// makeTable builds the decoding table of the canonical code with these lengths.
// It is false for codes that are over-subscribed or incomplete; partial allows,
// as zlib does, codes that have no symbol or one of a single bit.
func makeTable(table []entry, root uint, lens []uint8, partial bool, symbol func(int) entry) bool {
	var count, at [16]int
	for _, l := range lens {
		count[l]++
	}
	left, longest := 1, uint(0)
	for l := 1; l < 16; l++ {
		if left = left<<1 - count[l]; left < 0 {
			return false
		}
		if count[l] > 0 {
			longest = uint(l)
		}
		if l > 1 {
			at[l] = at[l-1] + count[l-1]
		}
	}
	if left > 0 && (!partial || longest > 1) {
		return false
	}
	// Codes are given out by length, then by symbol.
	var sorted [288]uint16
	for sym, l := range lens {
		if l > 0 {
			sorted[at[l]] = uint16(sym)
			at[l]++
		}
	}

	clear(table[:1<<root])
	used := 1 << root
	code, i := 0, 0
	for length := uint(1); length <= longest; length++ {
		code <<= 1
		for ; count[length] > 0; count[length]-- {
			e := symbol(int(sorted[i]))
			if e != 0 {
				e |= entry(length)
			}
			// Streams hold codes with their first bit lowest: the index is the code reversed.
			rev := int(mathbits.Reverse16(uint16(code)) >> (16 - length))
			code++
			i++
			if length <= root {
				for k := rev; k < 1<<root; k += 1 << length {
					table[k] = e
				}
				continue
			}
			first := rev & (1<<root - 1)
			if table[first].kind() != subtable {
				// This is its prefix's shortest code; the subtable is as wide as
				// the codes still to be given out can fill.
				width := length - root
				for room := 1 << width; root+width < longest; width++ {
					if room -= count[root+width]; room <= 0 {
						break
					}
					room <<= 1
				}
				if used+1<<width > len(table) {
					return false
				}
				clear(table[used : used+1<<width])
				table[first] = pack(subtable, width, used)
				used += 1 << width
			}
			sub, width := table[first].value(), table[first].extra()
			for k := rev >> root; k < 1<<width; k += 1 << (length - root) {
				table[sub+k] = e
			}
		}
	}
	return true
}
