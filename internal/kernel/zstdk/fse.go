package zstdk

import (
	mathbits "math/bits"

	"zarr-wasm/internal/kernel"
)

// An entry of an FSE decoding table (RFC 8878, section 4.1): bits 0-7 how many
// bits the next state takes, 8-15 how many extra bits the value has, 16-31 what
// is added to the bits of the next state, 32-63 what is added to the extra bits.
// Entries can be added up to learn how many bits they take together. Symbols are
// entries without what belongs to the state.
const (
	ExtraAt = 8
	stateAt = 16
	ValueAt = 32
)

// The largest accuracy logs of the tables, and what fits the largest of them.
const (
	MaxLiteralLog = 9
	MaxOffsetLog  = 8
	MaxMatchLog   = 9
	maxWeightLog  = 6
	fseSize       = 1 << 9
	MaxSymbols    = 64
)

// Table is a decoding table. Indices of its states are below 1<<log.
type Table struct {
	entries [fseSize]uint64
	log     uint64
}

// Counts are how often the symbols of an FSE code are in its table; -1 is the
// same as 1 but for where the symbol is put.
type Counts struct {
	Of  [MaxSymbols]int16
	N   int
	Log uint
}

// Read reads a table description (section 4.1.1) at src[at:end] and returns where it ends.
// It allows symbols up to most and accuracy logs up to maxLog.
func (c *Counts) Read(src []byte, at, end, most int, maxLog uint) (int, Status) {
	pos := uint(8 * at)
	c.Log = uint(forward(src, pos, end)&15) + 5
	if c.Log > maxLog {
		return 0, BadTable
	}
	pos += 4
	// A count takes values up to left: those of its lowest that need no last bit save it.
	left := 1<<c.Log + 1
	width := c.Log + 1
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
		c.Of[sym] = int16(n)
		sym++
		if n < 0 {
			left--
			n = 1
		} else {
			left -= n
		}
		for n == 0 { // how many more zeros there are, until it is not 3
			zeros := int(forward(src, pos, end) & 3)
			pos += 2
			if sym+zeros > most+1 {
				return 0, BadTable
			}
			clear(c.Of[sym : sym+zeros])
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
	c.N = sym
	at = int(pos+7) >> 3
	if at > end {
		return 0, BadTable
	}
	return at, OK
}

// forward returns at least 16 of the bits of src[:end] from bit pos on, lowest
// first; behind the end there are zeros.
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

// Build makes the decoding table of a code with these counts (section 4.1.1).
// symbols are the symbols' entries without what belongs to the state; where
// there are none, the value is the symbol.
func (t *Table) Build(c *Counts, symbols []uint64) {
	size := uint(1) << c.Log
	mask := size - 1
	step := size>>1 + size>>3 + 3
	var spread [fseSize]uint8
	var next [MaxSymbols]uint16
	high := size
	for s, n := range c.Of[:c.N] {
		if n < 0 {
			high--
			spread[high&(fseSize-1)] = uint8(s)
			n = 1
		}
		next[s&(MaxSymbols-1)] = uint16(n)
	}
	pos := uint(0)
	if high == size {
		for s, n := range c.Of[:c.N] {
			for range n {
				spread[pos&(fseSize-1)] = uint8(s)
				pos = (pos + step) & mask
			}
		}
	} else {
		for s, n := range c.Of[:c.N] {
			for ; n > 0; n-- {
				spread[pos&(fseSize-1)] = uint8(s)
				for pos = (pos + step) & mask; pos >= high; {
					pos = (pos + step) & mask
				}
			}
		}
	}
	t.log = uint64(c.Log)
	entries := t.entries[:size]
	for i := range entries {
		s := uint(spread[i&(fseSize-1)]) & (MaxSymbols - 1)
		n := next[s]
		next[s]++
		bits := c.Log + 1 - uint(mathbits.Len16(n))
		e := uint64(s) << ValueAt
		if s < uint(len(symbols)) {
			e = symbols[s]
		}
		entries[i] = e + uint64(bits) + uint64(uint(n)<<(bits&15)-size)<<stateAt
	}
}

// Repeat makes the table of a code of one symbol, which takes no bits.
func (t *Table) Repeat(symbol uint64) {
	t.entries[0] = symbol
	t.log = 0
}

// Copy makes t the same as from.
func (t *Table) Copy(from *Table) {
	copy(t.entries[:1<<from.log], from.entries[:])
	t.log = from.log
}
