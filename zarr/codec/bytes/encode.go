package bytes

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToBytesEncoder (Zarr v3, codec bytes 1.0; v2, "Chunks").
func (c serializer) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	swap := swaps(a.Type, c.as())
	if !swap && normal(a.Type) {
		return src.Data, nil
	}
	dst := env.Buffer(len(src.Data))
	copy(dst, src.Data)
	a.Type.Normalize(dst)
	if swap {
		// Conversion to and from little-endian is the same swap.
		a.Type.ToLittle(dst, c.as())
	}
	return dst, nil
}
