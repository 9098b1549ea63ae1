package lzma

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

var (
	errEnd      = codec.Truncated("the LZMA stream ends too early")
	errChunk    = codec.Corrupt("the data of an LZMA2 chunk is longer than the chunk")
	errProps    = codec.Corrupt("the LZMA properties are not valid")
	errDistance = codec.Corrupt("an LZMA match starts before the data")
	errLength   = codec.Corrupt("an LZMA match continues after the end")
	errMarker   = codec.Corrupt("an LZMA end marker at an invalid place")
	errFinish   = codec.Corrupt("the LZMA data ends with a wrong state of its range coder")
	errStart    = codec.Corrupt("LZMA data does not begin with a zero")
)

const (
	states   = 16 // 12 of them are used
	maxMatch = 273
	// A symbol takes at most 20 bytes, or 21 with the byte that ends a stream.
	maxSymbol = 24
)

// lengths are the probabilities of match lengths.
type lengths struct {
	choice, choice2 uint16
	low, mid        [16][8]uint16
	high            [256]uint16
}

// probs holds all probabilities except those of literals. The arrays have room for unused states,
// so that indices can be masked instead of checked.
type probs struct {
	match     [states][16]uint16
	rep       [states]uint16
	rep0      [states]uint16
	rep1      [states]uint16
	rep2      [states]uint16
	rep0Long  [states][16]uint16
	slot      [4][64]uint16
	special   [128]uint16
	align     [16]uint16
	len, rlen lengths
}

// properties are the parameters of an LZMA stream. The probabilities of literals depend on lc bits
// of the previous byte and lp bits of the position. The other ones depend on pb bits of the
// position.
type properties struct{ lc, lp, pb uint8 }

// unpack reads the byte with the properties.
func (p *properties) unpack(b byte) error {
	if b >= 9*5*5 {
		return errProps
	}
	*p = properties{b % 9, b / 9 % 5, b / 45}
	return nil
}

// valid reports whether LZMA2 and XZ Utils allow the properties.
func (p properties) valid() bool { return p.lc+p.lp <= 4 && p.pb <= 4 }

// decoder is the state of an LZMA stream. Later streams reuse it.
type decoder struct {
	properties
	probs
	literals [0x300 << 4]uint16
	state    uint32
	reps     [4]uint32 // the last distances, less one
	base     int       // the start of the dictionary in the output
}

// reset starts an LZMA state; the dictionary stays.
func (d *decoder) reset() {
	fill := func(p []uint16) {
		for i := range p {
			p[i] = probInit
		}
	}
	fill(d.literals[:0x300<<(d.lc+d.lp)])
	for i := range d.match {
		fill(d.match[i][:])
		fill(d.rep0Long[i][:])
	}
	fill(d.rep[:])
	fill(d.rep0[:])
	fill(d.rep1[:])
	fill(d.rep2[:])
	for i := range d.slot {
		fill(d.slot[i][:])
	}
	fill(d.special[:])
	fill(d.align[:])
	for _, l := range []*lengths{&d.len, &d.rlen} {
		l.choice, l.choice2 = probInit, probInit
		for i := range l.low {
			fill(l.low[i][:])
			fill(l.mid[i][:])
		}
		fill(l.high[:])
	}
	d.state = 0
	d.reps = [4]uint32{}
}

// length decodes the length of a match.
func (l *lengths) length(c coder, src []byte, pos int) (coder, int) {
	var b bool
	var v uint32
	if c, b = c.bit(src, &l.choice); !b {
		c, v = c.tree(src, l.low[pos&15][:])
		return c, 2 + int(v)
	}
	if c, b = c.bit(src, &l.choice2); !b {
		c, v = c.tree(src, l.mid[pos&15][:])
		return c, 10 + int(v)
	}
	c, v = c.tree(src, l.high[:])
	return c, 18 + int(v)
}

// distance decodes the distance (less one) of a match of n bytes.
func (d *decoder) distance(c coder, src []byte, n int) (coder, uint32) {
	c, slot := c.tree(src, d.slot[min(n-2, 3)][:])
	if slot < 4 {
		return c, slot
	}
	bits := uint(slot>>1 - 1)
	dist := (2 | slot&1) << bits
	var low uint32
	if slot < 14 {
		c, low = c.reverse(src, d.special[dist-slot:], bits)
		return c, dist + low
	}
	c, high := c.direct(src, bits-4)
	c, low = c.reverse(src, d.align[:], 4)
	return c, dist + high<<4 + low
}

// decode decodes range-coded data from the start of src: size bytes, or up to the end marker if
// size is negative. With marker set, the marker may follow a known size. It returns the number of
// bytes used, or the error short if src ends too early.
func (d *decoder) decode(out *sink, src []byte, size int, marker bool, short error) (int, error) {
	if len(src) < 5 {
		return 0, short
	}
	if src[0] != 0 {
		return 0, errStart
	}
	end := -1
	if size >= 0 {
		end = out.n + size
	}
	c := coder{rng: 1<<32 - 1, code: big32(src, 1), pos: 5}
	safe := len(src) - maxSymbol
	if safe >= 5 {
		var err error
		if c, err = d.symbols(out, src, c, safe, end, marker); err != nil || c.pos < 0 {
			return ^c.pos, err
		}
	}
	// Beyond the end a symbol reads zeros. src is then too short, and the symbol does not matter.
	var tail [2 * maxSymbol]byte
	skip := c.pos
	have := copy(tail[:maxSymbol], src[skip:])
	c.pos = 0
	c, err := d.symbols(out, tail[:], c, have+1, end, marker)
	if c.pos < 0 {
		c.pos = ^c.pos
	}
	if c.pos > have {
		return 0, short
	}
	return skip + c.pos, err
}

// symbols decodes symbols while c.pos < safe. A negative position means that the data has ended or
// an error occurred: it is the complement of the position after the last byte.
func (d *decoder) symbols(out *sink, src []byte, c coder, safe, end int, marker bool) (coder, error) {
	var (
		buf, o   = out.room(end), out.n
		base     = d.base
		state    = d.state
		rep0     = d.reps[0]
		posMask  = 1<<d.pb - 1
		litMask  = 1<<d.lp - 1
		lc       = d.lc & 15
		prev     byte
		err      error
		finished bool
	)
	if o > base {
		prev = buf[o-1]
	}
loop:
	for c.pos < safe {
		if o == end {
			c = c.normalize(src)
			if c.code == 0 {
				finished = true
				break
			}
			if !marker {
				err = errFinish
				break
			}
			// Only the marker may follow.
		}
		pos := (o - base) & posMask
		var one bool
		if c, one = c.bit(src, &d.match[state&15][pos&15]); !one {
			at := ((o-base)&litMask)<<lc + int(prev)>>(8-lc)
			p := (*[0x300]uint16)(d.literals[at*0x300:])
			if o == len(buf) {
				if o == end {
					err = errFinish
					break
				}
				out.n = o
				if err = out.more(); err != nil {
					break
				}
				buf = out.room(end)
			}
			if state < 7 {
				c, prev = c.literal(src, p)
			} else {
				c, prev = c.matched(src, p, buf[o-int(rep0)-1])
			}
			buf[o] = prev
			o++
			switch {
			case state < 4:
				state = 0
			case state < 10:
				state -= 3
			default:
				state -= 6
			}
			continue
		}

		var n int
		if c, one = c.bit(src, &d.rep[state&15]); !one {
			c, n = d.len.length(c, src, pos)
			var dist uint32
			c, dist = d.distance(c, src, n)
			d.reps[3], d.reps[2], d.reps[1] = d.reps[2], d.reps[1], rep0
			rep0 = dist
			if state < 7 {
				state = 7
			} else {
				state = 10
			}
			if dist == 1<<32-1 {
				if !marker || o != end && end >= 0 {
					err = errMarker
					break
				}
				c = c.normalize(src)
				if c.code != 0 {
					err = errFinish
					break
				}
				finished = true
				break
			}
		} else {
			// One of the last four distances again; it becomes the last one.
			n = 0
			if c, one = c.bit(src, &d.rep0[state&15]); !one {
				if c, one = c.bit(src, &d.rep0Long[state&15][pos&15]); !one {
					n = 1
				}
			} else if c, one = c.bit(src, &d.rep1[state&15]); !one {
				d.reps[1], rep0 = rep0, d.reps[1]
			} else if c, one = c.bit(src, &d.rep2[state&15]); !one {
				d.reps[2], d.reps[1], rep0 = d.reps[1], rep0, d.reps[2]
			} else {
				d.reps[3], d.reps[2], d.reps[1], rep0 = d.reps[2], d.reps[1], rep0, d.reps[3]
			}
			long := uint32(0)
			if n == 0 {
				c, n = d.rlen.length(c, src, pos)
			} else {
				long = 1
			}
			if state < 7 {
				state = 8 + long
			} else {
				state = 11
			}
		}
		if uint64(rep0) >= uint64(o-base) {
			err = errDistance
			break
		}
		if end >= 0 && n > end-o {
			err = errLength
			break
		}
		dist := int(rep0) + 1
		if dist >= 8 && len(buf)-o >= maxMatch+8 {
			// Steps of 8 write at most 7 extra bytes, into existing room.
			from, stop := o-dist, o+n
			for ; o < stop; o, from = o+8, from+8 {
				kernel.Store64(buf, o, kernel.Load64(buf, from))
			}
			o = stop
		} else {
			for n > 0 {
				if o == len(buf) {
					out.n = o
					if err = out.more(); err != nil {
						break loop
					}
					buf = out.room(end)
				}
				k := copy(buf[o:min(o+n, len(buf))], buf[o-dist:o])
				o += k
				n -= k
			}
		}
		prev = buf[o-1]
	}
	out.n = o
	d.state = state
	d.reps[0] = rep0
	if finished || err != nil {
		c.pos = ^c.pos
	}
	return c, err
}
