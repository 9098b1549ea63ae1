package lerc

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// picture is an image that is decoded.
type picture struct {
	*header
	env     *codec.Env
	dst     []byte
	samples int // of a pixel in dst
	stride  int // bytes of a pixel in dst
	mask    []byte
	most    []float64 // of each depth
	numbers []uint32  // of a block
}

// has reports whether a pixel has a value.
func (p *picture) has(i int) bool { return p.mask == nil || p.mask[i>>3]<<(i&7)&0x80 != 0 }

// at returns the bytes of a sample.
func (p *picture) at(pixel, depth int) []byte {
	return p.dst[pixel*p.stride+depth*p.kind.size():][:p.kind.size()]
}

func (p *picture) decode(body []byte) error {
	r := &reader{b: body}
	err := p.readMask(r)
	if err != nil {
		return err
	}
	pixel := make([]byte, p.stride)
	switch {
	case p.kind >= kindFloat:
		for k := range p.depth {
			p.kind.store(pixel[k*p.kind.size():], math.Float64frombits(0x7ff8<<48))
		}
		err = p.fill(pixel, false)
	case p.samples > p.depth:
		pixel[p.depth] = 0xff
		err = p.fill(pixel, true)
	}
	if p.valid == 0 || err != nil {
		return err
	}
	p.most = make([]float64, p.depth)
	least := make([]float64, p.depth)
	for k := range p.depth {
		least[k], p.most[k] = p.header.least, p.header.most
	}
	if p.header.least != p.header.most && p.version >= 4 {
		for _, list := range [2][]float64{least, p.most} {
			for k := range list {
				list[k] = r.number(p.kind)
			}
		}
	}
	same := r.err == nil
	for k := range least {
		same = same && least[k] == p.most[k]
	}
	if same {
		for k, v := range least {
			p.kind.store(pixel[k*p.kind.size():], v)
		}
		return p.fill(pixel, true)
	}
	if r.byte() != 0 {
		return p.plain(r)
	}
	exact := (p.kind == kindByte || p.kind == kindChar) && p.err == 0.5
	lossless := p.version >= 6 && p.kind >= kindFloat && p.err == 0
	if exact || lossless {
		switch mode := r.byte(); {
		case r.err != nil:
			return r.err
		case mode == 0:
		case lossless:
			return &codec.UnsupportedError{Feature: "LERC's coding of floating-point numbers without loss"}
		case mode == 1 || mode == 2 && p.version >= 4:
			return p.huffman(r, mode == 1)
		default:
			return codec.Corrupt("an unknown coding of the LERC image")
		}
	}
	return p.blocks(r)
}

// readMask reads the runs of the mask: literal bytes after a positive count, and a repeated byte
// after a negative one.
func (p *picture) readMask(r *reader) error {
	n := r.int()
	all := p.rows * p.columns
	b := &reader{b: r.take(n)}
	switch {
	case r.err != nil:
		return r.err
	case (p.valid == 0 || p.valid == all) && n != 0:
		return codec.Corrupt("the LERC image has a mask for nothing")
	case p.valid == 0 || p.valid == all:
		return nil
	case n == 0:
		return codec.Corrupt("the LERC image has no mask")
	}
	p.mask = make([]byte, (all+7)/8)
	for at := 0; ; {
		head := b.take(2)
		if b.err != nil {
			return b.err
		}
		count := int(int16(kernel.Load16(head, 0)))
		switch left := len(p.mask) - at; {
		case count == -1<<15:
			if left > 0 {
				return codec.Truncated("the mask of the LERC image ends early")
			}
			return nil
		case count > left || -count > left:
			return codec.Corrupt("the mask of the LERC image has too many bytes")
		case count > 0:
			at += copy(p.mask[at:], b.take(count))
		default:
			c := byte(b.byte())
			for range -count {
				p.mask[at] = c
				at++
			}
		}
		if b.err != nil {
			return b.err
		}
	}
}

// fill writes a pixel to the places that have a value, or to those that have none.
func (p *picture) fill(pixel []byte, has bool) error {
	dst := p.dst[:p.rows*p.columns*p.stride]
	if p.mask == nil {
		if has == (p.valid > 0) {
			for n := copy(dst, pixel); n < len(dst); n += copy(dst[n:], dst[:n]) {
			}
		}
		return nil
	}
	for i := range p.rows * p.columns {
		if i%p.columns == 0 && p.env.Ctx.Err() != nil {
			return p.env.Ctx.Err()
		}
		if p.has(i) == has {
			copy(dst[i*p.stride:], pixel)
		}
	}
	return nil
}

// plain reads numbers that are not packed.
func (p *picture) plain(r *reader) error {
	for i := range p.rows * p.columns {
		if p.has(i) {
			copy(p.dst[i*p.stride:], r.take(p.depth*p.kind.size()))
		}
	}
	return r.err
}

// blocks reads the blocks of each row of blocks, with all depths of one after another.
func (p *picture) blocks(r *reader) error {
	p.numbers = make([]uint32, 0, p.block*p.block)
	for top := 0; top < p.rows; top += p.block {
		if err := p.env.Ctx.Err(); err != nil {
			return err
		}
		for left := 0; left < p.columns; left += p.block {
			for k := range p.depth {
				b := block{top: top, left: left, bottom: min(top+p.block, p.rows), right: min(left+p.block, p.columns), depth: k}
				if err := p.readBlock(r, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// block is a rectangle of pixels in one depth.
type block struct{ top, left, bottom, right, depth int }

// readBlock reads a block. Two bits say how it is stored; four, or three since version 5, repeat
// its place; and two say how its minimum is stored.
func (p *picture) readBlock(r *reader, b block) error {
	flag := r.byte()
	pattern, difference := 15, false
	if p.version >= 5 {
		pattern, difference = 14, flag&4 != 0
	}
	switch {
	case r.err != nil:
		return r.err
	case flag>>2&pattern != b.left>>3&pattern:
		return codec.Corrupt("a block of the LERC image is at another place")
	case difference && b.depth == 0:
		return codec.Corrupt("the first depth of the LERC image has differences")
	}
	offset := func(int) float64 { return 0 } // of the n-th number of the block
	step, exact := 0., false
	switch flag & 3 {
	case 0:
		if difference {
			return codec.Corrupt("a block of the LERC image has differences that are not packed")
		}
		exact = true
	case 2:
	default:
		k := p.kind
		if difference && k < kindFloat {
			k = kindInt
		}
		if k = k.used(flag >> 6); k < 0 {
			return codec.Corrupt("a block of the LERC image has a minimum of no type")
		}
		least := r.number(k)
		if flag&3 == 1 {
			var err error
			if p.numbers, err = unstuff(r, p.numbers[:0], (b.bottom-b.top)*(b.right-b.left)); err != nil {
				return err
			}
			step = 2 * p.err
		}
		if r.err != nil {
			return r.err
		}
		offset = func(n int) float64 {
			if step == 0 || n >= len(p.numbers) {
				return least
			}
			return least + float64(float64(p.numbers[n])*step) // rounded twice on all platforms
		}
	}
	// Constant numbers are of the range, but differences from other numbers may leave it.
	limited := flag&3 == 1 || flag&3 == 3 && difference
	all, n := flag&3 == 1 && len(p.numbers) == (b.bottom-b.top)*(b.right-b.left), 0
	for y := b.top; y < b.bottom; y++ {
		for x := b.left; x < b.right; x++ {
			i := y*p.columns + x
			if !p.has(i) {
				if all {
					n++
				}
				continue
			}
			dst := p.at(i, b.depth)
			if exact {
				copy(dst, r.take(len(dst)))
				continue
			}
			if flag&3 == 1 && n >= len(p.numbers) {
				return codec.Truncated("a block of the LERC image has fewer numbers than pixels")
			}
			v := offset(n)
			n++
			if difference {
				v += p.kind.load(p.at(i, b.depth-1))
			}
			if limited {
				v = min(v, p.most[b.depth])
			}
			p.kind.store(dst, v)
		}
	}
	return r.err
}

// unstuff reads up to `most` numbers of equal width, which may be places in a table of numbers.
func unstuff(r *reader, to []uint32, most int) ([]uint32, error) {
	head := r.byte()
	width, count := head&31, 0
	for i, b := range r.take([4]int{4, 2, 1, 0}[head>>6]) {
		count |= int(b) << (8 * i)
	}
	switch {
	case r.err != nil:
		return to, r.err
	case count > most:
		return to, codec.Corrupt("a block of the LERC image has more numbers than pixels")
	case head&32 == 0:
		return stuffed(r, to, count, width)
	case width == 0:
		return to, codec.Corrupt("a table of the LERC image has numbers without bits")
	}
	entries := r.byte() - 1
	table, err := stuffed(r, []uint32{0}, max(entries, 0), width)
	if err != nil {
		return to, err
	}
	bits := 0
	for entries>>bits > 0 {
		bits++
	}
	if to, err = stuffed(r, to, count, bits); err != nil {
		return to, err
	}
	for i, n := range to {
		if int(n) >= len(table) {
			return to, codec.Corrupt("a number of the LERC image is beyond the end of its table")
		}
		to[i] = table[n]
	}
	return to, nil
}

// stuffed reads numbers of a width, the lowest bit first.
func stuffed(r *reader, to []uint32, count, width int) ([]uint32, error) {
	b := r.take((count*width + 7) / 8)
	if r.err != nil {
		return to, r.err
	}
	held, bits, at := uint64(0), 0, 0
	for range count {
		for bits < width {
			held |= uint64(b[at]) << bits
			at++
			bits += 8
		}
		to = append(to, uint32(held&(1<<width-1)))
		held >>= width
		bits -= width
	}
	return to, nil
}
