package vlen

import (
	"math"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToBytesEncoder (zarr-extensions, codecs vlen-utf8 and vlen-bytes). A
// missing item is encoded as an empty one.
func (v vlen) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	size := 4
	for _, item := range src.Items {
		size += 4 + len(item)
		switch {
		case len(item) > math.MaxUint32:
			return nil, codec.Unfit("an element is longer than 2^32-1 bytes")
		case a.Type.Kind == dtype.String && !utf8.Valid(item):
			return nil, codec.Unfit("an element is not UTF-8")
		case a.Type.Kind == dtype.Ragged && (a.Type.Elem.Size == 0 || len(item)%a.Type.Elem.Size != 0):
			return nil, codec.Unfit("an element is not a whole number of items")
		}
	}
	if err := codec.CheckLimit("ChunkBytes", env.Limits.WithDefaults().ChunkBytes, int64(size), "elements of variable length"); err != nil {
		return nil, err
	}
	dst := env.Buffer(size)
	kernel.Store32(dst, 0, uint32(len(src.Items)))
	at := 4
	for _, item := range src.Items {
		kernel.Store32(dst, at, uint32(len(item)))
		at += 4
		n := copy(dst[at:], item)
		if e := a.Type.Elem; a.Type.Kind == dtype.Ragged && e.HasOrder() && e.Order == dtype.Big {
			e.ToLittle(dst[at:at+n], dtype.None) // to big-endian: the swap is the same both ways
		}
		at += n
	}
	return dst, nil
}
