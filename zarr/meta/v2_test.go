package meta

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

const v2Array = `{
"zarr_format": 2,
"shape": [6, 4],
"chunks": [3, 2],
"dtype": "<i4",
"compressor": {"id": "zlib", "level": 1},
"fill_value": 7,
"order": "C",
"filters": null
}`

func TestV2(t *testing.T) {
	n := mustParse(t, ".zarray", v2Array, ".zattrs", `{"_ARRAY_DIMENSIONS":["y","x"]}`)
	a := n.Array
	if n.Format != 2 || !slices.Equal(a.Shape, []int64{6, 4}) || !slices.Equal(a.Grid.ChunkShapes(), []int64{3, 2}) ||
		a.Type.Name != "int32" || a.Order != "C" || !a.FillDefined || string(a.Fill) != "\x07\x00\x00\x00" ||
		!slices.Equal(a.DimensionNames, dimensions("y", "x")) || a.Keys.Key([]int64{1, 2}) != "1.2" {
		t.Errorf("%+v", a)
	}
	if got := chain(a); got != `bytes zlib{"level": 1}` && got != `bytes zlib{"level":1}` {
		t.Error(got)
	}
	if len(n.Documents) != 2 || string(n.Documents[0].Bytes) != v2Array {
		t.Error("documents are not those that were read")
	}
}

// edit replaces a text of v2Array; the texts must be there.
func edit(t *testing.T, pairs ...string) string {
	t.Helper()
	doc := v2Array
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(doc, pairs[i]) {
			t.Fatalf("no %q in the document", pairs[i])
		}
		doc = strings.Replace(doc, pairs[i], pairs[i+1], 1)
	}
	return doc
}

func TestV2Errors(t *testing.T) {
	for _, c := range []struct {
		doc, field  string
		unsupported bool
	}{
		{without(v2Array, `"shape"`), "shape", false},
		{without(v2Array, `"chunks"`), "chunks", false},
		{without(v2Array, `"dtype"`), "dtype", false},
		{without(v2Array, `"zarr_format"`), "zarr_format", false},
		{edit(t, `"zarr_format": 2`, `"zarr_format": 4`), "zarr_format", false},
		{edit(t, `"zarr_format": 2`, `"zarr_format": "2"`), "zarr_format", false},
		{edit(t, `[3, 2]`, `[-3, 2]`), "chunks", false},
		{edit(t, `[3, 2]`, `[0, 2]`), "chunks", false},
		{edit(t, `[3, 2]`, `[3, 2, 1]`), "chunks", false},
		{edit(t, `[3, 2]`, `null`), "chunks", false},
		{edit(t, `[6, 4]`, `[-6, 4]`), "shape", false},
		{edit(t, `[6, 4]`, `[6.5, 4]`), "shape", false},
		{edit(t, `[6, 4]`, `[9223372036854775808, 4]`), "shape", false},
		{edit(t, `[6, 4]`, `6`), "shape", false},
		{edit(t, `[6, 4]`, `[`+strings.Repeat("1,", 32)+`1]`), "shape", false},
		{edit(t, `"order": "C"`, `"order": "X"`), "order", false},
		{edit(t, `"fill_value": 7`, `"fill_value": "abc"`), "fill_value", false},
		{edit(t, `"<i4"`, `"<i3"`), "dtype", true},
		{edit(t, `"<i4"`, `"|O"`), "filters", true},
		{edit(t, `"filters": null`, `"filters": {}`), "filters", false},
		{edit(t, `"filters": null`, `"filters": ["delta"]`), "filters", false},
		{edit(t, `"filters": null`, `"filters": [{"level":1}]`), "filters", false},
		{edit(t, `{"id": "zlib", "level": 1}`, `{"level":1}`), "compressor", false},
		{edit(t, `{"id": "zlib", "level": 1}`, `"zlib"`), "compressor", false},
		{edit(t, `"order"`, `"dimension_separator": "_", "order"`), "dimension_separator", false},
	} {
		_, err := Parse(docs(".zarray", c.doc), Options{})
		wantError(t, err, ".zarray", c.field, c.unsupported)
	}
}

func TestRankLimit(t *testing.T) {
	_, err := Parse(docs(".zarray", v2Array), Options{MaxRank: 1})
	var lim *json.LimitError
	if !errors.As(err, &lim) || lim.Max != 1 {
		t.Errorf("%v", err)
	}
}

func TestHugeShapesOpen(t *testing.T) {
	a := mustArray(t, ".zarray", edit(t, `[6, 4]`, `[1125899906842624, 9223372036854775807]`, `[3, 2]`, `[1, 1099511627776]`))
	if _, ok := a.Grid.Total(); ok {
		t.Error("the number of chunks does not overflow")
	}
}

func TestV2Chains(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"no compressor", edit(t, `{"id": "zlib", "level": 1}`, `null`), `bytes`},
		{"order F", edit(t, `"order": "C"`, `"order": "F"`), `transpose{"order":[1,0]} bytes zlib{"level":1}`},
		{"order F, rank 1", edit(t, `"order": "C"`, `"order": "F"`, `[6, 4]`, `[6]`, `[3, 2]`, `[3]`), `bytes zlib{"level":1}`},
		{"filters", edit(t, `"filters": null`, `"filters":[{"id":"delta","dtype":"<i4"},{"id":"shuffle"}]`), `bytes delta{"dtype":"<i4"} shuffle zlib{"level":1}`},
		{"unknown codec", edit(t, `"zlib"`, `"no-such-codec"`), `bytes no-such-codec{"level":1}`},
		{"object codec as filter", edit(t, `"<i4"`, `"|O"`, `7`, `null`, `"filters": null`, `"filters":[{"id":"json2"},{"id":"x"}]`), `json2 x zlib{"level":1}`},
		{"objects in order F", edit(t, `"<i4"`, `"|O"`, `7`, `0`, `"filters": null`, `"filters":[{"id":"vlen-utf8"}]`, `"C"`, `"F"`), `transpose{"order":[1,0]} vlen-utf8 zlib{"level":1}`},
		{"categorized objects", edit(t, `"<i4"`, `"|O"`, `7`, `""`, `"filters": null`, `"filters":[{"id":"categorize","labels":["a"]}]`), `categorize{"labels":["a"]} zlib{"level":1}`},
	} {
		if got := chain(mustArray(t, ".zarray", c.doc)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestObjectTypes(t *testing.T) {
	for _, c := range []struct {
		codec, fill string
		kind        dtype.Kind
	}{
		{`{"id":"vlen-utf8"}`, `"gone"`, dtype.String},
		{`{"id":"vlen-utf8"}`, `0`, dtype.String},
		{`{"id":"vlen-bytes"}`, `null`, dtype.Bytes},
		{`{"id":"vlen-array","dtype":"<i2"}`, `null`, dtype.Ragged},
		{`{"id":"vlen-array","dtype":"<i2"}`, `0`, dtype.Ragged},
		{`{"id":"vlen-bytes"}`, `0`, dtype.Bytes},
		{`{"id":"json2"}`, `null`, dtype.Object},
		{`{"id":"msgpack2"}`, `""`, dtype.Object},
		{`{"id":"pickle"}`, `0`, dtype.Object},
	} {
		a := mustArray(t, ".zarray", edit(t, `"<i4"`, `"|O"`, `7`, c.fill, `"filters": null`, `"filters":[`+c.codec+`]`))
		if a.Type.Kind != c.kind {
			t.Errorf("%s: kind %d, want %d", c.codec, a.Type.Kind, c.kind)
		}
		if c.kind == dtype.String && c.fill == `"gone"` && string(a.Fill) != "gone" {
			t.Errorf("fill %q", a.Fill)
		}
		if c.kind == dtype.Ragged && (a.Type.Elem == nil || a.Type.Elem.Size != 2) {
			t.Errorf("ragged of %+v", a.Type.Elem)
		}
	}
}

func TestObjectErrors(t *testing.T) {
	for _, filters := range []string{`null`, `[]`, `[{"id":"fill_hdf_strings"}]`, `[{"id":"vlen-array","dtype":"|O"}]`, `[{"id":"delta"},{"id":"vlen-utf8"}]`} {
		_, err := Parse(docs(".zarray", edit(t, `"<i4"`, `"|O"`, `7`, `null`, `"filters": null`, `"filters":`+filters)), Options{})
		wantError(t, err, ".zarray", "filters", true)
	}
}

// Leniency: the object codec may be the compressor.
func TestObjectCodecAsCompressor(t *testing.T) {
	a := mustArray(t, ".zarray", edit(t, `"<i4"`, `"|O"`, `7`, `null`, `{"id": "zlib", "level": 1}`, `{"id":"vlen-utf8"}`))
	if got := chain(a); got != "vlen-utf8" || a.Type.Kind != dtype.String {
		t.Error(got)
	}
}

// Leniency: members that the specification requires may be missing.
func TestV2MissingMembers(t *testing.T) {
	a := mustArray(t, ".zarray", `{"zarr_format":2,"shape":[6],"chunks":[3],"dtype":"<i4"}`)
	if chain(a) != "bytes" || a.Order != "C" || a.FillDefined || string(a.Fill) != "\x00\x00\x00\x00" || a.Keys.Separator != "." {
		t.Errorf("%+v", a)
	}
	if a = mustArray(t, ".zarray", edit(t, `"C"`, `null`)); a.Order != "C" {
		t.Error("order of null")
	}
}

// Leniency: an empty list of filters is none.
func TestV2EmptyFilters(t *testing.T) {
	if got := chain(mustArray(t, ".zarray", edit(t, `"filters": null`, `"filters": []`))); got != `bytes zlib{"level":1}` {
		t.Error(got)
	}
}

func TestV2Separator(t *testing.T) {
	for text, want := range map[string]string{`"/"`: "1/2", `"."`: "1.2", `null`: "1.2"} {
		a := mustArray(t, ".zarray", edit(t, `"order"`, `"dimension_separator": `+text+`, "order"`))
		if got := a.Keys.Key([]int64{1, 2}); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestV2ExtraMembers(t *testing.T) {
	mustArray(t, ".zarray", edit(t, `"order"`, `"_NCZARR_ARRAY": {"storage":"chunked"}, "x": 1, "order"`))
	mustParse(t, ".zgroup", `{"zarr_format":2,"_NCZARR_GROUP":{},"consolidated_metadata":{}}`)
}

func TestXarrayNames(t *testing.T) {
	for attrs, want := range map[string][]DimensionName{
		`{"_ARRAY_DIMENSIONS":["y","x"]}`:     {{"y", true}, {"x", true}},
		`{"_ARRAY_DIMENSIONS":["y",null]}`:    {{"y", true}, {}},
		`{"_ARRAY_DIMENSIONS":["y"]}`:         nil, // does not fit: an attribute like any other
		`{"_ARRAY_DIMENSIONS":["y","x","t"]}`: nil,
		`{"_ARRAY_DIMENSIONS":[1,2]}`:         nil,
		`{"_ARRAY_DIMENSIONS":"yx"}`:          nil,
		`{}`:                                  nil,
	} {
		a := mustArray(t, ".zarray", v2Array, ".zattrs", attrs)
		if !slices.Equal(a.DimensionNames, want) || (a.DimensionNames == nil) != (want == nil) {
			t.Errorf("%s: %v", attrs, a.DimensionNames)
		}
	}
}

// Leniency: numbers in configurations may be written as strings.
func TestNumericStrings(t *testing.T) {
	for config, want := range map[string]string{
		`{"id":"shuffle","elementsize":"4"}`:                 `shuffle{"elementsize":4}`,
		`{"id":"zlib","level":"-1"}`:                         `zlib{"level":-1}`,
		`{"id":"blosc","cname":"lz4","shuffle":"1","x":"1"}`: `blosc{"cname":"lz4","shuffle":1,"x":"1"}`,
		`{"id":"blosc","shuffle":"noshuffle"}`:               `blosc{"shuffle":"noshuffle"}`,
		`{"id":"zlib","level":"+1"}`:                         `zlib{"level":"+1"}`,
		`{"id":"zlib","level":""}`:                           `zlib{"level":""}`,
	} {
		a := mustArray(t, ".zarray", edit(t, `{"id": "zlib", "level": 1}`, config))
		if got := chain(a); got != "bytes "+want {
			t.Errorf("%s: %s", config, got)
		}
	}
}

// Leniency: NCZarr 4.8 writes the fill value as a list of one.
func TestFillInAList(t *testing.T) {
	if a := mustArray(t, ".zarray", edit(t, `7`, `[7]`)); string(a.Fill) != "\x07\x00\x00\x00" {
		t.Errorf("fill %q", a.Fill)
	}
}

// dimensions is the names of dimensions that all have one.
func dimensions(texts ...string) []DimensionName {
	names := make([]DimensionName, len(texts))
	for i, t := range texts {
		names[i] = DimensionName{t, true}
	}
	return names
}
