// Package n5 has the codecs of N5's blocks: n5_default of zarr-extensions, and n5_block and
// n5_strings, which package store/n5store writes into its documents.
//
// A block is a header of big-endian numbers and then its elements, encoded by a chain of codecs.
// The header has a mode (uint16), the number of dimensions (uint16) and that many lengths (uint32):
//
//   - Mode 0 has only these.
//   - Mode 1 also has the number of elements after the header (uint32), or the number of bytes of
//     texts. N5 writes it if that differs from the product of the lengths. Texts are read
//     completely, and other elements only up to that product.
//   - Mode 2 has only the number of elements (uint32), and no dimensions. It is read if these are
//     the elements of a whole chunk.
//
// The lengths may differ from the chunk's: blocks at the array's edge may be cut or padded.
//
// In n5_default the lengths are those of the decoded array, dimension by dimension. The chain
// begins with a full transpose, because N5's first dimension is the fastest one. Blocks are of mode
// 0. In n5_block the lengths are those of the decoded array from its last dimension to its first.
// The array is N5's with its dimensions reversed, and its elements have the same order.
package n5

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the codecs n5_default and n5_block, whose configuration has codecs, and
// n5_strings.
func Codecs() []codec.Entry {
	return []codec.Entry{
		{Names: []string{"n5_default", "zarrs.n5_default"}, Doc: codec.Doc("N5 blocks: a header and big-endian elements"), Kind: codec.KindArrayToBytes, New: func(config json.Value, b codec.Build) (any, error) {
			return build(&n5{name: "n5_default"}, config, b)
		}},
		{Names: []string{"n5_block"}, Doc: codec.Doc("N5 blocks with their dimensions reversed"), Kind: codec.KindArrayToBytes, New: func(config json.Value, b codec.Build) (any, error) {
			return build(&n5{name: "n5_block", reversed: true}, config, b)
		}},
		{Names: []string{"n5_strings"}, Doc: codec.Doc("strings of N5"), Kind: codec.KindArrayToBytes, New: func(json.Value, codec.Build) (any, error) { return texts{}, nil }},
	}
}

// n5 is one array's codec.
type n5 struct {
	name     string
	reversed bool // it is n5_block
	inner    *codec.Pipeline
	most     int64 // bytes of the elements of a block
	limits   codec.Limits
}

func (c *n5) bad(msg string) error { return &codec.ConfigError{Codec: c.name, Msg: msg} }

func build(c *n5, config json.Value, b codec.Build) (any, error) {
	c.limits = b.Limits
	if err := c.Check(b.Array); err != nil {
		return nil, err
	}
	var err error
	if c.inner, err = b.Chain(c.name, config, "codecs", b.Array); err != nil {
		return nil, err
	}
	// A block may be larger than its chunk. The limit keeps a header with wrong lengths from
	// allocating much memory.
	c.most = min(2*b.Array.Memory()+1<<16, b.Limits.ChunkBytes)
	return c, nil
}

// Check implements codec.ArrayToBytes.
func (c *n5) Check(a codec.Array) error {
	if a.Type.Variable() && !(c.reversed && a.Type.Kind == dtype.String) || !a.Type.Variable() && a.Type.Size == 0 {
		return c.bad("cannot hold elements of type " + a.Type.Name)
	}
	return nil
}

// EncodedSize implements codec.ArrayToBytes.
func (c *n5) EncodedSize(codec.Array) codec.Size {
	return codec.Size{N: c.limits.EncodedBytes}
}

// Decode implements codec.ArrayToBytes.
func (c *n5) Decode(env *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	shape, src, err := c.header(a, src)
	if err != nil {
		return err
	}
	about := codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill}
	plan, err := c.inner.PlanFor(about, len(src))
	if err != nil {
		return err
	}
	common := make([]int, len(shape))
	same := true
	for d, n := range shape {
		common[d] = min(n, a.Shape[d])
		same = same && n == a.Shape[d]
	}
	if same {
		return plan.Decode(env, dst, src, nil)
	}
	mark := env.Mark()
	defer env.Release(mark)
	block := env.Block(about)
	if err := plan.Decode(env, block, src, nil); err != nil {
		return err
	}
	to := ndarray.Layout{Strides: ndarray.Strides(a.Shape)}
	if err := ndarray.Fill(dst, to, a.Shape, a.Fill); err != nil {
		return err
	}
	return ndarray.Copy(dst, to, block, ndarray.Layout{Strides: ndarray.Strides(shape)}, common)
}

// The modes of a block.
const (
	modeDefault = iota
	modeVarlength
	modeObject
)

// header reads the shape of a block, and returns the bytes after the header.
func (c *n5) header(a codec.Array, src []byte) (shape []int, rest []byte, err error) {
	rank, texts := len(a.Shape), a.Type.Variable()
	mode, src, ok := number(src, 2)
	dims := rank
	if mode == modeObject {
		dims = 0
	} else if ok {
		var n int
		if n, src, ok = number(src, 2); ok && n != rank {
			return nil, nil, codec.Corrupt("the block's number of dimensions differs from the array's")
		}
	}
	shape = make([]int, rank)
	total := uint64(codec.ElementBytes(a.Type))
	for d := range dims {
		var n int
		if n, src, ok = number(src, 4); !ok {
			break
		}
		hi, lo := bits.Mul64(total, uint64(n))
		if hi != 0 || lo > uint64(c.most) || n > math.MaxInt32 {
			return nil, nil, codec.Corrupt("the block is much larger than the chunk")
		}
		if total = lo; c.reversed {
			shape[rank-1-d] = n
		} else {
			shape[d] = n
		}
	}
	count := 0
	if mode != modeDefault {
		if ok {
			count, src, ok = number(src, 4)
		}
		if mode == modeObject {
			copy(shape, a.Shape)
		}
	}
	about := codec.Array{Shape: shape, Type: a.Type}
	switch {
	case !ok:
		return nil, nil, codec.Truncated("shorter than its header")
	case mode > modeObject:
		return nil, nil, codec.Corrupt("the block has an unknown mode")
	case mode != modeDefault && !c.reversed:
		return nil, nil, &codec.UnsupportedError{Feature: "an N5 block of mode " + []string{"varlength", "object"}[mode-1]}
	case mode == modeObject && texts:
		return nil, nil, codec.Corrupt("a block of strings has no dimensions")
	case mode != modeDefault && !texts && count != about.Len():
		return nil, nil, &codec.UnsupportedError{
			Feature: "an N5 block of " + strconv.Itoa(count) + " elements where its dimensions have " + strconv.Itoa(about.Len()),
		}
	}
	return shape, src, nil
}

// number reads a big-endian number of size bytes.
func number(src []byte, size int) (n int, rest []byte, ok bool) {
	if len(src) < size {
		return 0, src, false
	}
	for _, b := range src[:size] {
		n = n<<8 | int(b)
	}
	return n, src[size:], true
}

// texts is the codec n5_strings: texts in UTF-8, each terminated by a NUL.
type texts struct{}

// Check implements codec.ArrayToBytes.
func (texts) Check(a codec.Array) error {
	if a.Type.Kind != dtype.String {
		return &codec.ConfigError{Codec: "n5_strings", Msg: "cannot hold elements of type " + a.Type.Name}
	}
	return nil
}

// EncodedSize implements codec.ArrayToBytes.
func (texts) EncodedSize(codec.Array) codec.Size { return codec.Size{N: codec.UnknownSize} }

// Decode implements codec.ArrayToBytes.
func (texts) Decode(_ *codec.Env, _ codec.Array, dst ndarray.Block, src []byte) error {
	for i := range dst.Items {
		n := bytes.IndexByte(src, 0)
		if n < 0 && i == len(dst.Items)-1 && len(src) > 0 {
			n = len(src) // some writers omit the last one
			src = append(src[:n:n], 0)
		}
		if n < 0 {
			return codec.Truncated("fewer strings than the block has")
		}
		if dst.Items[i] = src[:n:n]; !utf8.Valid(dst.Items[i]) {
			return codec.Corrupt("a string is not UTF-8")
		}
		src = src[n+1:]
	}
	if len(src) > 0 {
		return codec.Corrupt("more strings than the block has")
	}
	return nil
}
