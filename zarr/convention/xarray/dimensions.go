package xarray

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Dimensions are the names of an array's dimensions, wherever a convention keeps them.
type Dimensions struct {
	// Names has one entry a dimension.
	Names []meta.DimensionName
	// Shape is that of the array, and of a scalar that NCZarr stores as one element empty.
	Shape []int64
	// Problem tells why names that are written are not taken, "" where they are. They are never guessed.
	Problem string
}

// DimensionsOf are the names of an array's dimensions: dimension_names of Zarr v3; _ARRAY_DIMENSIONS, as xarray writes it in v2
// (and did in v3); or the dimensions that NCZarr refers to. Names that are not as many as the dimensions are a problem, and none is
// taken. The path is for problems.
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
	count := "no list of names"
	if written.Kind() == json.Array {
		count = fmt.Sprintf("%d names", written.Len())
	}
	none.Problem = fmt.Sprintf("_ARRAY_DIMENSIONS of /%s are %s for %d dimensions", path, count, len(shape))
	return none
}
