package zstdenc

import (
	mathbits "math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

const (
	// MaxBlock is the largest block, in bytes.
	MaxBlock = 128 << 10
	// MaxSource is the length up to which places fit the table and the offsets the codes.
	MaxSource = 1<<31 - 1

	// hashLog is the logarithm of the table's length, and hashBytes the number of bytes in a hash.
	// A smaller table stays in the processor's nearest cache.
	hashLog   = 14
	hashBytes = 6
	hashPrime = 0x9e3779b97f4a7c15

	minMatch = 4
	// margin is the number of bytes at the end of a block in which no match begins. Loads at the
	// places that are examined stay within the block.
	margin = 16
	// patience is the logarithm of the number of bytes without a match after which steps grow by
	// one.
	patience = 7
	// regular is the largest length, in bytes, of runs and matches that are expected to repeat.
	regular = 8
	// overrun is the number of bytes beyond the literals that may be written.
	overrun = 16

	maxSequences = MaxBlock/minMatch + 1
)

// Sequence is a run of literals, and a match that follows it.
type Sequence struct {
	Literals uint32 // the length of the run
	Match    uint32 // the length of the match, less 3
	Offset   uint32 // the distance, plus 3; or 1, the most recent one that is not implied
	codes    uint32 // in bits 0-7 the literals' code, in 8-15 the match's, in 16-23 the offset's
}

// Search finds the matches of a frame, block by block.
type Search struct {
	table     [1 << hashLog]uint32 // the last place of each hash
	sequences [maxSequences]Sequence
	literals  [MaxBlock + overrun]byte
	count     int // of sequences
	length    int // of literals
	end       int // of the last match
	run       int // the literals before the last match of the table
	recent    [2]int
}

// Begin prepares for a frame.
func (s *Search) Begin() {
	clear(s.table[:])
	s.run, s.recent = 0, [2]int{1, 4}
}

// Block finds the matches in src[from:to]. They begin anywhere in src[:to]. The range has at most
// MaxBlock bytes, and to is at most MaxSource. The blocks of a frame follow each other.
func (s *Search) Block(src []byte, from, to int) {
	_ = src[from:to]
	if to-from > MaxBlock || to > MaxSource || from < 0 {
		panic("zstdenc: a block of the wrong size")
	}
	s.count, s.length, s.end = 0, 0, from
	if to-from > margin {
		search(s, src[:to], from)
	}
	s.length += copy(s.literals[s.length:], src[s.end:to])
}

// Sequences returns the matches of the block.
func (s *Search) Sequences() []Sequence { return s.sequences[:s.count] }

// Literals returns the literals of the block, including those after the last match.
func (s *Search) Literals() []byte { return s.literals[:s.length] }

// Recent returns the recent offsets. After a block that is stored without sequences, Restore sets
// them to those before it.
func (s *Search) Recent() [2]int { return s.recent }

// Restore sets the recent offsets.
func (s *Search) Restore(recent [2]int) { s.recent = recent }

// hash returns the hash of the first bytes of v.
func hash(v uint64) uint64 {
	return v << (64 - 8*hashBytes) * hashPrime >> (64 - hashLog)
}

// searchGo finds the matches of a block from place from to the end of src. Elements whose lower
// bytes are noise have short runs and matches in turn. After two equal runs it expects a third one,
// and examines the place after it first.
func searchGo(s *Search, src []byte, from int) {
	near, far := s.recent[0], s.recent[1]
	end := len(src)
	anchor := from // the end of the last match
	ahead := 0     // the literals that are expected after it
	for p := max(from, 1); p < end-margin; {
		v := kernel.Load64(src, p)
		slot, next := &s.table[hash(v)], &s.table[hash(v>>8)]
		a, b := int(*slot), int(*next)
		begin := p
		var at, other int
		switch {
		case kernel.Load32(src, p+2-near) == uint32(v>>16):
			at, other = p+2, p+2-near
		case kernel.Load32(src, a) == uint32(v):
			at, other = p, a
		case kernel.Load32(src, b) == uint32(v>>8):
			at, other = p+1, b
		default:
			if ahead > 0 {
				p, ahead = anchor, 0
				continue
			}
			*slot, *next = uint32(p), uint32(p+1)
			p += 2 + (p-anchor)>>patience
			continue
		}
		*slot, *next = uint32(p), uint32(p+1)
		// After an empty run of literals, 1 would mean another offset.
		first, value := anchor, uint32(1)
		if at-other == near && at > anchor {
			first++
		} else {
			far, near = near, at-other
			value = uint32(near) + 3
		}
		for at > first && other > 0 && src[at-1] == src[other-1] {
			at--
			other--
		}
		p = at + minMatch + common(src, at+minMatch, other+minMatch)
		s.add(src, anchor, at, p, value)
		ahead = 0
		if at-anchor == s.run && max(s.run, p-at) <= regular {
			ahead = s.run
		}
		s.run = at - anchor
		anchor = p
		if p >= end-margin {
			break
		}
		s.table[hash(kernel.Load64(src, begin+2))] = uint32(begin + 2)
		s.table[hash(kernel.Load64(src, p-2))] = uint32(p - 2)
		for p < end-margin && kernel.Load32(src, p) == kernel.Load32(src, p-far) {
			near, far = far, near
			s.table[hash(kernel.Load64(src, p))] = uint32(p)
			p += minMatch + common(src, p+minMatch, p+minMatch-near)
			s.add(src, anchor, anchor, p, 1)
			anchor = p
		}
		p += ahead
	}
	s.recent = [2]int{near, far}
	s.end = anchor
}

// add adds a match of src[at:end] after the literals src[anchor:at].
func (s *Search) add(src []byte, anchor, at, end int, offset uint32) {
	n := at - anchor
	if n <= 16 && anchor+16 <= len(src) {
		to := s.literals[s.length : s.length+16]
		kernel.Store64(to, 0, kernel.Load64(src, anchor))
		kernel.Store64(to, 8, kernel.Load64(src, anchor+8))
	} else {
		copy(s.literals[s.length:], src[anchor:at])
	}
	s.length += n
	s.sequences[s.count] = Sequence{Literals: uint32(n), Match: uint32(end - at - 3), Offset: offset}
	s.count++
}

// common returns the number of bytes from a on, up to the end of src, that equal those from b on.
// Place b is before a.
func common(src []byte, a, b int) int {
	begin := a
	for a+8 <= len(src) {
		if x := kernel.Load64(src, a) ^ kernel.Load64(src, b); x != 0 {
			return a - begin + mathbits.TrailingZeros64(x)>>3
		}
		a += 8
		b += 8
	}
	for a < len(src) && src[a] == src[b] {
		a++
		b++
	}
	return a - begin
}
