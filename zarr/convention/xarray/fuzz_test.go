package xarray_test

import (
	"errors"
	"strings"
	"testing"

	ours "github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
)

// FuzzAttributes opens a dataset with arbitrary attributes, and selects arbitrary labels. Both
// succeed or return a documented error.
func FuzzAttributes(f *testing.F) {
	weather := weather()
	for _, name := range []string{"t", "time", "x", ""} {
		f.Add(weather[strings.TrimPrefix(name+"/.zattrs", "/")], name == "t", "2020-02")
	}
	f.Add(`{"_ARRAY_DIMENSIONS":["time","x"],"coordinates":"x time","bounds":"x_bnds","grid_mapping":"crs: x","cell_measures":"area: x","_FillValue":3,"dtype":"bool"}`, true, "31")
	f.Add(`{"_ARRAY_DIMENSIONS":["time"],"units":"months since 2000-02-30","calendar":"360_day","flag_values":[0,31],"flag_meanings":"a b"}`, false, "0001-02-30T25")
	f.Fuzz(func(t *testing.T, attributes string, ofData bool, label string) {
		if v, err := ours.Parse([]byte(attributes), ours.Limits{}); err != nil || v.Kind() != ours.Object || len(attributes) > 1<<14 {
			return
		}
		ctx := t.Context()
		objects := weatherWith(attributes, ofData)
		check := func(err error) {
			t.Helper()
			var metadata *zarr.InvalidMetadataError
			var unsupported *zarr.UnsupportedError
			var selection *zarr.InvalidSelectionError
			var absent *zarr.NotFoundError
			var limit *zarr.LimitError
			if err != nil && !errors.As(err, &metadata) && !errors.As(err, &unsupported) && !errors.As(err, &selection) && !errors.As(err, &absent) && !errors.As(err, &limit) {
				t.Errorf("%T %v", err, err)
			}
		}
		ds, err := xarray.Open(ctx, hierarchy(t, objects), xarray.Options{DecodeCoords: xarray.CoordsAll})
		if err != nil {
			check(err)
			return
		}
		_ = ds.String()
		for _, name := range []string{"t", "time", "x"} {
			v, err := ds.Var(name)
			if err != nil {
				check(err)
				continue
			}
			_ = v.String()
			values, err := v.Read(ctx)
			check(err)
			if err == nil {
				_ = values.Float64s()
			}
			for _, selectors := range []xarray.Selectors{{"time": label}, {"time": xarray.Between(label, nil)}, {"x": float64(len(label))}} {
				_, err = v.Sel(ctx, selectors, xarray.SelOptions{})
				check(err)
				_, err = v.Sel(ctx, selectors, xarray.SelOptions{Method: xarray.Nearest})
				check(err)
			}
		}
	})
}

func weatherWith(attributes string, ofData bool) map[string]string {
	objects := weather()
	if ofData {
		objects["t/.zattrs"] = attributes
	} else {
		objects["time/.zattrs"] = attributes
	}
	return objects
}
