package xarray

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Dimensions holds the names of an array's dimensions, from any convention.
type Dimensions struct {
	// Names has an entry for each dimension.
	Names []meta.DimensionName
	// Shape is the array's shape. It is empty for a scalar that NCZarr stores as one element.
	Shape []int64
	// Problem explains why the written names were refused, or is "". Names are never guessed.
	Problem string
}

// DimensionsOf returns the names of an array's dimensions from the first of: dimension_names of
// Zarr v3; xarray's _ARRAY_DIMENSIONS in v2 (formerly also v3); NCZarr's references. It refuses
// names whose number differs from the rank, and reports a problem. The path appears in problems.
func DimensionsOf(n *meta.Node, path string) Dimensions {
	shape := n.Array.Shape
	if names := n.Array.DimensionNames; names != nil {
		return Dimensions{Names: names, Shape: shape}
	}
	none := Dimensions{Names: make([]meta.DimensionName, len(shape)), Shape: shape}
	said, err := nczarr.ArrayOf(n, path)
	switch {
	case err != nil:
		none.Problem = err.Error()
		return none
	case said != nil:
		d := Dimensions{Names: []meta.DimensionName{}, Shape: shape}
		for _, reference := range said.References {
			d.Names = append(d.Names, meta.DimensionName{Text: nczarr.NameOf(reference), Named: true})
		}
		if said.Scalar {
			d.Shape = []int64{}
		}
		return d
	}
	written := n.Attributes.Get("_ARRAY_DIMENSIONS")
	if written.IsNull() {
		return none
	}
	count := "not a list of names"
	if written.Kind() == json.Array {
		count = fmt.Sprintf("%d names", written.Len())
	}
	none.Problem = fmt.Sprintf("_ARRAY_DIMENSIONS of /%s are %s for %d dimensions", path, count, len(shape))
	return none
}
