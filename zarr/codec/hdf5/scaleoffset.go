package hdf5

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// head is the size of the parameters before the numbers: their bits as a uint32, the size of the
// minimum, and the minimum, all little-endian.
const head = 21

// scaleOffset stores numbers as their distance above the minimum. Floating-point numbers are
// multiples of a power of ten. The highest number stands for the fill value.
type scaleOffset struct {
	t        *dtype.Type
	decimals int
	fill     uint64
	filled   bool
}

// newScaleOffset reads decimals, which floating-point numbers need, and fill_value, which may be
// null.
func newScaleOffset(config json.Value, _ codec.Build) (any, error) {
	const id = "hdf5_scaleoffset"
	t, err := numberType(id, config)
	if err != nil {
		return nil, err
	}
	c := scaleOffset{t: t}
	if t.Kind == dtype.Float {
		if t.Size < 4 {
			return nil, &codec.UnsupportedError{Feature: id + " of floating-point numbers of 2 bytes"}
		}
		if c.decimals, err = number(id, config, "decimals", -400, 400); err != nil {
			return nil, err
		}
	}
	if v := config.Get("fill_value"); !v.IsNull() {
		fill, err := t.FillV2(v)
		if err != nil {
			return nil, &codec.ConfigError{Codec: id, Msg: err.Error()}
		}
		var b [8]byte
		copy(b[:], fill)
		c.fill, c.filled = kernel.Load64(b[:], 0), true
	}
	return c, nil
}

// EncodedSize implements codec.BytesToBytes.
func (scaleOffset) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (c scaleOffset) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	dst, count, err := room(env, out, c.t)
	if err != nil {
		return nil, err
	}
	if len(src) < head {
		return nil, codec.Truncated("shorter than the parameters of its numbers")
	}
	bits, least := kernel.Load32(src, 0), kernel.Load64(src, 5)
	if width := src[4]; width < 8 {
		least &= 1<<(8*width) - 1
	}
	src = src[head:]
	switch {
	case bits > uint32(8*c.t.Size):
		return nil, codec.Corrupt("its numbers have more bits than their type")
	case bits == uint32(8*c.t.Size): // stored without scaling
		if copy(dst, src) < len(dst) {
			return nil, codec.Truncated("ends inside of its numbers")
		}
		order(dst, c.t)
		return dst, nil
	}
	number := c.integer(least)
	switch {
	case c.t.Kind != dtype.Float:
	case c.t.Size == 4:
		number = c.single(least)
	default:
		number = c.double(least)
	}
	same := bits == 0 && count > 0
	if same {
		count = 1
	}
	top := uint64(1)<<bits - 1
	err = unpack(env, src, count, int(bits), func(i int, v uint64) {
		if c.filled && v == top {
			v = c.fill
		} else {
			v = number(v)
		}
		store(dst, i, c.t.Size, v)
	})
	if same {
		for n := c.t.Size; n < len(dst); n += copy(dst[n:], dst[:n]) {
		}
	}
	order(dst, c.t)
	return dst, err
}

// integer, single and double return the functions that add the minimum.
func (scaleOffset) integer(least uint64) func(uint64) uint64 {
	return func(v uint64) uint64 { return v + least }
}

func (c scaleOffset) single(least uint64) func(uint64) uint64 {
	from, scale := math.Float32frombits(uint32(least)), float32(math.Pow10(c.decimals))
	return func(v uint64) uint64 {
		return uint64(math.Float32bits(float32(float32(int32(v))/scale) + from))
	}
}

func (c scaleOffset) double(least uint64) func(uint64) uint64 {
	from, scale := math.Float64frombits(least), math.Pow10(c.decimals)
	return func(v uint64) uint64 { return math.Float64bits(float64(float64(int64(v))/scale) + from) }
}
