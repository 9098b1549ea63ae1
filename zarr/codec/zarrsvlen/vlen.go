// Package zarrsvlen has zarrs' codec zarrs.vlen for texts and bytes of variable length. A chunk
// holds the concatenated bytes of all elements, and an index of their starts. Each has its own
// chain of codecs.
//
// The index has one entry more than there are elements, for the end of the last element. It is at
// the start or the end of the chunk. The length of its encoded form (uint64, little-endian) is at
// the chunk's very start or end.
package zarrsvlen

import (
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

const name = "zarrs.vlen"

// Codec returns the codec zarrs.vlen. Its configuration has index_codecs, data_codecs,
// index_data_type ("uint32" or "uint64") and index_location ("start", the default, or "end").
func Codec() codec.Entry {
	return codec.Entry{Names: []string{name, "vlen"}, Doc: codec.Doc("elements of variable length with separately encoded offsets"), Kind: codec.KindArrayToBytes, New: build}
}

func bad(msg string) error { return &codec.ConfigError{Codec: name, Msg: msg} }

// vlen is one array's codec.
type vlen struct {
	index, data *codec.Pipeline
	offset      *dtype.Type // of the index's entries
	atEnd       bool
	limits      codec.Limits
}

func build(config json.Value, b codec.Build) (any, error) {
	v := &vlen{limits: b.Limits}
	if err := v.Check(b.Array); err != nil {
		return nil, err
	}
	switch typ, _ := config.Get("index_data_type").Text(); typ {
	case "uint32":
		v.offset = &dtype.Type{Kind: dtype.Uint, Name: typ, Size: 4}
	case "uint64":
		v.offset = &dtype.Type{Kind: dtype.Uint, Name: typ, Size: 8}
	default:
		return nil, bad("index_data_type is neither uint32 nor uint64")
	}
	switch where, _ := config.Get("index_location").Text(); {
	case where == "end":
		v.atEnd = true
	case where == "start" || config.Get("index_location").IsNull():
	default:
		return nil, bad("index_location is neither start nor end")
	}
	var err error
	if v.index, err = b.Chain(name, config, "index_codecs", v.indexArray(b.Array.Len())); err != nil {
		return nil, err
	}
	// The size of the data is known only from the chunk.
	if v.data, err = b.Chain(name, config, "data_codecs", dataArray(1)); err != nil {
		return nil, err
	}
	return v, nil
}

// indexArray is the index of n elements.
func (v *vlen) indexArray(n int) codec.Array {
	return codec.Array{Shape: []int{n + 1}, Type: v.offset, Fill: v.offset.Zero()}
}

func dataArray(n int) codec.Array {
	return codec.Array{Shape: []int{n}, Type: &dtype.Type{Kind: dtype.Uint, Name: "uint8", Size: 1}, Fill: []byte{0}}
}

// Check implements codec.ArrayToBytes.
func (*vlen) Check(a codec.Array) error {
	if a.Type.Kind != dtype.String && a.Type.Kind != dtype.Bytes {
		return bad("holds elements of variable length, not " + a.Type.Name)
	}
	return nil
}

// EncodedSize implements codec.ArrayToBytes.
func (v *vlen) EncodedSize(codec.Array) codec.Size {
	return codec.Size{N: codec.UnknownSize}
}

// Decode implements codec.ArrayToBytes.
func (v *vlen) Decode(env *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	index, data, err := v.split(src)
	if err != nil {
		return err
	}
	mark := env.Mark()
	defer env.Release(mark)
	offsets, err := v.index.DecodeInner(env, v.indexArray(len(dst.Items)), index)
	if err != nil {
		return err
	}
	text, err := v.text(env, v.at(offsets, len(dst.Items)), data)
	if err != nil {
		return err
	}
	from := v.at(offsets, 0)
	for i := range dst.Items {
		to := v.at(offsets, i+1)
		if to < from || to > uint64(len(text)) {
			return codec.Corrupt("the offsets of the index do not rise")
		}
		item := text[from:to:to]
		if a.Type.Kind == dtype.String && !utf8.Valid(item) {
			return codec.Corrupt("an element is not UTF-8")
		}
		dst.Items[i] = item
		from = to
	}
	return nil
}

// split divides a chunk into the encoded index and the encoded data.
func (v *vlen) split(src []byte) (index, data []byte, err error) {
	if len(src) < 8 {
		return nil, nil, codec.Truncated("shorter than the length of its index")
	}
	at, rest := 0, src[8:]
	if v.atEnd {
		at = len(src) - 8
		rest = src[:at]
	}
	n := kernel.Load64(src, at)
	if n > uint64(len(rest)) {
		return nil, nil, codec.Truncated("shorter than its index")
	}
	if v.atEnd {
		cut := uint64(len(rest)) - n
		return rest[cut:], rest[:cut], nil
	}
	return rest[:n], rest[n:], nil
}

// text decodes the n bytes of all elements into memory that stays.
func (v *vlen) text(env *codec.Env, n uint64, src []byte) ([]byte, error) {
	if most := v.limits.ChunkBytes; n > uint64(most) {
		return nil, &codec.LimitError{Limit: "ChunkBytes", Max: most, Asked: int64(min(n, 1<<62)), What: "elements of variable length"}
	}
	if n == 0 {
		return []byte{}, nil // the writer did not apply the chain
	}
	plan, err := v.data.PlanFor(dataArray(int(n)), len(src))
	if err != nil {
		return nil, err
	}
	block := ndarray.New([]int{int(n)}, 1, false)
	return block.Data, plan.Decode(env, block, src, nil)
}

// at returns the i-th entry of the index.
func (v *vlen) at(offsets ndarray.Block, i int) uint64 {
	if v.offset.Size == 4 {
		return uint64(kernel.Load32(offsets.Data, 4*i))
	}
	return kernel.Load64(offsets.Data, 8*i)
}
