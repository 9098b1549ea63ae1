// Package hdf5 has three codecs of version 2 that only HDF5 defines: hdf5_nbit, hdf5_scaleoffset
// and hdf5_szip. The first two store numbers with fewer bits than their types, the highest bit
// first, without gaps. The third has the coder of CCSDS, as GRIB.
package hdf5

import (
	"math/bits"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Codecs returns the codecs. The first two have a member dtype, the typestring of the decoded
// numbers.
func Codecs() []codec.Entry {
	cost := codec.Cost{Decode: 4000}
	return []codec.Entry{
		{IDs: []string{"hdf5_nbit"}, Doc: codec.Doc("integers of any number of bits, as HDF5's n-bit filter"), Kind: codec.KindBytesToBytes, Cost: cost, New: newNBit},
		{IDs: []string{"hdf5_scaleoffset"}, Doc: codec.Doc("numbers above a minimum, as HDF5's scale-offset filter"), Kind: codec.KindBytesToBytes, Cost: cost, New: newScaleOffset},
		{IDs: []string{"hdf5_szip"}, Doc: codec.Doc("the coder of CCSDS, as HDF5's szip filter"), Kind: codec.KindBytesToBytes, Cost: cost, New: newSzip},
	}
}

// numberType reads the member dtype.
func numberType(id string, config json.Value) (*dtype.Type, error) {
	t, err := dtype.ParseV2(config.Get("dtype"), dtype.Limits{})
	if err != nil {
		return nil, &codec.ConfigError{Codec: id, Msg: err.Error()}
	}
	if k := t.Kind; k != dtype.Int && k != dtype.Uint && k != dtype.Float || bits.OnesCount(uint(t.Size)) != 1 || t.Size > 8 {
		return nil, &codec.ConfigError{Codec: id, Msg: strconv.Quote(t.Name) + " is not a type of numbers of up to 8 bytes"}
	}
	return t, nil
}

// number reads a member that is an integer of a range.
func number(id string, config json.Value, name string, least, most int64) (int, error) {
	n, ok := config.Get(name).Int64()
	if !ok || n < least || n > most {
		return 0, &codec.ConfigError{Codec: id, Msg: name + " is not a number of " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)}
	}
	return int(n), nil
}

// room returns the memory for the output and its number of elements. HDF5 does not store it.
func room(env *codec.Env, out codec.Output, t *dtype.Type) ([]byte, int, error) {
	if !out.Size.Exact || out.Size.N%int64(t.Size) != 0 {
		return nil, 0, &codec.UnsupportedError{Feature: "a filter of HDF5 before codecs that hide the number of elements"}
	}
	return out.Grow(env, out.Size.N)[:out.Size.N], int(out.Size.N) / t.Size, nil
}

// unpack calls put with the numbers of width bits in src, up to 64.
func unpack(env *codec.Env, src []byte, count, width int, put func(i int, v uint64)) error {
	if int64(count)*int64(width) > 8*int64(len(src)) {
		return codec.Truncated("has fewer bits than its numbers need")
	}
	at := 0
	for i := range count {
		if i&(1<<16-1) == 0 && env.Ctx.Err() != nil {
			return env.Ctx.Err()
		}
		var v uint64
		for left := width; left > 0; {
			has := 8 - at&7
			n := min(has, left)
			v = v<<n | uint64(src[at>>3]>>(has-n))&(1<<n-1)
			at += n
			left -= n
		}
		put(i, v)
	}
	return nil
}

// store writes a number of 1, 2, 4 or 8 bytes, little-endian.
func store(dst []byte, i, size int, v uint64) {
	switch size {
	case 1:
		dst[i] = byte(v)
	case 2:
		kernel.Store16(dst, 2*i, uint16(v))
	case 4:
		kernel.Store32(dst, 4*i, uint32(v))
	case 8:
		kernel.Store64(dst, 8*i, v)
	}
}

// order turns little-endian numbers into those of the type.
func order(dst []byte, t *dtype.Type) {
	if t.Order == dtype.Big && t.Size > 1 {
		kernel.Swap(dst, dst, t.Size)
	}
}

// nbit stores the bits of integers that have a meaning.
type nbit struct {
	t         *dtype.Type
	precision int // bits of an integer
}

func newNBit(config json.Value, _ codec.Build) (any, error) {
	const id = "hdf5_nbit"
	t, err := numberType(id, config)
	if err != nil {
		return nil, err
	}
	if t.Kind == dtype.Float {
		return nil, &codec.UnsupportedError{Feature: id + " of floating-point numbers"}
	}
	precision, err := number(id, config, "precision", 1, int64(8*t.Size))
	return nbit{t, precision}, err
}

// EncodedSize implements codec.BytesToBytes.
func (nbit) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (c nbit) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	dst, count, err := room(env, out, c.t)
	if err != nil {
		return nil, err
	}
	shift := 64 - c.precision
	err = unpack(env, src, count, c.precision, func(i int, v uint64) {
		if c.t.Kind == dtype.Int {
			v = uint64(int64(v<<shift) >> shift)
		}
		store(dst, i, c.t.Size, v)
	})
	order(dst, c.t)
	return dst, err
}
