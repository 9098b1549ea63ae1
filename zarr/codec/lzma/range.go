package lzma

// Probabilities have 11 bits. Each decoded bit moves its probability by a 32nd of the distance to
// certainty. The range is refilled when it has 24 bits or fewer.
const (
	probBits = 11
	probInit = 1 << probBits / 2
	moveBits = 5
	topRange = 1 << 24
	// A probability p goes to p - p>>moveBits after a one and to
	// p - (p-moveUp)>>moveBits after a zero.
	moveUp = 1<<probBits - 1<<moveBits + 1
)

// coder is the state of the range decoder. Its methods return the new state, so that it can live in
// registers.
type coder struct {
	rng, code uint32
	pos       int // of the next byte
}

// bit decodes one bit and adapts its probability.
func (c coder) bit(src []byte, p *uint16) (coder, bool) {
	if c.rng < topRange {
		c.rng <<= 8
		c.code = c.code<<8 | uint32(src[c.pos])
		c.pos++
	}
	v := uint32(*p)
	bound := c.rng >> probBits * v
	if c.code < bound {
		c.rng = bound
		*p = uint16(v + (1<<probBits-v)>>moveBits)
		return c, false
	}
	c.rng -= bound
	c.code -= bound
	*p = uint16(v - v>>moveBits)
	return c, true
}

// tree decodes a symbol of len(p) (a power of two) values, highest bit first;
// p[1:] are the probabilities of the nodes.
func (c coder) tree(src []byte, p []uint16) (coder, uint32) {
	rng, code, pos := c.rng, c.code, c.pos
	sym := uint32(1)
	for sym < uint32(len(p)) {
		if rng < topRange {
			rng <<= 8
			code = code<<8 | uint32(src[pos])
			pos++
		}
		v := uint32(p[sym])
		bound := rng >> probBits * v
		if code < bound {
			rng = bound
			p[sym] = uint16(v + (1<<probBits-v)>>moveBits)
			sym <<= 1
		} else {
			rng -= bound
			code -= bound
			p[sym] = uint16(v - v>>moveBits)
			sym = sym<<1 | 1
		}
	}
	return coder{rng, code, pos}, sym - uint32(len(p))
}

// reverse decodes n bits of a tree whose lowest bit comes first.
func (c coder) reverse(src []byte, p []uint16, n uint) (coder, uint32) {
	sym, sum := 1, uint32(0)
	for i := range n {
		var b bool
		if c, b = c.bit(src, &p[sym]); b {
			sum |= 1 << i
			sym = sym<<1 | 1
		} else {
			sym <<= 1
		}
	}
	return c, sum
}

// direct decodes n bits that have no probabilities.
func (c coder) direct(src []byte, n uint) (coder, uint32) {
	rng, code, pos := c.rng, c.code, c.pos
	sum := uint32(0)
	for range n {
		if rng < topRange {
			rng <<= 8
			code = code<<8 | uint32(src[pos])
			pos++
		}
		rng >>= 1
		code -= rng
		under := uint32(int32(code) >> 31) // all ones: it was less, the bit is 0
		code += rng & under
		sum = sum<<1 + 1 + under
	}
	return coder{rng, code, pos}, sum
}

// normalize refills the range.
func (c coder) normalize(src []byte) coder {
	if c.rng < topRange {
		c.rng <<= 8
		c.code = c.code<<8 | uint32(src[c.pos])
		c.pos++
	}
	return c
}

// literal decodes a byte. Its bits are hard to predict, also for the processor: the code computes
// both outcomes instead of branching.
func (c coder) literal(src []byte, p *[0x300]uint16) (coder, byte) {
	rng, code, pos := c.rng, c.code, c.pos
	sym := uint32(1)
	for sym < 0x100 {
		if rng < topRange {
			rng <<= 8
			code = code<<8 | uint32(src[pos])
			pos++
		}
		v := uint32(p[sym])
		bound := rng >> probBits * v
		zero := uint32(int64(uint64(code)-uint64(bound)) >> 63) // all ones for a zero
		rng -= bound
		rng ^= (rng ^ bound) & zero
		code -= bound &^ zero
		p[sym] = uint16(v - uint32(int32(v-zero&moveUp)>>moveBits))
		sym = sym<<1 + 1 + zero
	}
	return coder{rng, code, pos}, byte(sym)
}

// matched decodes a byte after a match. It likely differs from seen, the byte at the match's
// distance. Up to the first differing bit, the bits of seen select the probabilities.
func (c coder) matched(src []byte, p *[0x300]uint16, seen byte) (coder, byte) {
	rng, code, pos := c.rng, c.code, c.pos
	sym := uint32(1)
	same, ahead := uint32(0x100), uint32(seen)
	for sym < 0x100 {
		if rng < topRange {
			rng <<= 8
			code = code<<8 | uint32(src[pos])
			pos++
		}
		ahead <<= 1
		bit := ahead & same
		i := same + bit + sym
		v := uint32(p[i])
		bound := rng >> probBits * v
		zero := uint32(int64(uint64(code)-uint64(bound)) >> 63)
		rng -= bound
		rng ^= (rng ^ bound) & zero
		code -= bound &^ zero
		p[i] = uint16(v - uint32(int32(v-zero&moveUp)>>moveBits))
		sym = sym<<1 + 1 + zero
		same &= bit ^ zero
	}
	return coder{rng, code, pos}, byte(sym)
}
