// Package value has the registered v3 codecs that change the values of an array: scale_offset and
// cast_value (zarr-extensions).
package value

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the entries of the family.
func Codecs() []codec.Entry {
	return []codec.Entry{
		{Names: []string{"scale_offset"}, Doc: codec.Doc("(x - offset) * scale, in the type of the array"), Kind: codec.KindArrayToArray, New: newScaleOffset},
		{Names: []string{"cast_value"}, Doc: codec.Doc("numbers as another type of number"), Kind: codec.KindArrayToArray, New: newCastValue},
	}
}

// scaleOffset stores (x - offset) * scale, computed in the array's own type.
type scaleOffset struct {
	scale, offset ndarray.Number
	typ           *dtype.Type
}

func newScaleOffset(config json.Value, b codec.Build) (any, error) {
	const name = "scale_offset"
	t := b.Array.Type
	if d := ndarray.DomainOf(t); d == ndarray.DomainNone || t.Kind == dtype.Bool {
		return nil, &codec.ConfigError{Codec: name, Msg: "cannot scale " + t.Name}
	}
	for _, m := range config.Members() {
		if m.Name != "scale" && m.Name != "offset" {
			return nil, &codec.ConfigError{Codec: name, Msg: "unknown member " + m.Name}
		}
	}
	s := scaleOffset{typ: t}
	for _, p := range []struct {
		to       *ndarray.Number
		name     string
		standard float64
	}{{&s.scale, "scale", 1}, {&s.offset, "offset", 0}} {
		v := config.Get(p.name)
		if v.IsNull() {
			*p.to = ndarray.Convert(ndarray.FloatNumber(p.standard), ndarray.DomainReal, ndarray.DomainOf(t))
			continue
		}
		bits, err := t.FillV3(v)
		if err != nil {
			return nil, &codec.ConfigError{Codec: name, Msg: p.name + ": " + err.Error()}
		}
		*p.to = ndarray.Load(bits, 0, t)
	}
	if ndarray.Truth(s.scale, ndarray.DomainOf(t)) == 0 {
		return nil, &codec.ConfigError{Codec: name, Msg: "scale is zero"}
	}
	return s, nil
}

// Encoded implements codec.ArrayToArray.
func (s scaleOffset) Encoded(a codec.Array) (codec.Array, error) {
	x := ndarray.Load(a.Fill, 0, a.Type)
	if ndarray.DomainOf(a.Type) == ndarray.DomainReal {
		x = s.float(x, func(x, scale, offset float64) float64 { return (x - offset) * scale },
			func(x, scale, offset float32) float32 { return float32(x-offset) * scale })
	} else {
		x = (x - s.offset) * s.scale
	}
	fill := make([]byte, a.Type.Size)
	ndarray.Store(fill, 0, a.Type, x)
	return codec.Array{Shape: a.Shape, Type: a.Type, Fill: fill}, nil
}

// float computes in the type's own precision: in binary32 for that type, else in binary64, rounded
// when stored.
func (s scaleOffset) float(x ndarray.Number, in64 func(x, scale, offset float64) float64, in32 func(x, scale, offset float32) float32) ndarray.Number {
	if s.typ.Kind == dtype.Float && s.typ.Size == 4 {
		return ndarray.FloatNumber(float64(in32(float32(x.Float()), float32(s.scale.Float()), float32(s.offset.Float()))))
	}
	return ndarray.FloatNumber(in64(x.Float(), s.scale.Float(), s.offset.Float()))
}

// Decode implements codec.ArrayToArray.
func (s scaleOffset) Decode(_ *codec.Env, dst, src ndarray.Block) error {
	var err error
	ndarray.Batches(dst.Data, s.typ, src.Data, s.typ, func(nums []ndarray.Number) {
		if err == nil {
			err = s.decode(nums)
		}
	})
	return err
}

// decode decodes numbers in place.
func (s scaleOffset) decode(nums []ndarray.Number) error {
	switch ndarray.DomainOf(s.typ) {
	case ndarray.DomainReal:
		scale, offset := s.scale.Float(), s.offset.Float()
		if s.typ.Kind != dtype.Float || s.typ.Size != 4 {
			ndarray.ScaleAll(nums, scale, offset)
			return nil
		}
		for i, x := range nums {
			nums[i] = ndarray.FloatNumber(float64(float32(float32(x.Float())/float32(scale)) + float32(offset)))
		}
	case ndarray.DomainSigned:
		for i, x := range nums {
			if int64(x)%int64(s.scale) != 0 {
				return codec.Corrupt("a value is not a multiple of the scale")
			}
			q := int64(x) / int64(s.scale)
			sum := q + int64(s.offset)
			if (sum > q) != (int64(s.offset) > 0) && s.offset != 0 || !fits(ndarray.Number(uint64(sum)), s.typ) {
				return codec.Corrupt("a value is beyond the range of " + s.typ.Name)
			}
			nums[i] = ndarray.Number(uint64(sum))
		}
	default:
		for i, x := range nums {
			if x%s.scale != 0 {
				return codec.Corrupt("a value is not a multiple of the scale")
			}
			q := x / s.scale
			if nums[i] = q + s.offset; nums[i] < q || !fits(nums[i], s.typ) {
				return codec.Corrupt("a value is beyond the range of " + s.typ.Name)
			}
		}
	}
	return nil
}

// width returns the number of bits of an integer type.
func width(t *dtype.Type) int {
	if t.Bits != 0 {
		return t.Bits
	}
	return t.Size * 8
}

// fits reports whether an integer of the type's own domain is in its range.
func fits(n ndarray.Number, t *dtype.Type) bool {
	w := width(t)
	if t.Kind == dtype.Bool {
		return n <= 1
	}
	if ndarray.DomainOf(t) == ndarray.DomainSigned {
		return int64(n)<<(64-w)>>(64-w) == int64(n)
	}
	return uint64(n)<<(64-w)>>(64-w) == uint64(n)
}
