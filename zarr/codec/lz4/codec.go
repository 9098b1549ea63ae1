package lz4

import (
	"zarr-wasm/internal/json"
	"zarr-wasm/internal/kernel"
	"zarr-wasm/zarr/codec"
)

// frameMagic starts an LZ4 frame, which other tools write under the same name.
const frameMagic = 0x184d2204

// Codec returns the codec lz4. Its configuration is for writers only.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.lz4", "lz4"},
		IDs:   []string{"lz4"},
		New:   func(json.Value, codec.Build) (any, error) { return lz4{}, nil },
	}
}

type lz4 struct{}

func (lz4) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

func (lz4) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, codec.Truncated("shorter than the 4 bytes of its size")
	}
	size := kernel.Load32(src, 0)
	n := int64(int32(size))
	if size == frameMagic && n != out.Size.N {
		return nil, &codec.UnsupportedError{Feature: "an LZ4 frame where an LZ4 block was expected"}
	}
	if n < 0 {
		return nil, codec.Corrupt("its size is negative")
	}
	if n > out.Most(env) {
		return nil, out.TooMany(env)
	}
	if out.Size.Exact && n < out.Size.N {
		return nil, codec.Truncated("its size is less than the chunk's")
	}
	buf := out.Grow(env, n)[:n]
	got, err := DecodeBlock(buf, src[4:])
	if err != nil {
		return nil, err
	}
	if int64(got) < n {
		return nil, codec.Truncated("decodes to fewer bytes than its size says")
	}
	return buf, nil
}
