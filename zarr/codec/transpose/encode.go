package transpose

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToArrayEncoder (Zarr v3, codec transpose 1.0).
func (t transpose) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	if len(src.Shape) != len(t) || !slices.Equal(dst.Shape, t.permute(src.Shape)) {
		return codec.Corrupt("the transposed chunk has another shape")
	}
	from := ndarray.Layout{Strides: t.permute(ndarray.Strides(src.Shape))}
	return ndarray.Copy(dst, ndarray.Layout{Strides: ndarray.Strides(dst.Shape)}, src, from, dst.Shape)
}
