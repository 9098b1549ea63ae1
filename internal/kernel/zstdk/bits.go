package zstdk

import mathbits "math/bits"

// The bit streams of a block are read from their ends to their beginnings. A
// reader is one number: how many bits of src, counted from the start of the whole
// input, lie before what is read next. That leaves a loop little to hold, and
// since every stream has at least [before] bytes of headers before it, words can
// be loaded at its beginning too: what lies before it is noticed afterwards.

// before is how many bytes there must be before a stream: a word.
const before = 8

// lookahead is how many bits a look ahead has at least.
const lookahead = 57

// streamEnd returns where reading src[from:to] begins: below the highest bit that
// is set in its last byte.
func streamEnd(src []byte, from, to int) (int, bool) {
	if from < before || from >= to || src[to-1] == 0 {
		return 0, false
	}
	return 8*to - 9 + mathbits.Len8(src[to-1]), true
}

// word returns where the 8 bytes begin that end with the bit before at. Loaded and
// shifted left by pad(at), they begin with that bit. At must be at least 57.
//
// That the two are not one function has a reason: for wasm, the compiler would not inline it.
func word(at int) int { return int(uint(at-lookahead) >> 3) }

// pad returns how many bits of the last byte of word(at) are behind at.
func pad(at int) uint { return uint(-at) & 7 }

// top returns the n highest bits of acc, n < 64. (A shift by 64-n would be wrong
// for n = 0 or need a comparison.)
func top(acc uint64, n uint64) uint64 {
	return acc >> 1 >> (^n & 63)
}
