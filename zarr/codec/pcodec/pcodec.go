// Package pcodec decodes Pcodec ("pco"): standalone .pco files of all format versions up to 4.1, in
// the form that numcodecs' pcodec and zarrs write.
//
// # The file
//
// A file is a header and chunks ([file]); a chunk is its metadata ([chunk]) and one page. Each
// number consists of one or two latent variables, which are unsigned integers. The chunk's mode
// determines how ([mode]): the number itself, a multiple and the remainder, or an entry of a
// dictionary. A variable may be delta coded ([delta]). Its values are then stored as a bin, coded
// with tANS ([variable]), and an offset in it. Batches of 256 numbers are decoded at a time.
//
// All bit fields begin at the lowest bit. In the text w is the number of bits of the numbers' type,
// and all arithmetic is modulo 2^w.
package pcodec

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codec returns the entry of numcodecs.pcodec. Its configuration is for writers. In v2 it is a
// compressor of bytes like any other: the file contains their type.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.pcodec", "pcodec"},
		IDs:   []string{"pcodec"},
		Doc:   codec.Doc("Pcodec"),
		Kind:  codec.KindArrayToBytes,
		Cost:  codec.Cost{Decode: 3000},
		New: func(_ json.Value, b codec.Build) (any, error) {
			if b.Format < 3 {
				return flat{}, nil
			}
			return serial{}, nil
		},
	}
}

// serial is the array-to-bytes codec.
type serial struct{}

// Check implements codec.ArrayToBytes.
func (serial) Check(a codec.Array) error {
	if _, ok := numberOf(a.Type); !ok {
		return &codec.ConfigError{Codec: "numcodecs.pcodec", Msg: "cannot hold elements of type " + a.Type.Name}
	}
	return nil
}

// EncodedSize implements codec.ArrayToBytes.
func (serial) EncodedSize(a codec.Array) codec.Size { return bound(int64(a.Bytes())) }

// bound exceeds the encoded size of n bytes by any writer. Writers fall back to storing numbers
// unchanged, and the metadata of chunks and bins is small in comparison.
func bound(n int64) codec.Size { return codec.Size{N: 16*n + 1<<24} }

// Decode implements codec.ArrayToBytes.
func (serial) Decode(env *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	want, _ := numberOf(a.Type)
	return decode(env.Ctx, dst.Data, src, want)
}

// flat is pcodec in v2. It decodes to the file's own numbers, whatever the array's type is, because
// filters may follow.
type flat struct{}

// EncodedSize implements codec.BytesToBytes.
func (flat) EncodedSize(decoded codec.Size) codec.Size { return bound(decoded.N) }

// Decode implements codec.BytesToBytes.
func (flat) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if !out.Size.Exact {
		return nil, &codec.UnsupportedError{Feature: "pcodec in front of a codec of variable length"}
	}
	dst := out.Grow(env, out.Size.N)[:out.Size.N]
	return dst, decode(env.Ctx, dst, src, number{})
}

// number is a type of pcodec.
type number struct {
	code  byte // in files; 0: not a number
	kind  dtype.Kind
	width uint // in bits
}

// numberOfCode finds a type by its code.
func numberOfCode(code byte) (number, bool) {
	n := number{code: code}
	switch code {
	case 1, 2, 7, 10:
		n.kind = dtype.Uint
	case 3, 4, 8, 11:
		n.kind = dtype.Int
	case 5, 6, 9:
		n.kind = dtype.Float
	default:
		return n, false
	}
	switch code {
	case 1, 3, 5:
		n.width = 32
	case 2, 4, 6:
		n.width = 64
	case 7, 8, 9:
		n.width = 16
	default:
		n.width = 8
	}
	return n, true
}

// numberOf returns the type in which elements of a data type are stored. Complex ones are two
// numbers each.
func numberOf(t *dtype.Type) (number, bool) {
	kind, size := t.Kind, t.Size
	switch {
	case t.Bits != 0:
		return number{}, false
	case kind == dtype.Complex:
		kind, size = t.Elem.Kind, t.Elem.Size
	case kind == dtype.DateTime || kind == dtype.TimeDelta:
		kind = dtype.Int
	}
	for code := byte(1); code <= 11; code++ {
		if n, ok := numberOfCode(code); ok && n.kind == kind && n.width == uint(8*size) {
			return n, true
		}
	}
	return number{}, false
}
