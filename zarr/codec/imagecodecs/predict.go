package imagecodecs

import (
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// predictor is delta or xor: each element along one axis is stored as its difference from the
// previous one.
type predictor struct {
	bytes int64 // of the whole array
	line  int   // bytes from the first element along the axis to the end of the last
	step  int   // bytes from one element along the axis to the next
	width int   // bytes of an element; 0 for xor, which needs no elements
}

func newDelta(config json.Value, _ codec.Build) (any, error) {
	const id = "imagecodecs_delta"
	p, t, err := newPredictor(id, config)
	if err != nil {
		return nil, err
	}
	if err := checkDist(id, config); err != nil {
		return nil, err
	}
	switch {
	case t.Kind == dtype.Float:
		return nil, &codec.UnsupportedError{Feature: id + " of floating-point numbers"}
	case t.Order == dtype.Big && t.Size > 1:
		// The writer adds in its machine's byte order, whatever the type's is.
		return nil, &codec.UnsupportedError{Feature: id + " of big-endian numbers"}
	}
	p.width = t.Size
	return p, nil
}

// checkDist rejects differences of elements that are not neighbours.
func checkDist(id string, config json.Value) error {
	if v := config.Get("dist"); !v.IsNull() {
		if n, ok := v.Int64(); !ok || n != 1 {
			return &codec.UnsupportedError{Feature: id + " with a dist other than 1"}
		}
	}
	return nil
}

func newXor(config json.Value, _ codec.Build) (any, error) {
	p, _, err := newPredictor("imagecodecs_xor", config)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// newPredictor reads shape, dtype and axis. Without the first two, even the writer's own decoder
// would not restore the data.
func newPredictor(id string, config json.Value) (predictor, *dtype.Type, error) {
	wrong := func(msg string) (predictor, *dtype.Type, error) {
		return predictor{}, nil, &codec.ConfigError{Codec: id, Msg: msg}
	}
	if config.Get("dtype").IsNull() || config.Get("shape").Kind() != json.Array {
		return wrong("shape and dtype are missing")
	}
	t, err := dtype.ParseV2(config.Get("dtype"), dtype.Limits{})
	if err != nil {
		return wrong(err.Error())
	}
	if k := t.Kind; k != dtype.Int && k != dtype.Uint && k != dtype.Float || t.Size > 8 {
		return wrong(strconv.Quote(t.Name) + " is not a type of numbers of up to 8 bytes")
	}
	axis := int64(-1)
	if v := config.Get("axis"); !v.IsNull() {
		n, ok := v.Int64()
		if !ok {
			return wrong("axis is not a number")
		}
		axis = n
	}
	shape := config.Get("shape").Items()
	rank := int64(len(shape))
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return wrong("axis is not an axis of the shape")
	}
	total := int64(t.Size)
	p := predictor{}
	for i := rank - 1; i >= 0; i-- {
		n, ok := shape[i].Int64()
		if !ok || n < 0 || n > 0 && total > math.MaxInt32/n {
			return wrong("shape is not the shape of a chunk")
		}
		if i == axis {
			p.step, p.line = int(total), int(total*n)
		}
		total *= n
	}
	p.bytes = total
	return p, t, nil
}

// EncodedSize implements codec.BytesToBytes.
func (predictor) EncodedSize(decoded codec.Size) codec.Size { return decoded }

// Decode implements codec.BytesToBytes.
func (p predictor) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	dst, err := p.grow(env, out, src)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(src); i += p.line {
		p.decode(dst[i:i+p.line], src[i:i+p.line])
	}
	return out.Check(dst)
}

// grow returns room for the decoded bytes, if the encoded ones are of the configuration's shape.
func (p predictor) grow(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	switch n := int64(len(src)); {
	case n < p.bytes:
		return nil, codec.Truncated("shorter than the shape of the configuration")
	case n > p.bytes:
		return nil, codec.Corrupt("longer than the shape of the configuration")
	case n > out.Size.N:
		return nil, codec.Corrupt("decodes to more bytes than the chunk has")
	}
	return out.Grow(env, p.bytes)[:p.bytes], nil
}

// decode decodes p.line bytes: one line, or several interleaved lines if the axis is not the last
// one.
func (p predictor) decode(dst, src []byte) {
	if p.width == p.step {
		kernel.Delta(dst, src, p.width)
		return
	}
	copy(dst[:p.step], src)
	switch p.width {
	case 0:
		for i := p.step; i < len(src); i++ {
			dst[i] = src[i] ^ dst[i-p.step]
		}
	case 1:
		for i := p.step; i < len(src); i++ {
			dst[i] = src[i] + dst[i-p.step]
		}
	case 2:
		for i := p.step; i < len(src); i += 2 {
			kernel.Store16(dst, i, kernel.Load16(src, i)+kernel.Load16(dst, i-p.step))
		}
	case 4:
		for i := p.step; i < len(src); i += 4 {
			kernel.Store32(dst, i, kernel.Load32(src, i)+kernel.Load32(dst, i-p.step))
		}
	case 8:
		for i := p.step; i < len(src); i += 8 {
			kernel.Store64(dst, i, kernel.Load64(src, i)+kernel.Load64(dst, i-p.step))
		}
	}
}
