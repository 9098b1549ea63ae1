package brotli

import (
	mathbits "math/bits"
	"math/rand/v2"
)

// writer packs bits, lowest first.
type writer struct {
	b []byte
	n int
}

func (w *writer) bit(v int) {
	if w.n%8 == 0 {
		w.b = append(w.b, 0)
	}
	w.b[w.n/8] |= byte(v << (w.n % 8))
	w.n++
}

func (w *writer) bits(v, k int) {
	for i := range k {
		w.bit(v >> i & 1)
	}
}

func (w *writer) align() { w.n = 8 * len(w.b) }

// fromBits makes a stream of its bits. A stroke goes on to the next byte; letters are
// bytes.
func fromBits(s string) []byte {
	var w writer
	for _, c := range []byte(s) {
		switch {
		case c == '0' || c == '1':
			w.bit(int(c - '0'))
		case c == '|':
			w.align()
		case c != ' ':
			w.bits(int(c), 8)
		}
	}
	return w.b
}

// number is the k lowest bits of v, for fromBits.
func number(v, k int) string {
	s := make([]byte, 0, k+1)
	for i := range k {
		s = append(s, byte('0'+v>>i&1))
	}
	return string(append(s, ' '))
}

// count writes a number from 1 to 256 as section 9.2 has it.
func (w *writer) count(n int) {
	if n == 1 {
		w.bit(0)
		return
	}
	k := mathbits.Len(uint(n-1)) - 1
	w.bit(1)
	w.bits(k, 3)
	w.bits(n-1-1<<k, k)
}

// code writes a simple prefix code of some of n symbols, which pick chooses.
func (w *writer) code(rng *rand.Rand, n int, pick func() int) {
	width := mathbits.Len(uint(n - 1))
	k := 1 + rng.IntN(min(4, n))
	var symbols []int
	for tries := 0; len(symbols) < k; tries++ {
		s := pick()
		if tries > 50 {
			s = rng.IntN(n)
		}
		again := false
		for _, other := range symbols {
			again = again || s == other
		}
		if !again {
			symbols = append(symbols, s)
		}
	}
	w.bits(1, 2)
	w.bits(k-1, 2)
	for _, s := range symbols {
		w.bits(s, width)
	}
	if k == 4 {
		w.bit(rng.IntN(2))
	}
}

// blocks writes the header of a kind of blocks and returns how many types there are.
func (w *writer) blocks(rng *rand.Rand) int {
	types := 1
	if rng.IntN(3) > 0 {
		types = 1 + rng.IntN(5)
	}
	w.count(types)
	if types > 1 {
		w.code(rng, types+2, func() int { return rng.IntN(types + 2) })
		w.bits(1, 4) // one size code, which has two extra bits
		w.bits(rng.IntN(4), 5)
		w.bits(rng.IntN(4), 2)
	}
	return types
}

// contextMap writes a map whose entries are random bits.
func (w *writer) contextMap(rng *rand.Rand) int {
	codes := 1
	if rng.IntN(3) > 0 {
		codes = 1 + rng.IntN(4)
	}
	w.count(codes)
	return codes
}

// random is a stream of two meta-blocks: an uncompressed one of stored bytes, and one of random
// bits.
type random struct {
	writer
	stored int
	sizeAt int // where the second one's size is, in 16 bits
}

// setSize writes the size of the second meta-block.
func (r *random) setSize(n int) {
	for i := range 16 {
		at := r.sizeAt + i
		r.b[at/8] = r.b[at/8]&^(1<<(at%8)) | byte((n-1)>>i&1<<(at%8))
	}
}

func randomStream(rng *rand.Rand) *random {
	w := &random{}
	if rng.IntN(2) == 0 {
		w.bit(0)
	} else {
		w.bits(1|2<<4, 7) // a window of 1008 bytes
	}
	n := rng.IntN(1500)
	w.stored = n
	if n > 0 {
		w.bits(0, 3)
		w.bits(n-1, 16)
		w.bit(1)
		w.align()
		for range n {
			w.bits(rng.IntN(256), 8)
		}
	}
	w.bits(1, 2) // the last one, not empty
	w.bits(0, 2)
	w.sizeAt = w.n
	w.bits(10+rng.IntN(500), 16)
	types := [3]int{w.blocks(rng), w.blocks(rng), w.blocks(rng)}
	postfix, direct := rng.IntN(4), rng.IntN(16)
	w.bits(postfix, 2)
	w.bits(direct, 4)
	for range types[0] {
		w.bits(rng.IntN(4), 2)
	}
	maps := func(contexts int) int {
		codes := w.contextMap(rng)
		if codes == 1 {
			return 1
		}
		if rng.IntN(2) == 0 {
			// Two symbols, a bit each.
			w.bit(0)
			w.bits(1, 2)
			w.bits(1, 2)
			width := mathbits.Len(uint(codes - 1))
			w.bits(0, width)
			w.bits(1+rng.IntN(codes-1), width)
			for range contexts {
				w.bit(rng.IntN(2))
			}
		} else {
			// Runs of zeros of 2 or 3, until half of the map is left; symbols without runs follow.
			w.bit(1)
			w.bits(0, 4)
			width := mathbits.Len(uint(codes))
			w.bits(1, 2)
			w.bits(1, 2)
			w.bits(1, width) // 0: a run of 2 or 3
			w.bits(2, width) // 1: the code 1
			for left := contexts; left > 0; {
				if left >= 3 && rng.IntN(2) == 0 {
					more := rng.IntN(2)
					w.bit(0)
					w.bit(more)
					left -= 2 + more
				} else {
					w.bit(1)
					left--
				}
			}
		}
		w.bit(rng.IntN(2)) // move to front
		return codes
	}
	litCodes := maps(litContexts * types[0])
	distCodes := maps(distContexts * types[2])
	for range litCodes {
		w.code(rng, 256, func() int { return rng.IntN(256) })
	}
	for range types[1] {
		w.code(rng, maxSymbols, func() int { return rng.IntN(704) &^ (4 << 3) &^ 4 })
	}
	n = 16 + direct<<postfix + 48<<postfix
	for range distCodes {
		w.code(rng, n, func() int { return rng.IntN(min(n, 16+direct<<postfix+8<<postfix)) })
	}
	for range 4000 {
		w.bit(rng.IntN(2))
	}
	return w
}
