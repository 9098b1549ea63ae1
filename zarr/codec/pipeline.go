package codec

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// stage is one codec of a chain with the name that the metadata gives it.
type stage[T any] struct {
	name  string
	codec T
}

// Pipeline is an array's chain of codecs, checked and ready. It is immutable and
// safe for concurrent use.
type Pipeline struct {
	chain  []meta.CodecSpec
	build  Build
	limits Limits
	arrays []stage[ArrayToArray]
	serial stage[ArrayToBytes]
	bytes  []stage[BytesToBytes]
}

// Chain is what the pipeline was built of, and with Build all that it takes to
// build it again elsewhere.
func (p *Pipeline) Chain() []meta.CodecSpec { return p.chain }

// Build is what the pipeline's codecs were told of the array. Depth and Registry
// are those that were given to [Registry.Pipeline].
func (p *Pipeline) Build() Build { return p.build }

// Plan is what a pipeline knows of the chunks of one shape before it sees one:
// the array and the sizes at every place of the chain.
type Plan struct {
	*Pipeline
	arrays []Array // arrays[0] is the chunk, arrays[i+1] what array codec i makes of it
	sizes  []Size  // sizes[0] is what the array-to-bytes codec writes, sizes[i+1] what bytes codec i makes of it
	direct bool    // the innermost bytes are the chunk's elements
	// strides is not nil where the innermost bytes are the chunk's elements in
	// another order: their strides by the chunk's dimensions. Their scalars of swap
	// bytes are big-endian then, if swap is not 0.
	strides []int
	swap    int
	// contents is what the chunks contain, where a container is the whole chain.
	contents *Contents
}

// Plan computes the plan for chunks that look like a.
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
	if err := p.serial.codec.Check(a); err != nil {
		return nil, err
	}
	size := p.serial.codec.EncodedSize(a)
	pl.sizes = []Size{size}
	for _, s := range p.bytes {
		size = s.codec.EncodedSize(size)
		pl.sizes = append(pl.sizes, size)
	}
	if id, ok := p.serial.codec.(Identity); ok && len(p.arrays) == 0 {
		pl.direct = id.Identity(a)
	}
	if !pl.direct {
		pl.arrange(a)
	}
	if c, ok := p.serial.codec.(Container); ok && len(p.arrays) == 0 && len(p.bytes) == 0 {
		var err error
		if pl.contents, err = c.Contents(a); err != nil {
			return nil, err
		}
	}
	return pl, nil
}

// PlanFor returns the plan of an array that looks like a and has n encoded bytes, for codecs that hold chains of their
// own. It fails before anything is allocated for the array. Errors are those of [Pipeline.Plan] and [Plan.Admit].
func (p *Pipeline) PlanFor(a Array, n int) (*Plan, error) {
	plan, err := p.Plan(a)
	if err != nil {
		return nil, err
	}
	if err := plan.Admit(n); err != nil {
		return nil, err
	}
	return plan, nil
}

// Viewable tells whether View has something to show: the chain does nothing to the elements
// but order them.
func (p *Plan) Viewable() bool { return (p.direct || p.strides != nil) && len(p.bytes) == 0 }

// Packed tells whether the stored bytes are the chunk's elements in C order, and so can be
// read in part; scalars of swap bytes are big-endian then, if swap is not 0.
func (p *Plan) Packed() (swap int, ok bool) {
	return p.swap, p.Viewable() && len(p.arrays) == 1
}

// arrange finds out whether all that the array codecs do to the innermost array a
// is to permute its dimensions, and the array-to-bytes codec to swap bytes.
func (p *Plan) arrange(a Array) {
	if id, ok := p.serial.codec.(Identity); !ok || !id.Identity(a) {
		s, ok := p.serial.codec.(Swapped)
		if !ok {
			return
		}
		if p.swap = s.Swapped(a); p.swap == 0 {
			return
		}
	}
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
	p.strides = strides
}

// Stored is a chunk's elements as they lie in memory: Strides are those of the
// chunk's dimensions, nil for C order, and scalars of Swap bytes are big-endian,
// if that is not 0.
type Stored struct {
	ndarray.Block
	Strides []int
	Swap    int
}

// Admit tells whether a chunk of n stored bytes can be decoded at all, before
// memory is taken for it: the bytes must be as many as the chain says, if it
// does, and the chunk must be within the limits.
func (p *Plan) Admit(n int) error {
	if err := p.CheckSize(int64(n)); err != nil {
		return err
	}
	return p.Fits()
}

// CheckSize tells whether a chunk may have n stored bytes: as many as the chain says, if it does.
func (p *Plan) CheckSize(n int64) error {
	s := p.EncodedSize()
	if !s.Exact || n == s.N {
		return nil
	}
	err := Corrupt("more bytes than the chunk has")
	if n < s.N {
		err = Truncated("fewer bytes than the chunk has")
	}
	name := p.serial.name
	if k := len(p.bytes); k > 0 {
		name = p.bytes[k-1].name
	}
	return &Error{name, err}
}

// Fits tells whether the chunk is within the limits, as it is and as each codec makes it.
func (p *Plan) Fits() error {
	for _, a := range p.arrays {
		if err := CheckLimit("ChunkBytes", p.limits.ChunkBytes, a.Memory(), "chunk"); err != nil {
			return err
		}
	}
	return nil
}

// Local is a codec that may work in this instance of the program only: then it cannot
// be made again elsewhere from its configuration.
type Local interface{ Local() bool }

// Local is true when one of the chain's codecs is [Local].
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
	return local(p.serial.codec)
}

// View returns the chunk's elements where they lie in src, if the chain has
// nothing to do for them but to order them. They must not be changed.
func (p *Plan) View(src []byte) (Stored, bool) {
	if !p.Viewable() || len(src) != p.arrays[0].Bytes() {
		return Stored{}, false
	}
	b := ndarray.Block{Shape: p.arrays[0].Shape, Size: p.arrays[0].Type.Size, Data: src}
	return Stored{b, p.strides, p.swap}, true
}

// Decode decodes a chunk into dst, a C-contiguous block of the chunk's shape.
// src is not changed. Of a chunk that is decoded in parts only the box that is
// wanted needs to be written; nil wants all. Errors are [*Error], [*LimitError]
// and the context's.
func (p *Plan) Decode(env *Env, dst ndarray.Block, src []byte, want []Range) (err error) {
	env.keep = env.keep || p.arrays[0].Type.Variable()
	mark := env.Mark()
	defer env.Release(mark)
	at := p.serial.name
	defer func() {
		// A decoder that fails on hostile bytes in a way that it should not have
		// must not take the reader's other work with it.
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
	at = p.serial.name
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
	if part, ok := p.serial.codec.(PartialDecoder); ok && want != nil && last == 0 {
		return part.DecodePartial(env, p.arrays[0], b, src, want)
	}
	if err := p.serial.codec.Decode(env, p.arrays[last], b, src); err != nil {
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

// decodeBytes decodes by bytes codec k, only the part that is wanted where that can be.
func (p *Plan) decodeBytes(env *Env, k int, out Output, src []byte, want []Range) ([]byte, error) {
	c := p.bytes[k].codec
	if part, ok := c.(PartialBytes); ok && want != nil && k == 0 && p.direct {
		a := p.arrays[0]
		return part.DecodePartial(env, out, src, Wanted{a.Shape, a.Type.Size, want})
	}
	return c.Decode(env, out, src)
}

// Sparse tells whether a stored chunk can be read in part when its first bytes are known.
func (p *Plan) Sparse() bool {
	if len(p.bytes) != 1 || !p.direct {
		return false
	}
	_, ok := p.bytes[0].codec.(Sparse)
	return ok
}

// Needs tells for a plan that is Sparse which bytes of a stored chunk Decode looks at for the box that is wanted,
// besides head, and how long the chunk is. It is false when the chunk has to be there in full.
func (p *Plan) Needs(head []byte, want []Range) (ranges []Range, length int, ok bool) {
	a := p.arrays[0]
	return p.bytes[0].codec.(Sparse).Needs(head, p.sizes[0], Wanted{a.Shape, a.Type.Size, want})
}

// order brings the innermost bytes into the chunk's order. They may lie in dst
// already, where there is no dimension to move.
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

// Block lends a block for an array until the decode of the chunk ends; its
// content is arbitrary.
func (e *Env) Block(a Array) ndarray.Block {
	b := ndarray.Block{Shape: a.Shape, Size: a.Type.Size}
	if a.Type.Variable() {
		b.Items = make([][]byte, a.Len())
	} else {
		b.Data = e.Buffer(a.Bytes())
	}
	return b
}

// named adds the codec's name to errors of decoding; limits and cancellations
// speak for themselves.
func named(codec string, err error) error {
	var limit *LimitError
	var inner *Error
	if errors.As(err, &limit) || errors.As(err, &inner) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{codec, err}
}

// Blame says of an error that it is of the chain's array-to-bytes codec, as Decode does.
func (p *Plan) Blame(err error) error { return named(p.serial.name, err) }

// Array is what the plan's chunks look like.
func (p *Plan) Array() Array { return p.arrays[0] }

// Failed is the message of the error that a decoder's panic becomes. Tests look
// for it: no input may have that effect.
const Failed = "the decoder failed"

// EncodedSize is what is known of the length of the stored bytes.
func (p *Plan) EncodedSize() Size { return p.sizes[len(p.sizes)-1] }
