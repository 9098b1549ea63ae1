// Package reshape has the codecs that change an array's shape without moving an element: reshape
// (zarr-extensions) and zarrs.squeeze.
package reshape

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the entries of the family.
func Codecs() []codec.Entry {
	return []codec.Entry{
		{Names: []string{"reshape", "zarrs.reshape"}, Doc: codec.Doc("another shape, in the same order"), Kind: codec.KindArrayToArray, New: newReshape},
		{Names: []string{"zarrs.squeeze", "squeeze"}, Doc: codec.Doc("without dimensions of length 1"), Kind: codec.KindArrayToArray, New: func(json.Value, codec.Build) (any, error) { return reshape{squeezed}, nil }},
	}
}

// reshape computes the encoded shape from the decoded one.
type reshape struct {
	shape func(in []int) ([]int, error)
}

// Encoded implements codec.ArrayToArray.
func (r reshape) Encoded(a codec.Array) (codec.Array, error) {
	shape, err := r.shape(a.Shape)
	if err != nil {
		return a, err
	}
	return codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill}, nil
}

// Decode implements codec.ArrayToArray.
func (r reshape) Decode(_ *codec.Env, dst, src ndarray.Block) error {
	copy(dst.Data, src.Data)
	copy(dst.Items, src.Items)
	return nil
}

func squeezed(in []int) ([]int, error) {
	out := []int{}
	for _, n := range in {
		if n != 1 {
			out = append(out, n)
		}
	}
	return out, nil
}

func bad(msg string) error { return &codec.ConfigError{Codec: "reshape", Msg: msg} }

// newReshape reads shape. For each encoded dimension it has a length, a list of decoded dimensions
// with that product, or once -1 for the rest.
func newReshape(config json.Value, _ codec.Build) (any, error) {
	v := config.Get("shape")
	if v.Kind() != json.Array {
		return nil, bad("shape is not a list")
	}
	return reshape{func(in []int) ([]int, error) {
		total := 1
		for _, n := range in {
			total *= n
		}
		out := make([]int, 0, v.Len())
		known, open := 1, -1
		for i, item := range v.Items() {
			n, err := length(item, in)
			if err != nil {
				return nil, err
			}
			if n == -1 {
				if open >= 0 {
					return nil, bad("-1 stands twice in shape")
				}
				open = i
				out = append(out, -1)
				continue
			}
			if n > 0 && known > total/n {
				return nil, bad("shape has more elements than the chunk")
			}
			known *= n
			out = append(out, n)
		}
		if open >= 0 && known > 0 {
			out[open] = total / known
			known *= out[open]
		}
		if known != total {
			return nil, bad("shape has fewer elements than the chunk")
		}
		return out, nil
	}}, nil
}

func length(item json.Value, in []int) (int, error) {
	if item.Kind() == json.Array {
		n := 1
		for _, d := range item.Items() {
			i, ok := d.Int64()
			if !ok || i < 0 || i >= int64(len(in)) {
				return 0, bad("shape names a dimension that does not exist")
			}
			n *= in[i]
		}
		return n, nil
	}
	n, ok := item.Int64()
	if !ok || n < -1 || n == 0 || n > 1<<40 {
		return 0, bad("an entry of shape is not a length")
	}
	return int(n), nil
}
