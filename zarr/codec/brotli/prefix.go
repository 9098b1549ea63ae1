package brotli

import mathbits "math/bits"

// An entry of a decoding table. Bits 0-4 are the length of the code. Bits 8-11 are the width of the
// subtable, or 0 for a symbol. Bits 16-31 are the symbol, or the start of the subtable in the
// code's table.
type entry uint32

func (e entry) length() uint { return uint(e & 31) }
func (e entry) width() uint  { return uint(e >> 8 & 15) }
func (e entry) value() int   { return int(e >> 16) }

// maxRoot is the largest width of a table's first level, in bits.
const maxRoot = 8

// A code is the start of a prefix code's table in the entries, and the width of its first level in
// bits.
type code struct {
	at   uint32
	root uint8
}

// maxCode is the longest code in bits.
const maxCode = 15

// symbol reads one symbol of the code.
func (w *work) symbol(c code) int {
	if w.in.n < maxCode {
		w.in.fill()
	}
	acc := w.in.acc
	e := w.entries[int(c.at)+int(acc&(1<<(c.root&63)-1))]
	if e.width() > 0 {
		e = w.entries[int(c.at)+e.value()+int(acc>>(c.root&63)&(1<<e.width()-1))]
	}
	w.in.drop(e.length())
	return e.value()
}

// maxSymbols is the size of the largest alphabet, that of commands.
const maxSymbols = 704

// readCode reads a prefix code for an alphabet of n symbols (section 3.3).
func (w *work) readCode(n int) (code, error) {
	lens := w.lens[:n]
	clear(lens)
	skip := w.in.read(2)
	if skip != 1 {
		if err := w.readLengths(lens, skip); err != nil {
			return code{}, err
		}
		return w.build(lens), nil
	}

	// A simple code (3.4) lists its symbols.
	count := w.in.read(2) + 1
	var symbols [4]int
	width := uint(mathbits.Len(uint(n - 1)))
	for i := range count {
		s := w.in.read(width)
		if s >= n {
			return code{}, errCode
		}
		for _, other := range symbols[:i] {
			if s == other {
				return code{}, errCode
			}
		}
		symbols[i] = s
	}
	var shape [4]uint8
	switch count {
	case 1:
		return w.single(symbols[0]), nil
	case 2:
		shape = [4]uint8{1, 1}
	case 3:
		shape = [4]uint8{1, 2, 2}
	default:
		shape = [4]uint8{2, 2, 2, 2}
		if w.in.read(1) == 1 {
			shape = [4]uint8{1, 2, 3, 3}
		}
	}
	for i, s := range symbols[:count] {
		lens[s] = shape[i]
	}
	return w.build(lens), nil
}

// lengthOrder is the order of the lengths of the code of lengths.
var lengthOrder = [18]uint8{1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// lengthCode is the fixed code of those lengths, indexed by the next four bits. It has the length
// of the code (high) and the symbol.
var lengthCode = [16]uint8{0x20, 0x24, 0x23, 0x32, 0x20, 0x24, 0x23, 0x41, 0x20, 0x24, 0x23, 0x32, 0x20, 0x24, 0x23, 0x45}

// readLengths reads the lengths of a complex code (3.5). The first skip lengths of their code are
// absent.
func (w *work) readLengths(lens []uint8, skip int) error {
	var of [18]uint8
	space, count, only := 32, 0, 0
	for _, s := range lengthOrder[skip:] {
		if w.in.n < 4 {
			w.in.fill()
		}
		e := lengthCode[w.in.acc&15]
		w.in.drop(uint(e >> 4))
		if of[s] = e & 15; of[s] == 0 {
			continue
		}
		count++
		only = int(s)
		if space -= 32 >> of[s]; space <= 0 {
			break
		}
	}
	if space != 0 && count != 1 {
		return errCode
	}
	// The table of this code is not needed afterwards.
	mark := len(w.entries)
	defer func() { w.entries = w.entries[:mark] }()
	var c code
	if count == 1 {
		c = w.single(only)
	} else {
		c = w.build(of[:])
	}

	space = 1 << maxCode
	last := uint8(8)         // the last nonzero length
	run, repeated := 0, 0    // how often the last symbol has repeated, if it repeats
	for i := 0; space > 0; { // i is the next symbol
		if i == len(lens) {
			return errCode
		}
		s := w.symbol(c)
		if s < 16 {
			lens[i] = uint8(s)
			i++
			run = 0
			if s > 0 {
				last = uint8(s)
				space -= 1 << (maxCode - s)
			}
			continue
		}
		// Consecutive repeat symbols of the same kind are digits of one number.
		extra, l := uint(2), last
		if s == 17 {
			extra, l = 3, 0
		}
		if run > 0 && repeated != int(l) {
			run = 0
		}
		repeated = int(l)
		before := run
		if run > 0 {
			run = (run - 2) << extra
		}
		run += w.in.read(extra) + 3
		if run-before > len(lens)-i {
			return errCode
		}
		for range run - before {
			lens[i] = l
			i++
		}
		if l > 0 {
			space -= (run - before) << (maxCode - l)
		}
	}
	if space < 0 {
		return errCode
	}
	return nil
}

// single makes the code of one symbol, which takes no bits.
func (w *work) single(symbol int) code {
	c := code{at: uint32(len(w.entries))}
	w.entries = append(w.entries, entry(symbol<<16))
	return c
}

// build makes the table of the canonical code with these lengths, which must be complete.
func (w *work) build(lens []uint8) code {
	var count, at [maxCode + 1]int
	longest := uint(0)
	for _, l := range lens {
		count[l]++
		longest = max(longest, uint(l))
	}
	for l := 2; l <= maxCode; l++ {
		at[l] = at[l-1] + count[l-1]
	}
	// Codes are assigned by length, then by symbol.
	var sorted [maxSymbols]uint16
	for s, l := range lens {
		if l > 0 {
			sorted[at[l]] = uint16(s)
			at[l]++
		}
	}

	root := min(longest, maxRoot)
	start := len(w.entries)
	w.extend(1 << root)
	bits, i := 0, 0
	for length := uint(1); length <= longest; length++ {
		bits <<= 1
		for ; count[length] > 0; count[length]-- {
			e := entry(length) | entry(sorted[i])<<16
			// Streams hold codes with their first bit lowest: the index is the code reversed.
			rev := int(mathbits.Reverse16(uint16(bits)) >> (16 - length))
			bits++
			i++
			if length <= root {
				for k := rev; k < 1<<root; k += 1 << length {
					w.entries[start+k] = e
				}
				continue
			}
			first := start + rev&(1<<root-1)
			if w.entries[first].width() == 0 {
				// This is its prefix's shortest code. The subtable is as wide as the remaining
				// codes can fill.
				width := length - root
				for room := 1 << width; root+width < longest; width++ {
					if room -= count[root+width]; room <= 0 {
						break
					}
					room <<= 1
				}
				w.entries[first] = entry(width<<8) | entry(len(w.entries)-start)<<16
				w.extend(1 << width)
			}
			sub, width := start+w.entries[first].value(), w.entries[first].width()
			for k := rev >> root; k < 1<<width; k += 1 << (length - root) {
				w.entries[sub+k] = e
			}
		}
	}
	return code{at: uint32(start), root: uint8(root)}
}

// extend adds k empty entries, at most a first level.
func (w *work) extend(k int) {
	var none [1 << maxRoot]entry
	w.entries = append(w.entries, none[:k]...)
}
