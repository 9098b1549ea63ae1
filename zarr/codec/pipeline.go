package codec

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// stage is one codec of a chain with its name in the metadata.
type stage[T any] struct {
	name  string
	codec T
}

// Pipeline is an array's chain of codecs, checked and built. It is immutable and
// safe for concurrent use.
type Pipeline struct {
	chain      []meta.CodecSpec
	build      Build
	limits     Limits
	arrays     []stage[ArrayToArray]
	serializer stage[ArrayToBytes]
	bytes      []stage[BytesToBytes]
	cost       Cost
	inner      []int
}

// Cost returns the sum of the costs of the chain's codecs. The codecs inside of a shard do not
// count.
func (p *Pipeline) Cost() Cost { return p.cost }

// InnerChunks returns the shape of the chunks inside a shard, or nil if the array is not sharded.
// The outermost of nested shards counts. If an array-to-array codec precedes the shards, inner
// chunks are not regions of the array; such an array counts as not sharded.
func (p *Pipeline) InnerChunks() []int { return p.inner }

// Chain returns the metadata that the pipeline was built from. Chain and Build suffice to build the
// same pipeline elsewhere.
func (p *Pipeline) Chain() []meta.CodecSpec { return p.chain }

// Build returns the parameters that were given to [Registry.Pipeline].
func (p *Pipeline) Build() Build { return p.build }

// Plan is a pipeline applied to chunks of one shape. It holds the array and the sizes at every
// place of the chain, which are known before a chunk is read.
type Plan struct {
	*Pipeline
	// The array arrays[0] is the chunk, and arrays[i+1] the output of encoding with array codec i.
	// The size sizes[0] is that of the array-to-bytes codec, and sizes[i+1] that of bytes codec i.
	arrays []Array
	sizes  []Size
	direct bool // the innermost bytes are the chunk's elements
	// The strides by the chunk's dimensions, if the innermost bytes are the chunk's elements in
	// another order. Scalars of swap bytes are then big-endian, unless swap is 0.
	strides []int
	swap    int
	// shard is the layout of the inner chunks when a shard codec is the whole chain.
	shard *ShardLayout
}

// Plan returns the plan for chunks with the shape and type of a.
func (p *Pipeline) Plan(a Array) (*Plan, error) {
	pl := &Plan{Pipeline: p, arrays: []Array{a}}
	for _, s := range p.arrays {
		next, err := s.codec.Encoded(a)
		if err != nil {
			return nil, err
		}
		a = next
		pl.arrays = append(pl.arrays, a)
	}
	if err := p.serializer.codec.Check(a); err != nil {
		return nil, err
	}
	size := p.serializer.codec.EncodedSize(a)
	pl.sizes = []Size{size}
	for _, s := range p.bytes {
		size = s.codec.EncodedSize(size)
		pl.sizes = append(pl.sizes, size)
	}
	if c, ok := p.serializer.codec.(RawSerializer); ok {
		if swap, raw := c.Raw(a); raw && swap == 0 && len(p.arrays) == 0 {
			pl.direct = true
		} else if raw {
			pl.arrange(a, swap)
		}
	}
	if c, ok := p.serializer.codec.(ShardCodec); ok && len(p.arrays) == 0 && len(p.bytes) == 0 {
		var err error
		if pl.shard, err = c.Shard(a); err != nil {
			return nil, err
		}
	}
	return pl, nil
}

// PlanFor returns the plan of an array with the shape and type of a and n encoded bytes. Codecs
// with inner chains call it. It fails before memory for the array is allocated. Errors are those of
// [Pipeline.Plan] and [Plan.CheckEncoded].
func (p *Pipeline) PlanFor(a Array, n int) (*Plan, error) {
	plan, err := p.Plan(a)
	if err != nil {
		return nil, err
	}
	if err := plan.CheckEncoded(n); err != nil {
		return nil, err
	}
	return plan, nil
}

// DecodeInner decodes src, an array of the shape and type of a, into memory of the Env. Codecs with
// inner chains call it.
func (p *Pipeline) DecodeInner(env *Env, a Array, src []byte) (ndarray.Block, error) {
	plan, err := p.PlanFor(a, len(src))
	if err != nil {
		return ndarray.Block{}, err
	}
	block := env.Block(a)
	return block, plan.Decode(env, block, src, nil)
}

// ZeroCopy reports whether [Plan.View] can return the chunk's elements without a decode. The stored
// bytes are then the elements, up to the order of dimensions and bytes.
func (p *Plan) ZeroCopy() bool { return (p.direct || p.strides != nil) && len(p.bytes) == 0 }

// Raw reports whether the stored bytes are the chunk's packed elements in C order, so that they can
// be read in part. Scalars of swap bytes are big-endian then, unless swap is 0.
func (p *Plan) Raw() (swap int, ok bool) {
	return p.swap, p.ZeroCopy() && len(p.arrays) == 1
}

// arrange sets strides and swap if all array codecs only permute the dimensions of the innermost
// array a.
func (p *Plan) arrange(a Array, swap int) {
	strides := ndarray.Strides(a.Shape)
	for i := len(p.Pipeline.arrays) - 1; i >= 0; i-- {
		t, ok := p.Pipeline.arrays[i].codec.(Permutation)
		if !ok {
			return
		}
		order := t.Permutation()
		outer := make([]int, len(order))
		for k, d := range order {
			outer[d] = strides[k]
		}
		strides = outer
	}
	p.strides, p.swap = strides, swap
}

// Stored is a chunk's elements in the layout of the stored bytes. Strides has one stride for each
// dimension of the chunk and is nil for C order. Scalars of Swap bytes are big-endian, unless Swap
// is 0.
type Stored struct {
	ndarray.Block
	Strides []int
	Swap    int
}

// CheckEncoded returns an error if a chunk of n stored bytes cannot be decoded. Either n is not the
// encoded size of the chain, or the chunk exceeds the limits. Call it before memory for the chunk
// is allocated.
func (p *Plan) CheckEncoded(n int) error {
	if err := p.CheckEncodedSize(int64(n)); err != nil {
		return err
	}
	return p.CheckLimits()
}

// CheckEncodedSize returns an error if the chain has an exact encoded size other than n bytes.
func (p *Plan) CheckEncodedSize(n int64) error {
	s := p.EncodedSize()
	if !s.Exact || n == s.N {
		return nil
	}
	err := Corrupt("more bytes than the chunk has")
	if n < s.N {
		err = Truncated("fewer bytes than the chunk has")
	}
	name := p.serializer.name
	if k := len(p.bytes); k > 0 {
		name = p.bytes[k-1].name
	}
	return &Error{name, err}
}

// CheckLimits returns an error if the chunk exceeds the limits, decoded or after any array-to-array
// codec.
func (p *Plan) CheckLimits() error {
	for _, a := range p.arrays {
		if err := CheckLimit("ChunkBytes", p.limits.ChunkBytes, a.Memory(), "chunk"); err != nil {
			return err
		}
	}
	return nil
}

// Local is an optional interface of codecs that may be bound to this instance of the program,
// because a page implements them. Codecs with inner chains implement it too. A decoder on another
// thread cannot build such a codec from its configuration.
type Local interface{ Local() bool }

// Local reports whether any codec of the chain is bound to this instance of the program; see
// [Local].
func (p *Pipeline) Local() bool {
	local := func(codec any) bool {
		l, ok := codec.(Local)
		return ok && l.Local()
	}
	for _, s := range p.arrays {
		if local(s.codec) {
			return true
		}
	}
	for _, s := range p.bytes {
		if local(s.codec) {
			return true
		}
	}
	return local(p.serializer.codec)
}

// View returns the chunk's elements as a view of src if the plan is ZeroCopy. They must not be
// changed.
func (p *Plan) View(src []byte) (Stored, bool) {
	if !p.ZeroCopy() || len(src) != p.arrays[0].Bytes() {
		return Stored{}, false
	}
	b := ndarray.Block{Shape: p.arrays[0].Shape, Size: p.arrays[0].Type.Size, Data: src}
	return Stored{b, p.strides, p.swap}, true
}

// Decode decodes a chunk into dst, a C-contiguous block of the chunk's shape.
// src is not changed. Decode may leave elements outside of the region want arbitrary; a nil want is
// the whole chunk. Errors are [*Error], [*LimitError] and the context's.
func (p *Plan) Decode(env *Env, dst ndarray.Block, src []byte, want []Range) (err error) {
	env.keep = env.keep || p.arrays[0].Type.Variable()
	mark := env.Mark()
	defer env.Release(mark)
	at := p.serializer.name
	defer func() {
		// A decoder that panics on hostile bytes must not end the other reads.
		if r := recover(); r != nil {
			err = Corrupt(Failed + ": " + guard.Text(r))
		}
		if err != nil {
			err = named(at, err)
		}
	}()

	for k := len(p.bytes) - 1; k >= 0; k-- {
		at = p.bytes[k].name
		if err := env.Ctx.Err(); err != nil {
			return err
		}
		out := Output{Size: p.sizes[k]}
		if k == 0 && (p.direct || p.strides != nil && len(p.Pipeline.arrays) == 0) {
			out.Buf = dst.Data[:0:len(dst.Data)]
		}
		b, err := p.decodeBytes(env, k, out, src, want)
		if err != nil {
			return err
		}
		if src, err = out.Check(b); err != nil {
			return err
		}
	}
	at = p.serializer.name
	if p.direct || p.strides != nil {
		return p.order(dst, src)
	}
	last := len(p.Pipeline.arrays)
	block := func(i int) ndarray.Block {
		if i == 0 {
			return dst
		}
		return env.Block(p.arrays[i])
	}
	b := block(last)
	if part, ok := p.serializer.codec.(ArrayPartialDecoder); ok && want != nil && last == 0 {
		return part.DecodePartial(env, p.arrays[0], b, src, want)
	}
	if err := p.serializer.codec.Decode(env, p.arrays[last], b, src); err != nil {
		return err
	}
	for i := last - 1; i >= 0; i-- {
		at = p.Pipeline.arrays[i].name
		to := block(i)
		if err := p.Pipeline.arrays[i].codec.Decode(env, to, b); err != nil {
			return err
		}
		b = to
	}
	return nil
}

// decodeBytes decodes with bytes codec k, only the region want if the codec can.
func (p *Plan) decodeBytes(env *Env, k int, out Output, src []byte, want []Range) ([]byte, error) {
	c := p.bytes[k].codec
	if part, ok := c.(BytesPartialDecoder); ok && want != nil && k == 0 && p.direct {
		a := p.arrays[0]
		return part.DecodePartial(env, out, src, ByteRegion{a.Shape, a.Type.Size, want})
	}
	return c.Decode(env, out, src)
}

// PartiallyReadable reports whether the first bytes of a stored chunk locate the bytes of any
// region; see [Plan.EncodedRanges].
func (p *Plan) PartiallyReadable() bool {
	if len(p.bytes) != 1 || !p.direct {
		return false
	}
	_, ok := p.bytes[0].codec.(BytesPartialReader)
	return ok
}

// EncodedRanges returns the ranges of a stored chunk that Decode reads for the region want. They
// come in addition to head, the first bytes. It also returns the length of the stored chunk. It
// reports false if Decode needs the whole chunk. The plan must be PartiallyReadable.
func (p *Plan) EncodedRanges(head []byte, want []Range) (ranges []Range, length int, ok bool) {
	a := p.arrays[0]
	return p.bytes[0].codec.(BytesPartialReader).EncodedRanges(head, p.sizes[0], ByteRegion{a.Shape, a.Type.Size, want})
}

// order copies the innermost bytes to dst in the chunk's order. They may be in dst already unless a
// dimension is permuted.
func (p *Plan) order(dst ndarray.Block, src []byte) error {
	if len(src) < len(dst.Data) {
		return Truncated("fewer bytes than the chunk has")
	}
	if len(src) > len(dst.Data) {
		return Corrupt("more bytes than the chunk has")
	}
	switch inPlace := len(src) > 0 && &src[0] == &dst.Data[0]; {
	case len(p.Pipeline.arrays) > 0:
		from := ndarray.Block{Shape: dst.Shape, Size: dst.Size, Data: src}
		to := ndarray.Layout{Strides: ndarray.Strides(dst.Shape)}
		return ndarray.CopySwapped(dst, to, from, ndarray.Layout{Strides: p.strides}, dst.Shape, p.swap)
	case p.swap != 0:
		kernel.Swap(dst.Data, src, p.swap)
	case !inPlace:
		copy(dst.Data, src)
	}
	return nil
}

// Block lends a block for an array until the decode of the chunk ends. Its contents are arbitrary.
func (e *Env) Block(a Array) ndarray.Block {
	b := ndarray.Block{Shape: a.Shape, Size: a.Type.Size}
	if a.Type.Variable() {
		b.Items = make([][]byte, a.Len())
	} else {
		b.Data = e.Buffer(a.Bytes())
	}
	return b
}

// named adds the codec's name to errors of decoding. Limits and cancellations do not depend on the
// codec.
func named(codec string, err error) error {
	var limit *LimitError
	var inner *Error
	if errtype.As(err, &limit) || errtype.As(err, &inner) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{codec, err}
}

// SerializerError wraps err as an error of the chain's array-to-bytes codec, as Decode does.
func (p *Plan) SerializerError(err error) error { return named(p.serializer.name, err) }

// Array returns the decoded side of the chain: the plan's chunks.
func (p *Plan) Array() Array { return p.arrays[0] }

// Failed is the message of the error for a decoder's panic. Tests search for it: no input may cause
// it.
const Failed = "the decoder failed"

// EncodedSize returns the length of the stored bytes, or its maximum.
func (p *Plan) EncodedSize() Size { return p.sizes[len(p.sizes)-1] }
