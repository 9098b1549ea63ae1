package lz4

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/internal/skipframe"
)

// expansion is the largest expansion of a byte of an LZ4 block: 255, for a byte that extends a
// match's length. A size that needs more is invalid.
const expansion = 255

// Codecs returns the codec lz4 and, for version 2, two codecs of the Python package imagecodecs.
// The first, imagecodecs_lz4, has an option, header, for a size before the block. The second,
// imagecodecs_lz4f, writes frames. All other options are for writers only.
func Codecs() []codec.Entry {
	always := func(form decoder) func(json.Value, codec.Build) (any, error) {
		return func(json.Value, codec.Build) (any, error) { return form, nil }
	}
	cost := codec.Cost{Decode: 150, Encode: 4000}
	return []codec.Entry{
		{Names: []string{"numcodecs.lz4", "lz4"}, IDs: []string{"lz4"}, Doc: codec.Doc("LZ4 blocks with their size in front, or frames"), Kind: codec.KindBytesToBytes, Cost: cost, New: always(decodeAny)},
		{IDs: []string{"imagecodecs_lz4"}, Doc: codec.Doc("LZ4 blocks"), Kind: codec.KindBytesToBytes, Cost: cost, New: newImagecodecs},
		{IDs: []string{"imagecodecs_lz4f"}, Doc: codec.Doc("LZ4 frames"), Kind: codec.KindBytesToBytes, Cost: cost, New: always(decodeFrames)},
	}
}

func newImagecodecs(config json.Value, _ codec.Build) (any, error) {
	v := config.Get("header")
	header, ok := v.Bool()
	if !ok && !v.IsNull() {
		return nil, &codec.ConfigError{Codec: "imagecodecs_lz4", Msg: "header is neither true nor false"}
	}
	if header {
		return decoder(decodeSized), nil
	}
	return decoder(decodeRaw), nil
}

// decoder decodes one form of LZ4.
type decoder func(env *codec.Env, out codec.Output, src []byte) ([]byte, error)

// EncodedSize implements codec.BytesToBytes.
func (decoder) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (d decoder) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	return d(env, out, src)
}

// decodeAny decodes a block after its size, or frames, which other tools write under the same name.
// A frame's magic number could also be a size: it counts as a size if it is the expected one.
func decodeAny(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) >= 4 {
		magic := kernel.Load32(src, 0)
		if (magic == frameMagic || skipframe.Is(magic)) && (!out.Size.Exact || int64(magic) != out.Size.N) {
			return decodeFrames(env, out, src)
		}
	}
	return decodeSized(env, out, src)
}

// decodeSized decodes a block after its size.
func decodeSized(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, codec.Truncated("shorter than the 4 bytes of its size")
	}
	n := int64(int32(kernel.Load32(src, 0)))
	src = src[4:]
	if n < 0 {
		return nil, codec.Corrupt("its size is negative")
	}
	if n > out.Most(env) {
		return nil, out.TooMany(env)
	}
	if out.Size.Exact && n < out.Size.N {
		return nil, codec.Truncated("its size is less than the chunk's")
	}
	if n > expansion*int64(len(src)) {
		return nil, codec.Truncated("too short for what its size says")
	}
	buf := out.Grow(env, n)[:n]
	got, err := DecodeBlock(buf, src)
	if err != nil {
		return nil, err
	}
	if int64(got) < n {
		return nil, codec.Truncated("decodes to fewer bytes than its size says")
	}
	return buf, nil
}

// decodeRaw decodes a block alone.
func decodeRaw(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	room := min(out.Most(env), expansion*int64(len(src)))
	if out.Size.Exact && room < out.Size.N {
		return nil, codec.Truncated("too short for the chunk")
	}
	buf := out.Grow(env, room)[:room]
	n, err := DecodeBlock(buf, src)
	if err == errRoom {
		return nil, out.TooMany(env)
	}
	if err != nil {
		return nil, err
	}
	return out.Check(buf[:n])
}
