package anndata

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// bitsOf returns the bits of a scalar of 1, 2, 4 or 8 little-endian bytes.
func bitsOf(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putBits(b []byte, bits uint64) {
	for i := range b {
		b[i] = byte(bits >> (8 * i))
	}
}

// signed returns the integer of so many bits.
func signed(bits uint64, size int) int64 {
	shift := 64 - 8*size
	return int64(bits<<shift) >> shift
}

// integers returns the elements of a block of integers. One that does not fit is negative.
func integers(res *zarr.Result) []int64 {
	out := make([]int64, res.Len())
	for i := range out {
		bits := bitsOf(res.Data[i*res.Size:][:res.Size])
		if res.Type.Kind == dtype.Int {
			out[i] = signed(bits, res.Size)
		} else {
			out[i] = int64(bits)
		}
	}
	return out
}

// valueAt returns element i: a bool, int64, uint64, float64, complex128 or string; of datetimes the count; of other types its bytes;
// nil where there is none.
func valueAt(res *zarr.Result, i int64) any {
	if res.Items != nil {
		return variable(res.Type, res.Items[i])
	}
	return value(res.Type, res.Data[i*int64(res.Size):][:res.Size])
}

func variable(t *dtype.Type, b []byte) any {
	if b == nil {
		return nil
	}
	if t.Kind == dtype.String || t.Kind == dtype.Object || t.Kind == dtype.Optional && t.Elem.Kind == dtype.String {
		return string(b)
	}
	return b
}

func value(t *dtype.Type, b []byte) any {
	switch t.Kind {
	case dtype.Bool:
		return b[0] != 0
	case dtype.Int, dtype.DateTime, dtype.TimeDelta:
		return signed(bitsOf(b), len(b))
	case dtype.Uint:
		return bitsOf(b)
	case dtype.Float, dtype.MiniFloat:
		return t.Float64(bitsOf(b))
	case dtype.Complex:
		half := len(b) / 2
		return complex(t.Elem.Float64(bitsOf(b[:half])), t.Elem.Float64(bitsOf(b[half:])))
	case dtype.Char:
		return strings.TrimRight(string(b), "\x00")
	case dtype.Unicode:
		var s []byte
		for ; len(b) >= 4; b = b[4:] {
			s = utf8.AppendRune(s, rune(binary.LittleEndian.Uint32(b)))
		}
		return strings.TrimRight(string(s), "\x00")
	case dtype.Optional:
		if b[0] == 0 {
			return nil
		}
		return value(t.Elem, b[1:])
	}
	return slices.Clone(b)
}

// field returns a field of structs, as a block of its own.
func field(res *zarr.Result, f dtype.Field) *zarr.Result {
	block := ndarray.New(res.Shape, f.Type.Size, false)
	for i := range res.Len() {
		copy(block.Data[i*block.Size:][:block.Size], res.Data[i*res.Size+f.Offset:])
	}
	return &zarr.Result{Block: block, Type: f.Type}
}

// numeric tells whether elements of a type can be added.
func numeric(t *dtype.Type) bool {
	switch t.Kind {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.MiniFloat, dtype.Complex:
		return true
	}
	return false
}

// add adds an element to another: integers wrap around, booleans are or-ed.
func add(t *dtype.Type, to, from []byte) {
	switch t.Kind {
	case dtype.Bool:
		to[0] |= from[0]
	case dtype.Int, dtype.Uint:
		putBits(to, bitsOf(to)+bitsOf(from))
	case dtype.Complex:
		half := len(to) / 2
		add(t.Elem, to[:half], from[:half])
		add(t.Elem, to[half:], from[half:])
	default:
		switch len(to) {
		case 8:
			putBits(to, math.Float64bits(math.Float64frombits(bitsOf(to))+math.Float64frombits(bitsOf(from))))
		case 4:
			sum := math.Float32frombits(uint32(bitsOf(to))) + math.Float32frombits(uint32(bitsOf(from)))
			putBits(to, uint64(math.Float32bits(sum)))
		default:
			putBits(to, t.FloatBits(t.Float64(bitsOf(to))+t.Float64(bitsOf(from))))
		}
	}
}
