package pcodec

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// modeKind selects how latent variables form numbers.
type modeKind uint8

const (
	classic    modeKind = iota // the number itself
	intMult                    // a multiple of an integer, and the rest
	floatMult                  // a multiple of a float, and how many floats beyond it
	floatQuant                 // the upper bits, and the lower ones
	dict                       // an entry of a dictionary
)

// mode is the mode of a chunk.
type mode struct {
	kind  modeKind
	base  uint64 // of intMult; of floatMult, in the order of floats
	shift uint   // of floatQuant
	words []byte // of dict: the entries, little-endian
}

// read reads the mode of n numbers.
func (m *mode) read(f *file, t number, n int) error {
	m.kind = modeKind(f.Bits(4))
	switch m.kind {
	case classic:
		return nil
	case intMult:
		if f.major == 0 {
			return &codec.UnsupportedError{Feature: "the greatest common divisors of pcodec format 0"}
		}
		m.base = f.Bits(t.width)
		if t.kind != dtype.Float {
			return nil
		}
	case floatMult:
		m.base = f.Bits(t.width)
		if t.kind == dtype.Float {
			return nil
		}
	case floatQuant:
		m.shift = uint(f.Bits(8))
		if t.kind == dtype.Float && m.shift <= mantissa(t.width) {
			return nil
		}
	case dict:
		count := int(f.Bits(25))
		f.Align()
		size := count * int(t.width/8)
		switch {
		case count > n:
			return codec.Corrupt("a dictionary of more entries than numbers")
		case int64(8*size) > f.Left():
			return codec.Truncated("ends inside of its dictionary")
		}
		m.words = f.Rest()[:size]
		f.Skip(int64(8 * size))
		return nil
	}
	return codec.Corrupt("a mode that the type of numbers cannot have")
}

// join combines the latent variables to k numbers, in the order of their type, in the primary one.
func (c *chunk) join(k int) error {
	out := c.primary.entries[:k]
	mask, middle := uint64(1)<<(c.width-1)<<1-1, uint64(1)<<(c.width-1)
	switch c.mode.kind {
	case intMult:
		for i, l := range c.secondary.entries[:k] {
			out[i] = (out[i]*c.mode.base + l) & mask
		}
	case floatMult:
		base := bitsOf(c.mode.base, c.number)
		for i, l := range c.secondary.entries[:k] {
			x := multiply(integerFloat(out[i], c.width), base, c.width)
			out[i] = (orderOf(x, c.width) + l + middle) & mask
		}
	case floatQuant:
		shift := c.mode.shift
		for i, l := range c.secondary.entries[:k] {
			// The lower bits count away from zero.
			if out[i] < middle>>shift {
				l = 1<<shift - 1 - l
			}
			out[i] = (out[i]<<shift + l) & mask
		}
	case dict:
		size := uint64(c.width / 8)
		count := uint64(len(c.mode.words)) / size
		for i, l := range out {
			if l >= count {
				return codec.Corrupt("beyond the end of the dictionary")
			}
			out[i] = 0
			for b, w := range c.mode.words[l*size:][:size] {
				out[i] |= uint64(w) << (8 * b)
			}
		}
	}
	return nil
}
