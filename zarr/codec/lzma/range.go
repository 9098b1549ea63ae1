package lzma

// Probabilities have 11 bits; a bit that was right or wrong moves them by a
// 32nd of what is left. The range is refilled when it has 24 bits or fewer.
const (
	probBits = 11
	probInit = 1 << probBits / 2
	moveBits = 5
	topRange = 1 << 24
)

// coder is the state of the range decoder. Its methods return the state anew,
// so that it can live in registers.
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
