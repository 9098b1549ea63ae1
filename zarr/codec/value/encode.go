package value

import (
	"errors"
	"math"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToArrayEncoder (zarr-extensions, codec cast_value).
func (c castValue) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	err := c.castAll(dst, c.encoded, src, c.decoded, c.encode)
	if errors.Is(err, codec.ErrCorrupt) {
		return codec.Unfit("an element has no counterpart in " + c.encoded.Name)
	}
	return err
}

// Encode implements codec.ArrayToArrayEncoder (zarr-extensions, codec scale_offset).
func (s scaleOffset) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	ok := true
	ndarray.Batches(dst.Data, s.typ, src.Data, s.typ, func(nums []ndarray.Number) {
		ok = s.encode(nums) && ok
	})
	if !ok {
		return codec.Unfit("an element is beyond the range of " + s.typ.Name + " when it is scaled")
	}
	return nil
}

// encode encodes numbers in place. It reports false if one is beyond the range of the type.
func (s scaleOffset) encode(nums []ndarray.Number) bool {
	ok := true
	switch ndarray.DomainOf(s.typ) {
	case ndarray.DomainReal:
		for i, n := range nums {
			x := s.float(n, func(x, scale, offset float64) float64 { return float64(x-offset) * scale },
				func(x, scale, offset float32) float32 { return float32(x-offset) * scale })
			nums[i] = x
			if s.typ.Kind != dtype.Float || s.typ.Size != 8 {
				x = ndarray.FloatNumber(s.typ.Float64(s.typ.FloatBits(x.Float())))
			}
			ok = ok && math.IsInf(x.Float(), 0) == math.IsInf(n.Float(), 0) && math.IsNaN(x.Float()) == math.IsNaN(n.Float())
		}
	case ndarray.DomainSigned:
		scale, offset := int64(s.scale), int64(s.offset)
		for i, n := range nums {
			x := int64(n)
			d := x - offset
			p := d * scale
			nums[i] = ndarray.Number(uint64(p))
			ok = ok && (d < x) == (offset > 0) && p/scale == d && !(d == math.MinInt64 && scale == -1) && fits(nums[i], s.typ)
		}
	default:
		for i, n := range nums {
			d := n - s.offset
			p := d * s.scale
			nums[i] = p
			ok = ok && n >= s.offset && p/s.scale == d && fits(p, s.typ)
		}
	}
	return ok
}
