package zstdk

import mathbits "math/bits"

// The bit streams of a block are read backwards. A reader is one number: the count of bits of src,
// from the start of the whole input, before the next one to read. A loop thus needs few registers.
// Every stream follows at least [before] bytes of headers, so words can also be loaded at its
// start; reads beyond the start are detected afterwards.

// before is the number of bytes before every stream: a word.
const before = 8

// lookahead is the least number of valid bits in a word.
const lookahead = 57

// streamEnd returns the first position to read in src[from:to]: below the highest set bit of its
// last byte.
func streamEnd(src []byte, from, to int) (int, bool) {
	if from < before || from >= to || src[to-1] == 0 {
		return 0, false
	}
	return 8*to - 9 + mathbits.Len8(src[to-1]), true
}

// word returns the start of the 8 bytes that end with the bit before at. Loaded and shifted left by
// pad(at), they begin with that bit. at must be at least 57.
//
// word and pad are separate functions because the compiler would not inline one function for wasm.
func word(at int) int { return int(uint(at-lookahead) >> 3) }

// pad returns the number of bits after at in the last byte of word(at).
func pad(at int) uint { return uint(-at) & 7 }

// top returns the n highest bits of acc, n < 64. A shift by 64-n would be wrong for n = 0, or need
// a comparison.
func top(acc uint64, n uint64) uint64 {
	return acc >> 1 >> (^n & 63)
}
