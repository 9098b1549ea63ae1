package reshape

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToArrayEncoder (zarr-extensions, codec reshape).
func (r reshape) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	copy(dst.Data, src.Data)
	copy(dst.Items, src.Items)
	return nil
}
