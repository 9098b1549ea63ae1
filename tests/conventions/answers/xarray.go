package main

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
)

// dataset describes a dataset.
func dataset(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	ds, err := xarray.Open(context.Background(), g, xarray.Options{DecodeCoords: xarray.DecodeCoords(integer(ask.Get("coords")))})
	if err != nil {
		return nil, err
	}
	coords, vars := slices.Sorted(slices.Values(ds.Coords())), slices.Sorted(slices.Values(ds.DataVars()))
	variables := map[string]any{}
	for _, name := range append(slices.Clone(coords), vars...) {
		v, err := ds.Var(name)
		if err != nil {
			return nil, err
		}
		variables[name] = map[string]any{"dims": v.Dims(), "shape": v.Shape(), "attributes": v.Attributes(), "encoding": used(v.Encoding())}
	}
	slices.Sort(ds.Problems)
	return map[string]any{
		"coords": coords, "vars": vars, "attributes": ds.Attributes, "problems": ds.Problems, "variables": variables,
		"sizes": ds.Sizes(),
	}, nil
}

// selected returns the elements of a variable, which are their positions, at the labels of the
// members labels or slice.
func selected(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	ds, err := xarray.Open(context.Background(), g, xarray.Options{})
	if err != nil {
		return nil, err
	}
	answers := []any{}
	for _, one := range ask.Get("selections").Items() {
		found, err := positionsOf(ds, one)
		answers = append(answers, orError(found, err))
	}
	return answers, nil
}

func positionsOf(ds *xarray.Dataset, ask json.Value) (any, error) {
	by := xarray.Lookup{Method: xarray.Method(text(ask.Get("method"))), Period: number(ask.Get("period"))}
	if v := ask.Get("tolerance"); !v.IsNull() {
		by.Tolerance = label(v)
	}
	var selector any
	switch s := ask.Get("slice"); {
	case s.Exists():
		ends := s.Items()
		selector = xarray.Slice{Start: label(ends[0]), Stop: label(ends[1]), Step: int(integer(ends[2]))}
	case ask.Get("label").Kind() == json.Array:
		list := xarray.Labels{}
		for _, one := range ask.Get("label").Items() {
			list = append(list, label(one))
		}
		selector = list
	default:
		selector = label(ask.Get("label"))
	}
	v, err := ds.Var("at")
	if err != nil {
		return nil, err
	}
	part, err := v.Sel(context.Background(), xarray.Selectors{"x": selector}, xarray.SelOptions{By: map[string]xarray.Lookup{"x": by}})
	if err != nil {
		return nil, err
	}
	values, err := part.Read(context.Background())
	if err != nil {
		return nil, err
	}
	return map[string]any{"shape": values.Shape, "at": values.Float64s()}, nil
}

// label converts a JSON label: integers to int64, other numbers to float64.
func label(v json.Value) any {
	switch v.Kind() {
	case json.String:
		return text(v)
	case json.Bool:
		return flag(v)
	case json.Number:
		if n, ok := v.Int64(); ok {
			return n
		}
		if n, ok := v.Uint64(); ok {
			return n
		}
		return number(v)
	}
	return nil
}

// used returns the consumed attributes. It omits an array's fill value, which JavaScript lists as
// _FillValue where it masks.
func used(encoding []json.Member) []json.Member {
	return slices.DeleteFunc(slices.Clone(encoding), func(m json.Member) bool { return m.Name == "_FillValue" || m.Name == "dtype" })
}
