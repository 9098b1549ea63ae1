// Package lerc has the codec imagecodecs_lerc of the Python package imagecodecs, for version 2. It
// decodes LERC 2 (Limited Error Raster Compression), as TIFF stores it: one image of a chunk's
// shape, with its mask of valid pixels.
//
// An image is divided into blocks. A block stores its numbers as multiples of twice the tolerated
// error above a minimum, packed into bits.
package lerc

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

const id = "imagecodecs_lerc"

// Codec returns the codec. Its members are for writers, except for short, which is true for images
// that may have fewer rows than the chunk. The other rows are zeros.
//
// Pixels without a value are NaN, or zero if the numbers are integers. An image of bytes may have
// one sample more in the chunk, which is 255 for each pixel with a value: TIFF's transparency.
func Codec() codec.Entry {
	return codec.Entry{
		IDs: []string{id}, Doc: codec.Doc("LERC 2, as TIFF"), Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 4000},
		New: func(config json.Value, b codec.Build) (any, error) {
			short, _ := config.Get("short").Bool()
			return decoder{b.Array.Shape, short}, nil
		},
	}
}

type decoder struct {
	shape []int
	short bool
}

// EncodedSize implements codec.BytesToBytes.
func (decoder) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (d decoder) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	h, body, err := parse(src)
	if err != nil {
		return nil, err
	}
	samples, ok := d.samples(h)
	if !ok {
		return nil, codec.Corrupt("the image has other rows than the chunk")
	}
	pixels := int64(h.rows) * int64(h.columns)
	whole, err := out.Padded(env, pixels*int64(samples)*int64(h.kind.size()), d.short)
	if err != nil {
		return nil, err
	}
	dst := out.Grow(env, whole)[:whole]
	clear(dst)
	i := &picture{header: h, env: env, dst: dst, samples: samples, stride: samples * h.kind.size()}
	return dst, i.decode(body)
}

// samples returns the samples of a pixel in the chunk, if the image is of its shape.
func (d decoder) samples(h *header) (int, bool) {
	last := func(n int) int {
		if len(d.shape) < n {
			return 0
		}
		return d.shape[len(d.shape)-n]
	}
	switch {
	case h.depth == 1 && last(1) == h.columns:
		return 1, true
	case last(2) == h.columns && (last(1) == h.depth || h.kind == kindByte && last(1) == h.depth+1):
		return last(1), true
	}
	return 0, false
}

// kind is the type of numbers.
type kind int

const (
	kindChar kind = iota
	kindByte
	kindShort
	kindUshort
	kindInt
	kindUint
	kindFloat
	kindDouble
)

func (k kind) size() int { return [8]int{1, 1, 2, 2, 4, 4, 4, 8}[k] }

// used returns the type in which a block stores its minimum, by two bits. It is below zero if there
// is none.
func (k kind) used(code int) kind {
	switch k {
	case kindShort, kindInt:
		return k - kind(code)
	case kindUshort, kindUint:
		return k - kind(2*code)
	case kindFloat:
		return [4]kind{kindFloat, kindShort, kindByte, kindByte}[code]
	case kindDouble:
		return [4]kind{kindDouble, kindFloat, kindInt, kindShort}[code]
	}
	return k
}

// load reads a number.
func (k kind) load(b []byte) float64 {
	switch k {
	case kindChar:
		return float64(int8(b[0]))
	case kindByte:
		return float64(b[0])
	case kindShort:
		return float64(int16(kernel.Load16(b, 0)))
	case kindUshort:
		return float64(kernel.Load16(b, 0))
	case kindInt:
		return float64(int32(kernel.Load32(b, 0)))
	case kindUint:
		return float64(kernel.Load32(b, 0))
	case kindFloat:
		return float64(math.Float32frombits(kernel.Load32(b, 0)))
	}
	return math.Float64frombits(kernel.Load64(b, 0))
}

// store writes a number without its fraction, if the type is one of integers.
func (k kind) store(b []byte, v float64) {
	switch k {
	case kindFloat:
		kernel.Store32(b, 0, math.Float32bits(float32(v)))
		return
	case kindDouble:
		kernel.Store64(b, 0, math.Float64bits(v))
		return
	}
	n := int64(min(max(v, math.MinInt32), math.MaxUint32))
	switch k.size() {
	case 1:
		b[0] = byte(n)
	case 2:
		kernel.Store16(b, 0, uint16(n))
	default:
		kernel.Store32(b, 0, uint32(n))
	}
}

// header is the start of an image.
type header struct {
	version, rows, columns, depth, valid, block int
	kind                                        kind
	err, least, most                            float64
}

// parse reads the header, and returns the bytes after it.
func parse(src []byte) (*header, []byte, error) {
	const magic = "Lerc2 "
	r := &reader{b: src}
	if string(r.take(min(len(magic), max(len(src), 1)))) != magic[:min(len(magic), max(len(src), 1))] && r.err == nil {
		if len(src) >= 9 && string(src[:9]) == "CntZImage" {
			return nil, nil, &codec.UnsupportedError{Feature: "LERC 1"}
		}
		return nil, nil, codec.Corrupt("is not LERC 2")
	}
	h := &header{version: r.int()}
	switch {
	case r.err != nil:
		return nil, nil, r.err
	case h.version < 3 || h.version > 6:
		return nil, nil, &codec.UnsupportedError{Feature: "version " + itoa(h.version) + " of LERC 2"}
	}
	sum := uint32(r.int())
	summed := r.b
	h.rows, h.columns, h.depth = r.int(), r.int(), 1
	if h.version >= 4 {
		h.depth = r.int()
	}
	h.valid, h.block = r.int(), r.int()
	size, number := r.int(), r.int()
	more, missing := 0, false
	if h.version >= 6 {
		more = r.int()
		flags := r.take(4)
		missing = len(flags) > 0 && flags[0] != 0
	}
	h.err, h.least, h.most = r.float(), r.float(), r.float()
	if h.version >= 6 {
		r.take(16)
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	const most = 1 << 30
	switch begin := len(src) - len(summed); {
	case size < begin+len(summed)-len(r.b):
		return nil, nil, codec.Corrupt("the LERC image is shorter than its header")
	case size > len(src):
		return nil, nil, codec.Truncated("ends inside of the LERC image")
	case fletcher(summed[:size-begin]) != sum:
		return nil, nil, codec.Mismatch("the checksum of the LERC image does not match the data")
	case h.rows < 1 || h.columns < 1 || h.depth < 1 || h.rows > most/h.columns || h.depth > most/(h.rows*h.columns), number < 0 || number > int(kindDouble),
		h.valid < 0 || h.valid > h.rows*h.columns, h.block < 1 || h.block > 32, !(h.err >= 0), !(h.least <= h.most):
		return nil, nil, codec.Corrupt("impossible numbers in the header of the LERC image")
	case more > 0 || bytes.HasPrefix(src[size:], []byte(magic)): // only version 6 counts them
		return nil, nil, &codec.UnsupportedError{Feature: "several LERC images in a chunk"}
	case missing:
		return nil, nil, &codec.UnsupportedError{Feature: "LERC with a value for missing samples"}
	}
	h.kind = kind(number)
	return h, r.b[:len(r.b)-(len(src)-size)], nil
}

// fletcher returns the checksum of Fletcher over big-endian words of 16 bits.
func fletcher(b []byte) uint32 {
	s, t := uint32(0xffff), uint32(0xffff)
	for len(b) > 1 {
		n := min(len(b)/2, 359)
		for i := range n {
			s += uint32(binary.BigEndian.Uint16(b[2*i:]))
			t += s
		}
		s, t = s&0xffff+s>>16, t&0xffff+t>>16
		b = b[2*n:]
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
		t += s
	}
	s, t = s&0xffff+s>>16, t&0xffff+t>>16
	return t<<16 | s
}

// reader reads little-endian numbers. The first error stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.b)) {
		r.err = codec.Truncated("ends inside of the LERC image")
	}
	if r.err != nil {
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() int {
	if b := r.take(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (r *reader) int() int {
	if b := r.take(4); b != nil {
		return int(int32(kernel.Load32(b, 0)))
	}
	return 0
}

func (r *reader) float() float64 {
	if b := r.take(8); b != nil {
		return math.Float64frombits(kernel.Load64(b, 0))
	}
	return 0
}

func (r *reader) number(k kind) float64 {
	if b := r.take(k.size()); b != nil {
		return k.load(b)
	}
	return 0
}
