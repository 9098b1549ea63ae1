package codec

import (
	"bytes"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encoders are optional interfaces in addition to those of the decoders, one for each kind. A
// program that never encodes links none of them. All are safe for concurrent use: an encode takes
// its working memory from the [Env].

// ArrayToArrayEncoder is an [ArrayToArray] codec that can encode.
type ArrayToArrayEncoder interface {
	// Encode writes the encoded array into dst, a C-contiguous block of the shape and type that
	// Encoded returns. It must not change src, which has the decoded shape and type. The error
	// matches [ErrValue] if an element has no encoded form.
	Encode(env *Env, dst, src ndarray.Block) error
}

// ArrayToBytesEncoder is an [ArrayToBytes] codec that can encode.
type ArrayToBytesEncoder interface {
	// Encode returns the encoded bytes of the array a. It must not change src, which has the
	// elements of a, C-contiguous. The result is memory of the Env or of src. The error matches
	// [ErrValue] if an element has no encoded form.
	Encode(env *Env, a Array, src ndarray.Block) ([]byte, error)
}

// BytesToBytesEncoder is a [BytesToBytes] codec that can encode.
type BytesToBytesEncoder interface {
	// Encode returns the encoded form of src, which must not be changed. The result is memory of the
	// Env or of src.
	Encode(env *Env, src []byte) ([]byte, error)
}

// EncodeChecker is an optional interface of encoders that can encode only in some configurations.
// Examples are codecs with inner chains, and compressors with levels that only writers use.
// [Pipeline.CheckEncode] calls it before anything is encoded.
type EncodeChecker interface {
	// CheckEncode returns the error that Encode would return for every array: nil, an
	// *[UnsupportedError] or a *[ConfigError].
	CheckEncode() error
}

// CheckEncode returns nil if all codecs of the chain can encode. It returns an *[UnsupportedError]
// that names the first codec without an encoder, or the error of its [EncodeChecker].
func (p *Pipeline) CheckEncode() error {
	for _, s := range p.arrays {
		_, ok := s.codec.(ArrayToArrayEncoder)
		if err := checkEncode(s.name, s.codec, ok); err != nil {
			return err
		}
	}
	_, ok := p.serializer.codec.(ArrayToBytesEncoder)
	if err := checkEncode(p.serializer.name, p.serializer.codec, ok); err != nil {
		return err
	}
	for _, s := range p.bytes {
		_, ok := s.codec.(BytesToBytesEncoder)
		if err := checkEncode(s.name, s.codec, ok); err != nil {
			return err
		}
	}
	return nil
}

func checkEncode(name string, codec any, encoder bool) error {
	if !encoder {
		return noEncoder(name)
	}
	if w, ok := codec.(EncodeChecker); ok {
		return w.CheckEncode()
	}
	return nil
}

func noEncoder(name string) error {
	return &UnsupportedError{Feature: "writing with the codec " + name}
}

// EncodeInner encodes an array of the shape and type of a. Codecs with inner chains call it. The
// result is in memory of the Env.
func (p *Pipeline) EncodeInner(env *Env, a Array, src ndarray.Block) ([]byte, error) {
	plan, err := p.Plan(a)
	if err != nil {
		return nil, err
	}
	return plan.Encode(env, src)
}

// Encode encodes a whole chunk of the shape and type of a. src holds its elements, a C-contiguous
// block, which is not changed. The caller owns the result. Errors are [*Error], [*UnsupportedError]
// with the codec that cannot write, [*ConfigError], [*LimitError] and the context's.
func (p *Pipeline) Encode(env *Env, a Array, src ndarray.Block) ([]byte, error) {
	if err := p.CheckEncode(); err != nil {
		return nil, err
	}
	plan, err := p.Plan(a)
	if err != nil {
		return nil, err
	}
	mark := env.Mark()
	defer env.Release(mark)
	b, err := plan.Encode(env, src)
	if err != nil {
		return nil, err
	}
	return slices.Clone(b), nil
}

// Encode is [Pipeline.Encode] for the plan's chunks. The result is memory of the Env, until it is
// released, or src's own.
func (p *Plan) Encode(env *Env, src ndarray.Block) (stored []byte, err error) {
	at := p.serializer.name
	defer func() {
		if r := recover(); r != nil {
			err = Corrupt(EncoderFailed + ": " + guard.Text(r))
		}
		if err != nil {
			err = named(at, err)
		}
	}()
	a := p.arrays[0]
	if !slices.Equal(src.Shape, a.Shape) || len(src.Items) != items(a) || len(src.Data) != a.Bytes() || src.Size != a.Type.Size {
		return nil, ndarray.ErrShape
	}
	if err := p.CheckLimits(); err != nil {
		return nil, err
	}
	b, err := p.encodeArray(env, src, &at)
	if err != nil {
		return nil, err
	}
	for i, s := range p.bytes {
		at = s.name
		if err := env.Ctx.Err(); err != nil {
			return nil, err
		}
		c, ok := s.codec.(BytesToBytesEncoder)
		if !ok {
			return nil, noEncoder(at)
		}
		if b, err = c.Encode(env, b); err != nil {
			return nil, err
		}
		if size := p.sizes[i+1]; size.Exact && int64(len(b)) != size.N {
			return nil, Unfit("the encoded size differs from the size that readers expect")
		}
	}
	return b, nil
}

// items returns the number of items of a block of an array.
func items(a Array) int {
	if !a.Type.Variable() {
		return 0
	}
	return a.Len()
}

// encodeArray encodes by the array codecs and the array-to-bytes codec. On failure, at holds the
// name of the failed codec.
func (p *Plan) encodeArray(env *Env, src ndarray.Block, at *string) ([]byte, error) {
	if p.direct {
		return src.Data, nil
	}
	if p.strides != nil && len(p.Pipeline.arrays) > 0 {
		to := ndarray.Block{Shape: src.Shape, Size: src.Size, Data: env.Buffer(len(src.Data))}
		from := ndarray.Layout{Strides: ndarray.Strides(src.Shape)}
		return to.Data, ndarray.CopySwapped(to, ndarray.Layout{Strides: p.strides}, src, from, src.Shape, p.swap)
	}
	for i, s := range p.Pipeline.arrays {
		*at = s.name
		c, ok := s.codec.(ArrayToArrayEncoder)
		if !ok {
			return nil, noEncoder(s.name)
		}
		dst := env.Block(p.arrays[i+1])
		if err := c.Encode(env, dst, src); err != nil {
			return nil, err
		}
		src = dst
	}
	*at = p.serializer.name
	c, ok := p.serializer.codec.(ArrayToBytesEncoder)
	if !ok {
		return nil, noEncoder(*at)
	}
	b, err := c.Encode(env, p.arrays[len(p.arrays)-1], src)
	if size := p.sizes[0]; err == nil && size.Exact && int64(len(b)) != size.N {
		err = Unfit("the encoded size differs from the size that readers expect")
	}
	return b, err
}

// EncoderFailed is the message of the error for an encoder's panic. Tests search for it: no
// elements may cause it.
const EncoderFailed = "the encoder failed"

// IsFill reports whether all elements of an array equal its fill value bit by bit. An array without
// elements counts as filled.
func (a Array) IsFill(src ndarray.Block) bool {
	if a.Type.Variable() {
		for _, item := range src.Items {
			// A missing object differs from an empty one, but there is only one empty text.
			if !bytes.Equal(item, a.Fill) || (item == nil) != (a.Fill == nil) && a.Type.Kind != dtype.String && a.Type.Kind != dtype.Bytes {
				return false
			}
		}
		return true
	}
	// All elements are equal exactly if the data is equal to itself shifted by one element.
	n := a.Type.Size
	return len(src.Data) < max(n, 1) || bytes.Equal(src.Data[:n], a.Fill) && bytes.Equal(src.Data[n:], src.Data[:len(src.Data)-n])
}

// Written collects the output of a library's compressor, in memory of an Env while that suffices.
type Written struct{ Bytes []byte }

// Write implements io.Writer.
func (w *Written) Write(b []byte) (int, error) {
	w.Bytes = append(w.Bytes, b...)
	return len(b), nil
}
