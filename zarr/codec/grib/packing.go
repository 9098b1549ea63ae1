package grib

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// The templates of section 5.
const (
	simple       = 0
	complex2     = 2
	differences  = 3
	ieee         = 4
	jpeg2000     = 40
	png          = 41
	ccsds        = 42
	spectral     = 50
	spectralMore = 51
	logarithmic  = 61
	runs         = 200
)

// missing is the code of a point without a value.
const missing = math.MinInt64

// packing is section 5: value = (reference + code * 2^E) / 10^D. The value of a constant field is
// the reference: ecCodes and NCEP's g2 ignore D then, although g2 writes one.
type packing struct {
	template  int
	section   []byte
	bits      int
	reference float64
	scale     float64 // 2^E
	decimal   float64 // 10^-D
	precision int     // of IEEE numbers in bytes
	constant  bool    // without codes
}

func newPacking(b []byte) (*packing, error) {
	p := &packing{template: int(grib.Uint(b, 10, 11)), section: b}
	least := 21
	switch p.template {
	case simple, png:
	case complex2:
		least = 47
	case differences:
		least = 49
	case ccsds:
		least = 25
	case ieee:
		least = 12
	default:
		name, ok := map[int]string{
			jpeg2000: "JPEG 2000", spectral: "spectral simple packing", spectralMore: "spectral complex packing",
			logarithmic: "simple packing with a logarithm", runs: "run lengths",
		}[p.template]
		if !ok {
			name = "not known here"
		}
		return nil, &codec.UnsupportedError{Feature: "the GRIB packing 5." + strconv.Itoa(p.template) + ", " + name}
	}
	if len(b) < least {
		return nil, codec.Corrupt("section 5 is too short for its template")
	}
	if p.template == ieee {
		switch b[11] {
		case 1:
			p.precision = 4
		case 2:
			p.precision = 8
		default:
			return nil, &codec.UnsupportedError{Feature: "the precision " + strconv.Itoa(int(b[11])) + " of IEEE numbers in GRIB"}
		}
		return p, nil
	}
	p.reference = float64(math.Float32frombits(uint32(grib.Uint(b, 12, 15))))
	p.scale = math.Ldexp(1, int(grib.Int(b, 16, 17)))
	p.decimal = powerOfTen(-int(grib.Int(b, 18, 19)))
	if p.bits = int(b[19]); p.bits > 32 {
		return nil, &codec.UnsupportedError{Feature: "GRIB values of " + strconv.Itoa(p.bits) + " bits"}
	}
	if p.constant = p.bits == 0; p.template == complex2 || p.template == differences {
		p.constant = grib.Uint(b, 32, 35) == 0 // groups
	}
	if p.constant {
		p.scale, p.decimal = 0, 1
	}
	return p, nil
}

// powerOfTen multiplies or divides step by step, as other readers do, for equal results in the last
// bit.
func powerOfTen(n int) float64 {
	v := 1.0
	for ; n > 0 && v < math.Inf(1); n-- {
		v *= 10
	}
	for ; n < 0 && v > 0; n++ {
		v /= 10
	}
	return v
}

// value returns the value of a code.
func (p *packing) value(code int64) float64 {
	switch {
	case p.template == ieee && p.precision == 4:
		return float64(math.Float32frombits(uint32(code)))
	case p.template == ieee:
		return math.Float64frombits(uint64(code))
	case code == missing:
		return notANumber()
	}
	return (float64(code)*p.scale + p.reference) * p.decimal
}

// unpack reads the codes of all values.
func (p *packing) unpack(env *codec.Env, codes []int64, src []byte) error {
	if p.constant {
		clear(codes)
		return nil
	}
	switch p.template {
	case ieee:
		return p.numbers(codes, src)
	case complex2, differences:
		return newGroups(p).unpack(codes, src)
	case png:
		return p.image(env, codes, src)
	case ccsds:
		return p.adaptive(codes, src)
	}
	r := bitReader{src: src}
	if err := r.have(int64(len(codes)) * int64(p.bits)); err != nil {
		return err
	}
	for i := range codes {
		codes[i] = int64(r.bits(p.bits))
	}
	return nil
}

func (p *packing) numbers(codes []int64, src []byte) error {
	if len(src) < p.precision*len(codes) {
		return short()
	}
	for i := range codes {
		if p.precision == 4 {
			codes[i] = int64(binary.BigEndian.Uint32(src[4*i:]))
		} else {
			codes[i] = int64(binary.BigEndian.Uint64(src[8*i:]))
		}
	}
	return nil
}

func short() error { return codec.Truncated("section 7 ends within its values") }

// bitReader reads big-endian numbers of any width. Bits beyond the end are zero.
type bitReader struct {
	src  []byte
	next int    // byte
	held uint64 // bits, the first one highest
	n    int    // the number of held bits
}

// have returns an error unless some bits remain.
func (r *bitReader) have(n int64) error {
	if n > 8*int64(len(r.src)-r.next)+int64(r.n) {
		return short()
	}
	return nil
}

// fill holds at least 32 bits.
func (r *bitReader) fill() {
	if r.next+4 <= len(r.src) {
		r.held |= uint64(binary.BigEndian.Uint32(r.src[r.next:])) << (32 - r.n)
		r.next += 4
		r.n += 32
		return
	}
	for r.n <= 32 {
		if r.next < len(r.src) {
			r.held |= uint64(r.src[r.next]) << (56 - r.n)
		}
		r.next++
		r.n += 8
	}
}

// bits returns a number of 0 to 32 bits.
func (r *bitReader) bits(n int) uint64 {
	if r.n < n {
		r.fill()
	}
	v := r.held >> 1 >> (63 - n)
	r.held <<= n
	r.n -= n
	return v
}

// align skips to the next byte.
func (r *bitReader) align() {
	skip := r.n & 7
	r.held <<= skip
	r.n -= skip
}

// over reports whether bits beyond the end were read.
func (r *bitReader) over() bool { return r.next-r.n/8 > len(r.src) }

// notANumber returns the NaN of numpy, whose bits differ from those of package math.
func notANumber() float64 { return math.Float64frombits(0x7ff8 << 48) }
