package filter

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// types reads dtype, and astype, which defaults to dtype.
func types(config json.Value) (decoded, encoded *dtype.Type, err error) {
	if decoded, err = configType(config, "dtype"); err != nil {
		return nil, nil, err
	}
	encoded, err = configType(config, "astype", "dtype")
	return decoded, encoded, err
}

// newDelta returns the running sum of the encoded elements, each converted to dtype and summed in
// it.
func newDelta(config json.Value, _ codec.Build) (filter, error) {
	decoded, encoded, err := types(config)
	if err != nil {
		return filter{}, err
	}
	from, to := ndarray.DomainOf(encoded), ndarray.DomainOf(decoded)
	single := decoded.Kind == dtype.Float && decoded.Size == 4
	if from != ndarray.DomainReal && to != ndarray.DomainReal && decoded.Kind != dtype.Bool && encoded.Size == decoded.Size && decoded.Bits == 0 && encoded.Bits == 0 {
		return filter{decoded: decoded, encoded: encoded, decode: func(dst, src []byte) {
			kernel.Delta(dst, src, decoded.Size)
		}}, nil
	}
	return filter{decoded: decoded, encoded: encoded, decode: func(dst, src []byte) {
		var sum ndarray.Number
		first := true
		ndarray.Batches(dst, decoded, src, encoded, func(nums []ndarray.Number) {
			ndarray.ConvertAll(nums, from, to)
			for i, n := range nums {
				switch {
				case first:
					sum = n
					first = false
				case decoded.Kind == dtype.Bool:
					sum |= n
				case to != ndarray.DomainReal:
					sum += n
				case single:
					sum = ndarray.FloatNumber(float64(float32(sum.Float()) + float32(n.Float())))
				default:
					sum = ndarray.FloatNumber(sum.Float() + n.Float())
				}
				nums[i] = sum
			}
		})
	}}, nil
}

// newFixedScaleOffset returns x/scale + offset, computed in binary64 for integers and in the
// encoded type for floats, then cast to dtype.
func newFixedScaleOffset(config json.Value, _ codec.Build) (filter, error) {
	decoded, encoded, err := types(config)
	if err != nil {
		return filter{}, err
	}
	scale, ok := config.Get("scale").Float64()
	if !ok {
		return filter{}, badConfig("scale is not a number")
	}
	offset, ok := config.Get("offset").Float64()
	if !ok {
		return filter{}, badConfig("offset is not a number")
	}
	from, to := ndarray.DomainOf(encoded), ndarray.DomainOf(decoded)
	single := encoded.Kind == dtype.Float && encoded.Size == 4
	return filter{decoded: decoded, encoded: encoded, decode: func(dst, src []byte) {
		ndarray.Batches(dst, decoded, src, encoded, func(nums []ndarray.Number) {
			ndarray.ConvertAll(nums, from, ndarray.DomainReal)
			if single {
				for i, n := range nums {
					// The explicit conversion prevents a fusion of division and sum.
					nums[i] = ndarray.FloatNumber(float64(float32(float32(n.Float())/float32(scale)) + float32(offset)))
				}
			} else {
				ndarray.ScaleAll(nums, scale, offset)
			}
			ndarray.ConvertAll(nums, ndarray.DomainReal, to)
		})
	}}, nil
}

// newAsType casts from encode_dtype to decode_dtype.
func newAsType(config json.Value, _ codec.Build) (filter, error) {
	encoded, err := configType(config, "encode_dtype")
	if err != nil {
		return filter{}, err
	}
	decoded, err := configType(config, "decode_dtype")
	if err != nil {
		return filter{}, err
	}
	return caster(decoded, encoded), nil
}

// newQuantize casts from astype to dtype: the rounding happened when writing.
func newQuantize(config json.Value, _ codec.Build) (filter, error) {
	decoded, encoded, err := types(config)
	if err != nil {
		return filter{}, err
	}
	return caster(decoded, encoded), nil
}

func caster(decoded, encoded *dtype.Type) filter {
	return filter{decoded: decoded, encoded: encoded, decode: func(dst, src []byte) {
		if decoded.Kind == encoded.Kind && decoded.Size == encoded.Size {
			copy(dst, src)
			return
		}
		ndarray.Cast(dst, decoded, src, encoded)
	}}
}

// newBitRound has nothing to decode: the rounding happened when writing.
func newBitRound(config json.Value, _ codec.Build) (filter, error) {
	if n, ok := config.Get("keepbits").Int64(); !ok || n < 0 || n > math.MaxInt8 {
		return filter{}, badConfig("keepbits is not a small number")
	}
	return filter{}, nil
}
