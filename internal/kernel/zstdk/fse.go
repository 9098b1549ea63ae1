package zstdk

import (
	mathbits "math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

// An entry of an FSE decoding table (RFC 8878, section 4.1) has four fields. Bits 0-7 count the
// bits to read for the next state, and bits 16-31 are its base. Bits 8-15 count the value's extra
// bits, and bits 32-63 are its base. Adding entries adds their bit counts. Symbols are entries
// without the fields of the state.
const (
	extraAt = 8
	stateAt = 16
	valueAt = 32
)

// The largest accuracy logs of the tables, and sizes for the largest.
const (
	maxLiteralLog = 9
	maxOffsetLog  = 8
	maxMatchLog   = 9
	maxWeightLog  = 6
	fseSize       = 1 << 9
	maxSymbols    = 64
)

// table is a decoding table. Indices of its states are below 1<<log.
type table struct {
	entries [fseSize]uint64
	log     uint64
}

// counts holds the number of states of each symbol of an FSE code. -1 is one state, placed at the
// end. They add up to 1<<log.
type counts struct {
	of  [maxSymbols]int16
	n   int
	log uint
}

// read reads a table description (section 4.1.1) at src[at:end] and returns its end. It allows
// symbols up to most and accuracy logs up to maxLog.
func (c *counts) read(src []byte, at, end, most int, maxLog uint) (int, Status) {
	pos := uint(8 * at)
	c.log = uint(forward(src, pos, end)&15) + 5
	if c.log > maxLog {
		return 0, BadTable
	}
	pos += 4
	// A count takes values up to left. The lowest ones save the last bit.
	left := 1<<c.log + 1
	width := c.log + 1
	sym := 0
	for left > 1 {
		if sym > most {
			return 0, BadTable
		}
		acc := forward(src, pos, end)
		half := 1 << (width - 1)
		short := 2*half - 1 - left
		n := int(acc) & (half - 1)
		if n < short {
			pos += width - 1
		} else {
			n = int(acc) & (2*half - 1)
			if n >= half {
				n -= short
			}
			pos += width
		}
		n--
		c.of[sym] = int16(n)
		sym++
		if n < 0 {
			left--
			n = 1
		} else {
			left -= n
		}
		for n == 0 { // the number of further zeros, repeated while it is 3
			zeros := int(forward(src, pos, end) & 3)
			pos += 2
			if sym+zeros > most+1 {
				return 0, BadTable
			}
			clear(c.of[sym : sym+zeros])
			sym += zeros
			if zeros < 3 {
				break
			}
		}
		for left < 1<<(width-1) {
			width--
		}
	}
	if left != 1 {
		return 0, BadTable
	}
	c.n = sym
	at = int(pos+7) >> 3
	if at > end {
		return 0, BadTable
	}
	return at, OK
}

// forward returns at least 16 of the bits of src[:end] from bit pos, lowest first, with zeros after
// the end.
func forward(src []byte, pos uint, end int) uint32 {
	at := int(pos >> 3)
	if end-at >= 4 {
		return kernel.Load32(src, at) >> (pos & 7)
	}
	v := uint32(0)
	for i := at; i < end; i++ {
		v |= uint32(src[i]) << (8 * (i - at))
	}
	return v >> (pos & 7)
}

// buildGo builds the decoding table of a code with these counts (section 4.1.1), and consumes the
// counts. The argument symbols holds the symbols' entries without the fields of the state. If it is
// empty, the value is the symbol.
func buildGo(t *table, c *counts, symbols []uint64) {
	size := uint(1) << c.log
	mask := size - 1
	step := size>>1 + size>>3 + 3
	// Every entry gets its symbol, and temporarily the symbol's number in place of the next state.
	entry := func(s int) uint64 {
		if len(symbols) == 0 {
			return uint64(s)<<valueAt | uint64(s)<<stateAt
		}
		return symbols[s] + uint64(s)<<stateAt
	}
	high := size
	for s, n := range c.of[:c.n] {
		if n < 0 {
			high--
			t.entries[high&(fseSize-1)] = entry(s)
		}
	}
	pos := uint(0)
	for s, n := range c.of[:c.n] {
		if n < 0 {
			c.of[s] = 1
			continue
		}
		if n == 0 {
			continue
		}
		for e := entry(s); n > 0; n-- {
			t.entries[pos&(fseSize-1)] = e
			for pos = (pos + step) & mask; pos >= high; {
				pos = (pos + step) & mask
			}
		}
	}
	// The states of a symbol are consecutive, from its count.
	t.log = uint64(c.log)
	entries := t.entries[:size]
	for i, e := range entries {
		s := e >> stateAt & (maxSymbols - 1)
		n := uint16(c.of[s])
		c.of[s]++
		bits := c.log + 1 - uint(mathbits.Len16(n))
		entries[i] = e - s<<stateAt + uint64(bits) + uint64(uint(n)<<(bits&15)-size)<<stateAt
	}
}

// repeat builds the table of a code of one symbol, which takes no bits.
func (t *table) repeat(symbol uint64) {
	t.entries[0] = symbol
	t.log = 0
}
