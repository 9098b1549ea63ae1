// Package shuffle is numcodecs' shuffle (HDF5's shuffle filter): the first bytes of all elements,
// then the second bytes, and so on. Bytes that do not fill an element stay in place, as in HDF5.
package shuffle

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the registry's entry.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.shuffle", "shuffle"}, IDs: []string{"shuffle"}, Doc: codec.Doc("bytes of equal significance next to each other"),
		Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 150}, New: build,
	}
}

func build(config json.Value, b codec.Build) (any, error) {
	size := int64(4)
	switch v := config.Get("elementsize"); {
	case !v.Exists():
	case v.IsNull():
		size = int64(b.Array.Type.Size)
	default:
		n, ok := v.Int64()
		if !ok || n < 0 || n > b.Limits.ItemBytes {
			return nil, &codec.ConfigError{Codec: "shuffle", Msg: "elementsize is not a size of an element"}
		}
		size = n
	}
	return shuffle{int(max(size, 1))}, nil
}

type shuffle struct{ size int }

// EncodedSize implements codec.BytesToBytes.
func (shuffle) EncodedSize(decoded codec.Size) codec.Size { return decoded }

// Decode implements codec.BytesToBytes.
func (s shuffle) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if s.size == 1 {
		return src, nil
	}
	if int64(len(src)) > out.Size.N {
		return nil, codec.Corrupt("decodes to more bytes than the chunk has")
	}
	dst := out.Grow(env, int64(len(src)))[:len(src)]
	kernel.Unshuffle(dst, src, s.size)
	return dst, nil
}
