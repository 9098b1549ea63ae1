package grib

import (
	"math/bits"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Flags of template 5.42.
const (
	flagSigned     = 1
	flagPreprocess = 8
	flagRestricted = 16
	flagPad        = 32
)

// segment is the number of blocks that a run of zero blocks cannot leave.
const segment = 64

// Adaptive has the parameters of the entropy coder of CCSDS 121.0-B-2. Blocks of codes choose
// their own coding. Some blocks form an interval, which may begin with a code in full; the others
// are then differences.
type Adaptive struct {
	Width       int // of a code in bits, up to 32
	Block       int // the codes of a block
	Interval    int // the blocks of an interval
	Differences bool
	Padded      bool // each interval ends with a whole byte
	Restricted  bool // few choices of codings for narrow codes
}

// adaptive is a decode of codes.
type adaptive struct {
	bitReader
	width    int // of a code in bits
	idBits   int
	block    int // the codes of a block
	interval int // the blocks of an interval
	differs  bool
	padded   bool
}

// adaptive decodes CCSDS packing.
func (p *packing) adaptive(codes []int64, src []byte) error {
	b := p.section
	flags := b[21]
	if flags&flagSigned != 0 {
		return &codec.UnsupportedError{Feature: "signed codes in the CCSDS packing of GRIB"}
	}
	return Adaptive{
		Width: p.bits, Block: int(b[22]), Interval: int(grib.Uint(b, 24, 25)),
		Differences: flags&flagPreprocess != 0, Padded: flags&flagPad != 0, Restricted: flags&flagRestricted != 0,
	}.Decode(codes, src)
}

// Decode decodes all codes. Their number is not stored.
func (a Adaptive) Decode(codes []int64, src []byte) error {
	d, err := a.open(src)
	for n := a.Block * a.Interval; err == nil && len(codes) > 0; codes = codes[min(n, len(codes)):] {
		err = d.codes(codes[:min(n, len(codes))])
	}
	return err
}

// Intervals decodes a number of codes, and calls a function with those of each interval until it
// returns an error.
func (a Adaptive) Intervals(count int, src []byte, each func(codes []int64) error) error {
	d, err := a.open(src)
	if err != nil {
		return err
	}
	for codes := make([]int64, a.Block*a.Interval); err == nil && count > 0; count -= len(codes) {
		codes = codes[:min(len(codes), count)]
		if err = d.codes(codes); err == nil {
			err = each(codes)
		}
	}
	return err
}

// open checks the parameters.
func (a Adaptive) open(src []byte) (*adaptive, error) {
	d := &adaptive{
		bitReader: bitReader{src: src}, width: a.Width, block: a.Block, interval: a.Interval, differs: a.Differences, padded: a.Padded,
	}
	switch {
	case d.block < 1 || d.block&1 != 0 || d.interval < 1:
		return nil, codec.Corrupt("blocks of " + strconv.Itoa(d.block) + " codes, and intervals of " + strconv.Itoa(d.interval) + " blocks")
	case d.width > 16:
		d.idBits = 5
	case d.width > 8:
		d.idBits = 4
	case a.Restricted && d.width <= 2:
		d.idBits = 1
	case a.Restricted && d.width <= 4:
		d.idBits = 2
	default:
		d.idBits = 3
	}
	return d, nil
}

// codes decodes an interval.
func (d *adaptive) codes(codes []int64) error {
	if err := d.blocks(codes); err != nil {
		return err
	}
	if d.differs {
		d.sum(codes)
	}
	if d.padded {
		d.align()
	}
	return nil
}

// blocks decodes the codes or differences of an interval. The last one of a message may have fewer
// codes than its blocks.
func (d *adaptive) blocks(codes []int64) error {
	for number := 0; len(codes) > 0; {
		first := 0 // the codes of the block that are not coded
		if d.differs && number == 0 {
			first = 1
		}
		option := int(d.bits(d.idBits))
		n := min(d.block, len(codes))
		run := 1
		var err error
		switch {
		case option == 1<<d.idBits-1:
			for i := range n {
				codes[i] = int64(d.bits(d.width))
			}
		case option > 0:
			err = d.split(codes[:n], first, option-1)
		default:
			second := d.bits(1) == 1
			if first == 1 {
				codes[0] = int64(d.bits(d.width))
			}
			if second {
				err = d.pairs(codes[:n], first)
				break
			}
			if run, err = d.zeros(number); err == nil {
				n = min(run*d.block, len(codes))
				clear(codes[first:n])
			}
		}
		switch {
		case err != nil:
			return err
		case d.over():
			return short()
		}
		codes = codes[n:]
		number += run
	}
	return nil
}

// unary returns the number of zeros before the next one. A hostile run ends with the bytes.
func (d *adaptive) unary() (int, error) {
	for n := 0; ; {
		if d.held != 0 {
			k := bits.LeadingZeros64(d.held)
			d.held = d.held << k << 1
			d.n -= k + 1
			return n + k, nil
		}
		n += d.n
		d.n = 0
		if d.next >= len(d.src) {
			return 0, short()
		}
		d.fill()
	}
}

// split decodes codes whose low bits follow the unary numbers of all high ones.
func (d *adaptive) split(codes []int64, first, low int) error {
	if first == 1 {
		codes[0] = int64(d.bits(d.width))
	}
	// A short last block of a message is coded in full.
	for i := first; i < d.block; i++ {
		n, err := d.unary()
		if err != nil {
			return err
		}
		if i < len(codes) {
			codes[i] = int64(n) << low
		}
	}
	if low == 0 {
		return nil
	}
	for i := first; i < len(codes); i++ {
		codes[i] |= int64(d.bits(low))
	}
	return nil
}

// pairs decodes the second extension: the number of a pair counts pairs by their sum.
func (d *adaptive) pairs(codes []int64, first int) error {
	for i := 0; i < len(codes); i += 2 {
		m, err := d.unary()
		if err != nil {
			return err
		}
		total, before := 0, 0 // the pair's sum, and the pairs of smaller sums
		for before+total+1 <= m {
			if total++; total > 1<<16 {
				return codec.Corrupt("an impossible pair of codes")
			}
			before += total
		}
		if i >= first {
			codes[i] = int64(total - (m - before))
		}
		if i+1 < len(codes) {
			codes[i+1] = int64(m - before)
		}
	}
	return nil
}

// zeros returns the number of blocks of zeros from a block of the interval on.
func (d *adaptive) zeros(number int) (int, error) {
	n, err := d.unary()
	switch {
	case err != nil:
		return 0, err
	case n < 4:
		n++
	case n == 4:
		n = min(d.interval-number, segment-number%segment)
	}
	if n > d.interval-number {
		return 0, codec.Corrupt("a run of zeros leaves its interval")
	}
	return n, nil
}

// sum undoes the differences of an interval. A difference that is small enough has either sign; a
// larger one has the sign that stays within the range.
func (d *adaptive) sum(codes []int64) {
	top := int64(1)<<d.width - 1
	last := codes[0]
	for i := 1; i < len(codes); i++ {
		c := codes[i]
		room := min(last, top-last)
		switch {
		case c > 2*room && last <= top-last:
			last = c
		case c > 2*room:
			last = top - c
		case c&1 == 0:
			last += c / 2
		default:
			last -= (c + 1) / 2
		}
		last &= top
		codes[i] = last
	}
}
