// Package transpose undoes a permutation of the dimensions: v3's transpose
// codec, and the Fortran order of v2.
package transpose

import (
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codec returns the codec transpose. Its configuration has order: a list with the array's dimension
// for each stored dimension. Older writers use "C" (no change) or "F" (all reversed).
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"transpose"}, IDs: []string{"transpose"}, Doc: codec.Doc("dimensions in another order"),
		Kind: codec.KindArrayToArray, Cost: codec.Cost{Decode: 500}, New: build,
	}
}

func build(config json.Value, b codec.Build) (any, error) {
	rank := len(b.Array.Shape)
	order := make(transpose, rank)
	v := config.Get("order")
	if s, ok := v.Text(); ok && (s == "C" || s == "F") {
		for i := range order {
			order[i] = i
			if s == "F" {
				order[i] = rank - 1 - i
			}
		}
		return order, nil
	}
	if v.Kind() != json.Array {
		return nil, wrong("order is neither a list nor C or F")
	}
	if v.Len() != rank {
		return nil, wrong("order has " + strconv.Itoa(v.Len()) + " entries, the array " + strconv.Itoa(rank) + " dimensions")
	}
	seen := make([]bool, rank)
	for i, item := range v.Items() {
		d, ok := item.Int64()
		if !ok || d < 0 || d >= int64(rank) || seen[d] {
			return nil, wrong("order is not a permutation of the dimensions")
		}
		seen[d] = true
		order[i] = int(d)
	}
	return order, nil
}

func wrong(msg string) error { return &codec.ConfigError{Codec: "transpose", Msg: msg} }

// transpose holds the array's dimension for each stored dimension.
type transpose []int

func (t transpose) Encoded(a codec.Array) (codec.Array, error) {
	if len(a.Shape) != len(t) {
		return a, wrong("the array has another number of dimensions than order")
	}
	a.Shape = t.permute(a.Shape)
	return a, nil
}

// Permutation implements codec.Permutation.
func (t transpose) Permutation() []int { return t }

// permute reorders a list by dimension from the array's order to the stored order.
func (t transpose) permute(of []int) []int {
	p := make([]int, len(t))
	for i, d := range t {
		p[i] = of[d]
	}
	return p
}

func (t transpose) Decode(_ *codec.Env, dst, src ndarray.Block) error {
	if len(dst.Shape) != len(t) || !slices.Equal(src.Shape, t.permute(dst.Shape)) {
		return codec.Corrupt("the transposed chunk has another shape")
	}
	stored := ndarray.Strides(src.Shape)
	strides := make([]int, len(t))
	for i, d := range t {
		strides[d] = stored[i]
	}
	return ndarray.Copy(dst, ndarray.Layout{Strides: ndarray.Strides(dst.Shape)}, src, ndarray.Layout{Strides: strides}, dst.Shape)
}
