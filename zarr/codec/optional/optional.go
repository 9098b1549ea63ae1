// Package optional has the codec optional of zarrs and zarr-extensions, for elements of the data
// type optional. One chain of codecs encodes the mask of present elements, and another the present
// elements.
//
// The encoded form is two lengths (uint64, little-endian), of the encoded mask and of the encoded
// elements, and then both. The mask is an array of bool of the chunk's shape; the elements are a
// list. Without any present element the second chain is not applied.
package optional

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

const name = "optional"

// Codec returns the codec optional. Its configuration has mask_codecs and
// data_codecs.
func Codec() codec.Entry {
	return codec.Entry{Names: []string{name, "zarrs.optional"}, Doc: codec.Doc("a mask and the elements that are not missing"), Kind: codec.KindArrayToBytes, New: build}
}

func bad(msg string) error { return &codec.ConfigError{Codec: name, Msg: msg} }

// optional is one array's codec.
type optional struct {
	mask, data *codec.Pipeline
	limits     codec.Limits
}

func build(config json.Value, b codec.Build) (any, error) {
	o := &optional{limits: b.Limits}
	if err := o.Check(b.Array); err != nil {
		return nil, err
	}
	var err error
	if o.mask, err = b.Chain(name, config, "mask_codecs", maskArray(b.Array)); err != nil {
		return nil, err
	}
	if o.data, err = b.Chain(name, config, "data_codecs", dataArray(b.Array, b.Array.Len())); err != nil {
		return nil, err
	}
	return o, nil
}

func maskArray(a codec.Array) codec.Array {
	return codec.Array{Shape: a.Shape, Type: &dtype.Type{Kind: dtype.Bool, Name: "bool", Size: 1}, Fill: []byte{0}}
}

// dataArray returns the list of the n present elements.
func dataArray(a codec.Array, n int) codec.Array {
	return codec.Array{Shape: []int{n}, Type: a.Type.Elem, Fill: a.Type.Elem.Zero()}
}

// Check implements codec.ArrayToBytes.
func (*optional) Check(a codec.Array) error {
	if a.Type.Kind != dtype.Optional {
		return bad("holds optional elements, not " + a.Type.Name)
	}
	return nil
}

// EncodedSize implements codec.ArrayToBytes.
func (o *optional) EncodedSize(codec.Array) codec.Size {
	return codec.Size{N: o.limits.EncodedBytes}
}

// Decode implements codec.ArrayToBytes.
func (o *optional) Decode(env *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	if len(src) < 16 {
		return codec.Truncated("shorter than the two lengths")
	}
	m, d := kernel.Load64(src, 0), kernel.Load64(src, 8)
	src = src[16:]
	size := uint64(len(src))
	if m > size || d > size-m {
		return codec.Truncated("shorter than its lengths say")
	}
	if m+d < size {
		return codec.Corrupt("longer than its lengths say")
	}
	mark := env.Mark()
	defer env.Release(mark)
	mask, err := o.mask.DecodeInner(env, maskArray(a), src[:m])
	if err != nil {
		return err
	}
	n := 0
	for _, there := range mask.Data {
		if there != 0 {
			n++
		}
	}
	var elements ndarray.Block
	if n > 0 {
		if elements, err = o.data.DecodeInner(env, dataArray(a, n), src[m:]); err != nil {
			return err
		}
	}
	if a.Type.Variable() {
		expandItems(dst.Items, mask.Data, elements.Items)
	} else {
		expand(dst.Data, mask.Data, elements.Data, a.Type.Size)
	}
	return nil
}

// expand writes each present element after its mask byte, and zeros for the others.
func expand(dst, mask, data []byte, size int) {
	for i, there := range mask {
		element := dst[i*size : (i+1)*size]
		if there == 0 {
			clear(element)
			continue
		}
		element[0] = 1
		data = data[copy(element[1:], data):]
	}
}

// expandItems is expand for elements of variable length, where nil is absent.
func expandItems(dst [][]byte, mask []byte, data [][]byte) {
	for i, there := range mask {
		if there == 0 {
			dst[i] = nil
			continue
		}
		dst[i] = data[0]
		if dst[i] == nil {
			dst[i] = []byte{}
		}
		data = data[1:]
	}
}
