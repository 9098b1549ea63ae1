package meta

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// parseV2Array reads .zarray (specification of version 2, "Metadata"). As the specification
// demands, it ignores undefined members. Leniency: the required members compressor, fill_value,
// order and filters may be missing, which counts as null.
func parseV2Array(doc, attrs json.Value, opt Options) (*Array, error) {
	if err := checkFormat(doc, 2); err != nil {
		return nil, err
	}
	filters, err := v2Filters(doc.Get("filters"))
	if err != nil {
		return nil, err
	}
	var compressor *CodecSpec
	if v := doc.Get("compressor"); !v.IsNull() {
		if compressor, err = v2Codec(v, "compressor"); err != nil {
			return nil, err
		}
	}
	separator, err := v2Separator(doc.Get("dimension_separator"))
	if err != nil {
		return nil, err
	}
	a, err := numpyArray(doc, attrs, filters, compressor, separator, opt)
	if err == nil {
		a.KeysWritten = !doc.Get("dimension_separator").IsNull()
	}
	return a, err
}

// numpyArray reads the common part of v1 and v2.
func numpyArray(doc, attrs json.Value, filters []CodecSpec, compressor *CodecSpec, separator string, opt Options) (*Array, error) {
	a := &Array{Keys: grid.KeyEncoding{Name: "v2", Separator: separator}}
	var err error
	if a.Shape, err = shapeOf(doc, opt); err != nil {
		return nil, err
	}
	v, err := required(doc, "chunks")
	if err != nil {
		return nil, err
	}
	chunks, err := integers(v, "chunks", 0)
	if err != nil {
		return nil, err
	}
	if a.Grid, err = grid.Regular(a.Shape, chunks); err != nil {
		return nil, &Error{Field: "chunks", Err: err}
	}
	if v, err = required(doc, "dtype"); err != nil {
		return nil, err
	}
	if a.Type, err = dtype.ParseV2(v, opt.Type); err != nil {
		return nil, typeError("dtype", err)
	}
	if a.Order, err = v2Order(doc.Get("order")); err != nil {
		return nil, err
	}
	if a.Order == "F" {
		a.Codecs = transposeF(len(a.Shape))
	}
	if a.Type.Kind == dtype.Object {
		err = a.objectChain(filters, compressor, opt)
	} else {
		a.Codecs = append(a.Codecs, CodecSpec{Name: "bytes"})
		a.Codecs = append(a.Codecs, filters...)
		if compressor != nil {
			a.Codecs = append(a.Codecs, *compressor)
		}
	}
	if err != nil {
		return nil, err
	}
	fill := doc.Get("fill_value")
	a.FillText, a.FillDefined = fill, !fill.IsNull()
	if a.Fill, err = a.Type.FillV2(fill); err != nil {
		return nil, typeError("fill_value", err)
	}
	a.DimensionNames = xarrayNames(attrs, len(a.Shape))
	return a, nil
}

// v2Order returns "C" or "F"; "C" if there is none.
func v2Order(v json.Value) (string, error) {
	if v.IsNull() {
		return "C", nil
	}
	if s, _ := v.Text(); s == "C" || s == "F" {
		return s, nil
	}
	return "", fail("order", `is `+quoted(v)+`, not "C" or "F"`)
}

func v2Separator(v json.Value) (string, error) {
	if v.IsNull() {
		return ".", nil
	}
	if s, _ := v.Text(); s == "." || s == "/" {
		return s, nil
	}
	return "", fail("dimension_separator", `is `+quoted(v)+`, not "." or "/"`)
}

// v2Filters reads the list of filters. Leniency: an empty list counts as none.
func v2Filters(v json.Value) ([]CodecSpec, error) {
	if v.IsNull() {
		return nil, nil
	}
	items, err := itemsOf(v, "filters", "")
	if err != nil {
		return nil, err
	}
	specs := make([]CodecSpec, 0, len(items))
	for _, item := range items {
		spec, err := v2Codec(item, "filters")
		if err != nil {
			return nil, err
		}
		specs = append(specs, *spec)
	}
	return specs, nil
}

// v2Codec reads a configuration of numcodecs: an object with the codec's id.
func v2Codec(v json.Value, field string) (*CodecSpec, error) {
	if v.Kind() != json.Object {
		return nil, fail(field, quoted(v)+" is no configuration of a codec")
	}
	id, ok := v.Get("id").Text()
	if !ok || id == "" {
		return nil, fail(field, "codec without an id: "+quoted(v))
	}
	spec := &CodecSpec{Name: id}
	var config []json.Member
	for _, m := range v.Members() {
		if m.Name != "id" {
			config = append(config, m)
		}
	}
	if len(config) > 0 {
		spec.Config = numericStrings(json.Make(config...))
	}
	return spec, nil
}
