package codec

import (
	"context"
	"errors"

	"zarr-wasm/zarr/ndarray"
)

// stage is one codec of a chain with the name that the metadata gives it.
type stage[T any] struct {
	name  string
	codec T
}

// Pipeline is an array's chain of codecs, checked and ready. It is immutable and
// safe for concurrent use.
type Pipeline struct {
	limits Limits
	arrays []stage[ArrayToArray]
	serial stage[ArrayToBytes]
	bytes  []stage[BytesToBytes]
}

// Plan is what a pipeline knows of the chunks of one shape before it sees one:
// the array and the sizes at every place of the chain.
type Plan struct {
	*Pipeline
	arrays []Array // arrays[0] is the chunk, arrays[i+1] what array codec i makes of it
	sizes  []Size  // sizes[0] is what the array-to-bytes codec writes, sizes[i+1] what bytes codec i makes of it
	direct bool    // the innermost bytes are the chunk's elements
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
	return pl, nil
}

// Admit tells whether a chunk of n stored bytes can be decoded at all, before
// memory is taken for it: the bytes must be as many as the chain says, if it
// does, and the chunk must be within the limits.
func (p *Plan) Admit(n int) error {
	if s := p.EncodedSize(); s.Exact && int64(n) != s.N {
		err := Corrupt("more bytes than the chunk has")
		if int64(n) < s.N {
			err = Truncated("fewer bytes than the chunk has")
		}
		name := p.serial.name
		if k := len(p.bytes); k > 0 {
			name = p.bytes[k-1].name
		}
		return &Error{name, err}
	}
	if b := int64(p.arrays[0].Bytes()); b > p.limits.ChunkBytes {
		return &LimitError{"ChunkBytes", p.limits.ChunkBytes, b, "chunk"}
	}
	return nil
}

// View returns the chunk's elements where they lie in src, if the chain has
// nothing to do for them. The block must not be changed.
func (p *Plan) View(src []byte) (ndarray.Block, bool) {
	if !p.direct || len(p.bytes) > 0 || len(src) != p.arrays[0].Bytes() {
		return ndarray.Block{}, false
	}
	return ndarray.Block{Shape: p.arrays[0].Shape, Size: p.arrays[0].Type.Size, Data: src}, true
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
			err = Corrupt(Failed)
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
		if k == 0 && p.direct {
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
	if p.direct {
		if len(src) < len(dst.Data) {
			return Truncated("fewer bytes than the chunk has")
		}
		if len(src) > len(dst.Data) {
			return Corrupt("more bytes than the chunk has")
		}
		if len(src) > 0 && &src[0] != &dst.Data[0] {
			copy(dst.Data, src)
		}
		return nil
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
		return part.DecodePart(env, p.arrays[0], b, src, want)
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
		return part.DecodePart(env, out, src, Part{a.Shape, a.Type.Size, want})
	}
	return c.Decode(env, out, src)
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

// Array is what the plan's chunks look like.
func (p *Plan) Array() Array { return p.arrays[0] }

// Failed is the message of the error that a decoder's panic becomes. Tests look
// for it: no input may have that effect.
const Failed = "the decoder failed"

// EncodedSize is what is known of the length of the stored bytes.
func (p *Plan) EncodedSize() Size { return p.sizes[len(p.sizes)-1] }
