package xarray

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// DataArray is a variable, or a selection of it, with its coordinates. Only [DataArray.Read] reads
// elements. Chained selections combine into one read.
type DataArray struct {
	dataset *Dataset
	v       *variable
	axes    []grid.Axis
}

// Name is the variable's name.
func (a *DataArray) Name() string { return a.v.name }

// Array returns the stored array.
func (a *DataArray) Array() *zarr.Array { return a.v.array }

// Dims returns the names of the remaining dimensions. An unnamed one is called dim_0, by its
// position.
func (a *DataArray) Dims() []string {
	dims := []string{}
	for i, dim := range a.v.dims {
		if !a.axes[i].Drop {
			dims = append(dims, dim)
		}
	}
	return dims
}

// Shape returns the lengths of Dims.
func (a *DataArray) Shape() []int64 { return grid.OutShape(a.axes) }

// Attributes returns the attributes that decoding did not consume.
func (a *DataArray) Attributes() []json.Member { return a.v.attributes }

// Encoding returns the attributes that decoding consumed.
func (a *DataArray) Encoding() []json.Member { return a.v.encoding }

// Decoder returns the decoder of the elements. The error is an *[zarr.InvalidMetadataError] for
// invalid attributes.
func (a *DataArray) Decoder() (*cf.Decoder, error) {
	if a.v.err != nil {
		return nil, &zarr.InvalidMetadataError{Path: a.v.array.Path(), Err: a.v.err}
	}
	return a.v.decoder, nil
}

// Units returns the unit of numbers, or the unit and reference date of times.
func (a *DataArray) Units() string { return a.v.units() }

// Coords returns the coordinates by name whose dimensions are all dimensions of the variable.
func (a *DataArray) Coords() map[string]*DataArray {
	found := map[string]*DataArray{}
	for name := range a.dataset.coordinates {
		if v := a.dataset.all[name]; v != nil {
			if axes, ok := a.shared(v); ok {
				found[name] = &DataArray{a.dataset, v, axes}
			}
		}
	}
	return found
}

// shared returns the selection along another variable's dimensions. It returns false if that
// variable has other dimensions.
func (a *DataArray) shared(v *variable) ([]grid.Axis, bool) {
	axes := make([]grid.Axis, len(v.dims))
	for i, dim := range v.dims {
		at := slices.Index(a.v.dims, dim)
		if at < 0 || !v.named[i] || !a.v.named[at] || a.v.shape[at] != v.shape[i] {
			return nil, false
		}
		axes[i] = a.axes[at]
	}
	return axes, true
}

func (a *DataArray) wrong(format string, args ...any) error {
	return &zarr.InvalidSelectionError{Path: a.v.array.Path(), Err: fmt.Errorf(format, args...)}
}

// axis returns the position of a remaining dimension.
func (a *DataArray) axis(dim string) (int, error) {
	found := -1
	for i, name := range a.v.dims {
		if name != dim || a.axes[i].Drop {
			continue
		}
		if found >= 0 {
			return 0, a.wrong("there is more than one dimension %q", dim)
		}
		found = i
	}
	if found < 0 {
		return 0, a.wrong("there is no dimension %q; dimensions: %s", dim, strings.Join(a.Dims(), ", "))
	}
	return found, nil
}

// ISel selects positions by dimension. The error is a *[zarr.InvalidSelectionError].
func (a *DataArray) ISel(by Indices) (*DataArray, error) {
	axes := slices.Clone(a.axes)
	for dim, item := range by {
		at, err := a.axis(dim)
		if err != nil {
			return nil, err
		}
		taken, err := grid.Resolve([]grid.Item{item}, []int64{a.axes[at].Count})
		if err != nil {
			return nil, a.wrong("%s: %w", dim, err)
		}
		axes[at] = among(a.axes[at], taken[0])
	}
	return &DataArray{a.dataset, a.v, axes}, nil
}

// At selects positions, with an item for each leading dimension. It serves arrays whose dimensions
// have no names or share one.
func (a *DataArray) At(items ...grid.Item) (*DataArray, error) {
	taken, err := grid.Resolve(items, a.Shape())
	if err != nil {
		return nil, a.wrong("%w", err)
	}
	axes := slices.Clone(a.axes)
	next := 0
	for i := range axes {
		if !axes[i].Drop {
			axes[i] = among(axes[i], taken[next])
			next++
		}
	}
	return &DataArray{a.dataset, a.v, axes}, nil
}

// Sel selects labels by the rules of pandas and xarray, exactly or by a method. Ranges include both
// ends and follow the coordinate's order. For times with a finer resolution, "2020-07" selects all
// of July. A dimension without a coordinate is selected by position. Each coordinate is read once.
// Errors are *[zarr.InvalidSelectionError] and those of reading.
func (a *DataArray) Sel(ctx context.Context, by Selectors, opt SelOptions) (*DataArray, error) {
	before, at := map[string]grid.Axis{}, map[string]int{}
	for dim := range by {
		i, err := a.axis(dim)
		if err != nil {
			return nil, err
		}
		if v := a.dataset.dimension(dim); v != nil && v.shape[0] != a.v.shape[i] {
			return nil, a.wrong("the coordinate %s has %d labels, but the dimension has length %d", dim, v.shape[0], a.v.shape[i])
		}
		before[dim], at[dim] = a.axes[i], i
	}
	found, err := a.dataset.find(ctx, by, before, opt)
	if err != nil {
		return nil, err
	}
	axes := slices.Clone(a.axes)
	for dim, axis := range found {
		axes[at[dim]] = axis
	}
	return &DataArray{a.dataset, a.v, axes}, nil
}

// Read reads and decodes the elements, and the coordinates of at most one dimension. Errors are
// those of [zarr.Array.Read], and *[zarr.InvalidMetadataError] for invalid attributes.
func (a *DataArray) Read(ctx context.Context) (*Values, error) {
	coords := a.Coords()
	maps.DeleteFunc(coords, func(name string, c *DataArray) bool { return len(c.v.dims) > 1 })
	names := slices.Sorted(maps.Keys(coords))
	read := make([]*Values, len(names)+1)
	all, ctx := guard.NewGroup(ctx)
	for i, name := range names {
		all.Go(func() (err error) {
			read[i], err = coords[name].v.read(ctx, coords[name].axes)
			return err
		})
	}
	all.Go(func() (err error) {
		read[len(names)], err = a.v.read(ctx, a.axes)
		return err
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	values := read[len(names)]
	values.Coords = map[string]*Values{}
	for i, name := range names {
		values.Coords[name] = read[i]
	}
	return values, nil
}
