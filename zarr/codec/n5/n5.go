// Package n5 has the codec n5_default of zarr-extensions: blocks of N5 in its
// default mode.
//
// A block is a header of big-endian numbers, mode (uint16, 0), number of
// dimensions (uint16) and that many lengths (uint32), and then its elements
// encoded by a chain that begins with a full transpose, as N5's first dimension
// is the fastest one. The lengths are those of the decoded array, dimension by
// dimension. They need not be the chunk's: blocks at the array's edge may be cut
// or padded.
package n5

import (
	"math"
	"math/bits"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/meta"
	"zarr-wasm/zarr/ndarray"
)

const name = "n5_default"

// Codec returns the codec n5_default. Its configuration has codecs.
func Codec() codec.Entry {
	return codec.Entry{Names: []string{name, "zarrs.n5_default"}, New: build}
}

func bad(msg string) error { return &codec.ConfigError{Codec: name, Msg: msg} }

// n5 is one array's codec.
type n5 struct {
	inner  *codec.Pipeline
	most   int64 // bytes of the elements of a block
	limits codec.Limits
}

func build(config json.Value, b codec.Build) (any, error) {
	c := &n5{limits: b.Limits}
	if err := c.Check(b.Array); err != nil {
		return nil, err
	}
	chain, err := meta.Codecs(config.Get("codecs"), len(b.Array.Shape))
	if err != nil {
		return nil, bad("codecs: " + err.Error())
	}
	if c.inner, err = b.Registry.Pipeline(chain, b); err != nil {
		return nil, err
	}
	// A block may be larger than its chunk, but not so large that a header that
	// lies takes much memory.
	c.most = min(2*int64(b.Array.Bytes())+1<<16, b.Limits.ChunkBytes)
	return c, nil
}

// Check implements codec.ArrayToBytes.
func (*n5) Check(a codec.Array) error {
	if a.Type.Variable() || a.Type.Size == 0 {
		return bad("cannot hold elements of type " + a.Type.Name)
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
	plan, err := c.inner.Plan(about)
	if err != nil {
		return err
	}
	if err := plan.Admit(len(src)); err != nil {
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

// header reads the shape of a block, and returns what is behind the header.
func (c *n5) header(a codec.Array, src []byte) (shape []int, rest []byte, err error) {
	rank := len(a.Shape)
	if len(src) < 4+4*rank {
		return nil, nil, codec.Truncated("shorter than its header")
	}
	switch int(src[0])<<8 | int(src[1]) {
	case 0:
	case 1:
		return nil, nil, &codec.UnsupportedError{Feature: "an N5 block of mode varlength"}
	case 2:
		return nil, nil, &codec.UnsupportedError{Feature: "an N5 block of mode object"}
	default:
		return nil, nil, codec.Corrupt("the block is of no mode that N5 has")
	}
	if int(src[2])<<8|int(src[3]) != rank {
		return nil, nil, codec.Corrupt("the block has another number of dimensions than the array")
	}
	total := uint64(a.Type.Size)
	shape = make([]int, rank)
	for d := range shape {
		b := src[4+4*d:]
		n := uint64(b[0])<<24 | uint64(b[1])<<16 | uint64(b[2])<<8 | uint64(b[3])
		hi, lo := bits.Mul64(total, n)
		if hi != 0 || lo > uint64(c.most) || n > math.MaxInt32 {
			return nil, nil, codec.Corrupt("the block is much larger than the chunk")
		}
		total = lo
		shape[d] = int(n)
	}
	return shape, src[4+4*rank:], nil
}
