package meta

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// parseV1 reads the document "meta". Version 1 is version 2 with a compressor in two members and
// without filters, separators or groups.
func parseV1(doc, attrs json.Value, opt Options) (*Array, error) {
	if err := checkFormat(doc, 1); err != nil {
		return nil, err
	}
	compressor, err := v1Compressor(doc.Get("compression"), doc.Get("compression_opts"))
	if err != nil {
		return nil, err
	}
	return numpyArray(doc, attrs, nil, compressor, ".", opt)
}

// v1Compressor makes a v2 codec of compression and compression_opts. The options are an object, or
// the single number of an old compressor.
func v1Compressor(name, opts json.Value) (*CodecSpec, error) {
	if name.IsNull() {
		return nil, nil
	}
	id, ok := name.Text()
	if !ok {
		return nil, fail("compression", "is "+quoted(name)+", not a name")
	}
	if id == "none" {
		return nil, nil
	}
	spec := &CodecSpec{Name: id}
	switch opts.Kind() {
	case json.Invalid, json.Null:
	case json.Object:
		spec.Config = numericStrings(opts)
	case json.Number:
		member := "level"
		if id == "lzma" {
			member = "preset"
		}
		spec.Config = json.Make(json.Member{Name: member, Value: opts})
	default:
		return nil, fail("compression_opts", "is "+quoted(opts)+", not an object or number")
	}
	return spec, nil
}

// transposeF returns the codecs for an order of F: a transpose with reversed axes. Up to one
// dimension it is nil, because the order does not matter.
func transposeF(rank int) []CodecSpec {
	if rank < 2 {
		return nil
	}
	return []CodecSpec{transpose(rank, true)}
}

// transpose returns the codec of the identity or of reversed axes.
func transpose(rank int, reversed bool) CodecSpec {
	text := []byte(`{"order":[`)
	for i := range rank {
		if i > 0 {
			text = append(text, ',')
		}
		axis := i
		if reversed {
			axis = rank - 1 - i
		}
		text = strconv.AppendInt(text, int64(axis), 10)
	}
	config, err := json.Parse(append(text, "]}"...), json.Limits{})
	if err != nil {
		return CodecSpec{Name: "transpose"} // impossible: the text consists of digits
	}
	return CodecSpec{Name: "transpose", Config: config}
}
