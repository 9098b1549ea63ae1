// Package zfp decodes the format of the zfp library (codec version 5). It serves the v3 codec zfp,
// whose configuration replaces a zfp header, and numcodecs' zfpy, whose data begins with that
// header.
//
// # The stream
//
// A field of one to four dimensions is cut into blocks of four values in each dimension; those at
// the edges are padded. Each block is coded separately ([decoder.block]). Floating-point values
// become integers with one exponent for the block. A transform along each dimension removes the
// correlation between neighbours. The coefficients, in negabinary and sorted by frequency, are
// written one plane of bits after the other, the highest first. The mode limits the number of
// planes or bits ([params]). The reversible mode has its own transform and keeps all.
//
// # Types
//
// zfp supports int32, int64, float32 and float64. Writers promote other types to one of them, and
// this package converts them back ([form]), as zarr-extensions' codecs/zfp specifies.
package zfp

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the entries of zfp and numcodecs.zfpy. In v2 zfpy is a compressor of bytes like
// any other: its header contains their type.
func Codecs() []codec.Entry {
	return []codec.Entry{
		{Names: []string{"zfp"}, Doc: codec.Doc("zfp streams without a header"), Kind: codec.KindArrayToBytes, Cost: codec.Cost{Decode: 10_000}, New: newZFP},
		{Names: []string{"numcodecs.zfpy", "zfpy"}, IDs: []string{"zfpy"}, Doc: codec.Doc("zfp streams with a header"), Kind: codec.KindArrayToBytes, Cost: codec.Cost{Decode: 10_000}, New: newZFPY},
	}
}

func newZFP(config json.Value, b codec.Build) (any, error) {
	c := serial{name: "zfp"}
	// Early versions of zarrs had an option to write the header.
	if c.header, _ = config.Get("write_header").Bool(); c.header {
		return c, nil
	}
	return c, c.configure(config, b.Array)
}

func newZFPY(_ json.Value, b codec.Build) (any, error) {
	if b.Format < 3 {
		return newFlat(b.Array.Type), nil
	}
	return serial{name: "numcodecs.zfpy", header: true}, nil
}

// serial is the array-to-bytes codec.
type serial struct {
	name   string
	header bool // the data begins with a header
	params params
}

// Check implements codec.ArrayToBytes.
func (c serial) Check(a codec.Array) error {
	if _, ok := formOf(a.Type); !ok {
		return c.wrong("cannot hold elements of type " + a.Type.Name)
	}
	if !c.header && len(a.Shape) > maxRank {
		return c.wrong("cannot hold " + strconv.Itoa(len(a.Shape)) + " dimensions, the maximum is four")
	}
	return nil
}

func (c serial) wrong(msg string) error { return &codec.ConfigError{Codec: c.name, Msg: msg} }

// EncodedSize implements codec.ArrayToBytes.
func (c serial) EncodedSize(a codec.Array) codec.Size {
	return codec.Size{N: bound(int64(a.Len()), int64(c.params.minbits))}
}

// bound returns the largest size in bytes of a field of n values. In the worst case it is one value
// wide in all dimensions but one, and each block has all bits of four dimensions.
func bound(n, minbits int64) int64 {
	const block = 256*65 + 128
	return (n/4+1)*4*(max(block, minbits)/8+1) + headerBytes
}

// Decode implements codec.ArrayToBytes.
func (c serial) Decode(_ *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	if a.Len() == 0 {
		return nil
	}
	to, _ := formOf(a.Type)
	r := bitio.NewReader(src)
	if !c.header {
		return to.decode(&r, fieldOf(a.Shape), c.params, dst.Data)
	}
	h, err := readHeader(&r)
	switch {
	case err != nil:
		return err
	case h.scalar != to.scalar:
		return codec.Corrupt("the header has " + h.scalar.String() + ", the array needs " + to.scalar.String())
	}
	if err := h.field.holds(int64(a.Len())); err != nil {
		return err
	}
	return to.decode(&r, h.field, h.params, dst.Data)
}
