package meta

import (
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

const v3Array = `{
"zarr_format": 3,
"node_type": "array",
"shape": [6, 4],
"data_type": "int32",
"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 2]}},
"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
"fill_value": 7,
"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
"dimension_names": ["y", null],
"storage_transformers": [],
"attributes": {"_ARRAY_DIMENSIONS": ["a", "b"]}
}`

func edit3(t *testing.T, pairs ...string) string {
	t.Helper()
	doc := v3Array
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(doc, pairs[i]) {
			t.Fatalf("no %q in the document", pairs[i])
		}
		doc = strings.Replace(doc, pairs[i], pairs[i+1], 1)
	}
	return doc
}

func TestV3(t *testing.T) {
	n := mustParse(t, "zarr.json", v3Array)
	a := n.Array
	if n.Format != 3 || n.Consolidated != nil || !slices.Equal(a.Shape, []int64{6, 4}) || a.Type.Name != "int32" ||
		a.Grid.Kind() != "regular" || a.Keys.Key([]int64{1, 2}) != "c/1/2" || !a.FillDefined || a.Order != "" ||
		string(a.Fill) != "\x07\x00\x00\x00" || !slices.Equal(a.DimensionNames, []DimensionName{{"y", true}, {}}) {
		t.Errorf("%+v", a)
	}
	if got := chain(a); got != `bytes{"endian": "little"}` {
		t.Error(got)
	}
	if string(n.Documents[0].Bytes) != v3Array {
		t.Error("documents are not those that were read")
	}
}

const (
	regularGrid = `{"name": "regular", "configuration": {"chunk_shape": [3, 2]}}`
	defaultKeys = `{"name": "default", "configuration": {"separator": "/"}}`
	bytesCodec  = `{"name": "bytes", "configuration": {"endian": "little"}}`
)

func TestV3Errors(t *testing.T) {
	type test struct {
		doc, field  string
		unsupported bool
	}
	var tests []test
	for _, field := range []string{"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"} {
		tests = append(tests, test{without(v3Array, `"`+field+`"`), field, false})
	}
	tests = append(tests, []test{
		{edit3(t, `"array"`, `"arrow"`), "node_type", false},
		{edit3(t, `"zarr_format": 3`, `"zarr_format": 2`), "zarr_format", false},
		{edit3(t, `"int32"`, `"int24"`), "data_type", true},
		{edit3(t, `"int32"`, `{"name":"int32","must_understand":false}`), "data_type", false},
		{edit3(t, `"int32"`, `{"configuration":{}}`), "data_type", false},
		{edit3(t, `"int32"`, `7`), "data_type", false},
		{edit3(t, regularGrid, `{"name":"hexagonal","configuration":{}}`), "chunk_grid", true},
		{edit3(t, regularGrid, `{"name":"regular","must_understand":false,"configuration":{"chunk_shape":[3,2]}}`), "chunk_grid", false},
		{edit3(t, regularGrid, `"regular"`), "chunk_grid.chunk_shape", false},
		{edit3(t, `[3, 2]`, `[0, 2]`), "chunk_grid", false},
		{edit3(t, `[3, 2]`, `[3, 2, 1]`), "chunk_grid", false},
		{edit3(t, `[3, 2]`, `[-3, 2]`), "chunk_grid.chunk_shape", false},
		{edit3(t, defaultKeys, `{"name":"base32"}`), "chunk_key_encoding", true},
		{edit3(t, defaultKeys, `{"name":"default","configuration":{"separator":"-"}}`), "chunk_key_encoding", false},
		{edit3(t, defaultKeys, `{"name":"default","must_understand":false}`), "chunk_key_encoding", false},
		{edit3(t, defaultKeys, `{"name":"zarrs.default_suffix"}`), "chunk_key_encoding", false},
		{edit3(t, defaultKeys, `{"name":"zarrs.default_suffix","configuration":{"suffix":"/../x"}}`), "chunk_key_encoding", false},
		{edit3(t, `"fill_value": 7`, `"fill_value": "twelve"`), "fill_value", false},
		{edit3(t, `["y", null]`, `["y", null, "x"]`), "dimension_names", false},
		{edit3(t, `["y", null]`, `["y", 1]`), "dimension_names", false},
		{edit3(t, `["y", null]`, `"yx"`), "dimension_names", false},
		{edit3(t, `["_ARRAY_DIMENSIONS": ["a", "b"]`[1:], `"": 1`, `{"": 1}`, `[]`), "attributes", false},
		{edit3(t, `"storage_transformers": []`, `"storage_transformers": [{"name":"encrypt"}]`), "storage_transformers", true},
		{edit3(t, `"storage_transformers": []`, `"storage_transformers": {}`), "storage_transformers", false},
		{edit3(t, `"storage_transformers": []`, `"mystery": {"name":"m"}`), "mystery", true},
		{edit3(t, `"storage_transformers": []`, `"mystery": {"must_understand":true}`), "mystery", true},
		{edit3(t, `"storage_transformers": []`, `"mystery": false`), "mystery", true},
		{edit3(t, bytesCodec, `7`), "codecs", false},
		{edit3(t, bytesCodec, `{}`), "codecs", false},
		{edit3(t, bytesCodec, `{"name":"bytes","configuration":[]}`), "codecs", false},
		{edit3(t, bytesCodec, `{"name":"bytes","must_understand":"no"}`), "codecs", false},
		{edit3(t, `[`+bytesCodec+`]`, `null`), "codecs", false},
		{`{"zarr_format":3,"node_type":"group","shape":[1]}`, "shape", true},
	}...)
	for _, c := range tests {
		_, err := Parse(docs("zarr.json", c.doc), Options{})
		t.Log(err)
		wantError(t, err, "zarr.json", c.field, c.unsupported)
	}
}

// If zarrita's create writes no codecs beside it, elements are little-endian.
func TestV3FillOfNullIsZeroForEveryTypeAndChain(t *testing.T) {
	types := []string{
		"bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64",
		"float16", "float32", "float64", "bfloat16", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz",
		"float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
		"complex64", "complex128", "complex_bfloat16", "complex_float8_e5m2", "r24", "string", "bytes",
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, `{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":1}}`,
		`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, `{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}`,
		`{"name":"raw_bytes","configuration":{"length_bytes":3}}`,
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"float32"},{"name":"b","data_type":"int8"}]}}`,
		`{"name":"optional","configuration":{"name":"float32"}}`, `{"name":"optional","configuration":{"name":"string"}}`,
	}
	for _, name := range types {
		if name[0] != '{' {
			name = `"` + name + `"`
		}
		for _, codecs := range []string{`[]`, `[` + bytesCodec + `]`, `["bytes","crc32c"]`, `["vlen-utf8",{"name":"zstd","configuration":{"level":0}}]`, `[{"name":"x.unknown"}]`} {
			a := mustArray(t, "zarr.json", edit3(t, `"int32"`, name, `[`+bytesCodec+`]`, codecs, `"fill_value": 7`, `"fill_value": null`))
			optional := a.Type.Kind == dtype.Optional
			if !slices.Equal(a.Fill, a.Type.Zero()) || a.FillDefined != optional {
				t.Errorf("%s, codecs %s: fill value %v, defined %v", name, codecs, a.Fill, a.FillDefined)
			}
			want := codecs
			if codecs == `[]` && !optional && !a.Type.Variable() {
				want = `bytes{"endian":"little"}`
			}
			if got := chain(a); want[0] != '[' && got != want || codecs == `[]` && want == codecs && got != "" {
				t.Errorf("%s, codecs %s: they are %s", name, codecs, got)
			}
		}
	}
	if got := chain(mustArray(t, "zarr.json", edit3(t, `[`+bytesCodec+`]`, `[]`))); got != "" {
		t.Errorf("no codecs beside a fill value: they are %s", got)
	}
}

func TestDraftV3(t *testing.T) {
	_, err := Parse(docs("zarr.json", `{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0",
		"metadata_encoding":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_key_suffix":".json","extensions":[]}`), Options{})
	wantError(t, err, "zarr.json", "zarr_format", true)
	if !strings.Contains(err.Error(), "draft") {
		t.Error(err)
	}
}

// These are for the chain of codecs to refuse, not for the metadata.
func TestV3ChainsAreNotChecked(t *testing.T) {
	for _, codecs := range []string{`[]`, `["crc32c"]`, `["crc32c","bytes"]`, `[{"name":"no.such.codec"}]`} {
		mustArray(t, "zarr.json", edit3(t, `[`+bytesCodec+`]`, codecs))
	}
}

func TestV3Codecs(t *testing.T) {
	for codec, want := range map[string]string{
		`"bytes"`:                                              `bytes`,
		`{"name":"bytes"}`:                                     `bytes`,
		`{"name":"bytes","configuration":null}`:                `bytes`,
		`{"name":"bytes","configuration":{}}`:                  `bytes{}`,
		`{"name":"x","must_understand":false}`:                 `x?`,
		`{"name":"x","must_understand":true}`:                  `x`,
		`{"name":"transpose","configuration":{"order":[1,0]}}`: `transpose{"order":[1,0]}`,
		// Leniencies: old names and forms.
		`{"name":"endian","configuration":{"endian":"big"}}`:                               `bytes{"endian":"big"}`,
		`{"name":"transpose","configuration":{"order":"C"}}`:                               `transpose{"order":[0,1]}`,
		`{"name":"transpose","configuration":{"order":"F"}}`:                               `transpose{"order":[1,0]}`,
		`{"name":"https://purl.org/zarr/spec/codec/gzip/1.0","configuration":{"level":1}}`: `gzip{"level":1}`,
		`"https://purl.org/zarr/spec/codecs/bytes"`:                                        `bytes`,
		`"https://purl.org/zarr/spec/codec/"`:                                              `https://purl.org/zarr/spec/codec/`,
		`"https://codec.zarrs.dev/array_to_bytes/vlen"`:                                    `zarrs.vlen`,
		`"https://codec.zarrs.dev/array_to_bytes/vlen_array"`:                              `vlen-array`,
		`"https://codec.zarrs.dev/array_to_array/bitround"`:                                `bitround`,
		`"https://codec.zarrs.dev/bytes_to_bytes/bz2"`:                                     `numcodecs.bz2`,
		`"https://example.org/codec/x"`:                                                    `https://example.org/codec/x`,
	} {
		if got := chain(mustArray(t, "zarr.json", edit3(t, bytesCodec, codec))); got != want {
			t.Errorf("%s: %s, want %s", codec, got, want)
		}
	}
}

func TestNestedCodecs(t *testing.T) {
	v := must.Get(json.Parse([]byte(`["endian",{"name":"transpose","configuration":{"order":"F"}}]`), json.Limits{}))(t)
	specs, err := Codecs(v, 3)
	if err != nil || specs[0].Name != "bytes" || string(specs[1].Config.Raw()) != `{"order":[2,1,0]}` {
		t.Errorf("%v %v", specs, err)
	}
	_, err = Codecs(v.Items()[1], 3)
	wantError(t, err, "codec configuration", "codecs", false)
}

func TestV3Grids(t *testing.T) {
	for _, c := range []struct {
		grid, kind string
		counts     []int64
		last       []int64 // stored shape of the last chunk
	}{
		{regularGrid, "regular", []int64{2, 2}, []int64{3, 2}},
		{`{"name":"regular","configuration":{"chunk_shape":[10,3]}}`, "regular", []int64{1, 2}, []int64{10, 3}},
		{`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[4,4]}}`, "zarrs.regular_bounded", []int64{2, 1}, []int64{2, 4}},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[4,2],3]}}`, "rectilinear", []int64{2, 2}, []int64{2, 3}},
		{`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[4,2]],[[1,2],2]]}}`, "rectilinear", []int64{2, 3}, []int64{4, 2}},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[6,[1,1,1,1]]}}`, "rectilinear", []int64{1, 4}, []int64{6, 1}},
		{`{"name":"rectangular","configuration":{"chunk_shape":[[1,5],4]}}`, "rectilinear", []int64{2, 1}, []int64{5, 4}},
	} {
		g := mustArray(t, "zarr.json", edit3(t, regularGrid, c.grid)).Grid
		last := []int64{g.Counts()[0] - 1, g.Counts()[1] - 1}
		shape, err := g.ChunkShape(last)
		if g.Kind() != c.kind || !slices.Equal(g.Counts(), c.counts) || err != nil || !slices.Equal(shape, c.last) {
			t.Errorf("%s: %s %v, last %v, %v", c.grid, g.Kind(), g.Counts(), shape, err)
		}
	}
}

func TestV3GridErrors(t *testing.T) {
	for _, c := range []struct {
		grid, field string
		unsupported bool
	}{
		{`{"name":"rectilinear","configuration":{"kind":"file","chunk_shapes":[1,1]}}`, "chunk_grid", true},
		{`{"name":"rectilinear"}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[6]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[[3,2],4]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[0,4]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":["6",4]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[[6,-1],4]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[[[6,0]],4]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectilinear","configuration":{"chunk_shapes":[[[6]],4]}}`, "chunk_grid.chunk_shapes", false},
		{`{"name":"rectangular","configuration":{"chunk_shape":[[[6,1]],4]}}`, "chunk_grid.chunk_shape", false},
	} {
		_, err := Parse(docs("zarr.json", edit3(t, regularGrid, c.grid)), Options{})
		wantError(t, err, "zarr.json", c.field, c.unsupported)
	}
	// Run lengths whose sum leaves 64 bits must neither wrap nor take time.
	mustArray(t, "zarr.json", edit3(t, regularGrid, `{"name":"rectilinear","configuration":{"chunk_shapes":[
		[[1,9223372036854775807],[1,9223372036854775807],[9223372036854775807,9223372036854775807]],4]}}`))
}

func TestV3Keys(t *testing.T) {
	for keys, want := range map[string]string{
		`"default"`:          "c/1/2 c",
		`{"name":"default"}`: "c/1/2 c",
		`{"name":"default","configuration":{"separator":"."}}`: "c.1.2 c",
		`{"name":"v2"}`:                                                      "1.2 0",
		`{"name":"v2","configuration":{}}`:                                   "1.2 0",
		`{"name":"v2","configuration":{"separator":"/"}}`:                    "1/2 0",
		`{"name":"https://purl.org/zarr/spec/chunk_key_encoding/v2/1.0"}`:    "1.2 0",
		`{"name":"zarrs.default_suffix","configuration":{"suffix":".tiff"}}`: "c/1/2.tiff c.tiff",
	} {
		k := mustArray(t, "zarr.json", edit3(t, defaultKeys, keys)).Keys
		if got := k.Key([]int64{1, 2}) + " " + k.Key(nil); got != want {
			t.Errorf("%s: %s", keys, got)
		}
	}
}

func TestV3MustUnderstandFalse(t *testing.T) {
	mustArray(t, "zarr.json", edit3(t, `"storage_transformers": []`, `"mystery": {"must_understand":false}`))
	mustArray(t, "zarr.json", edit3(t, `"storage_transformers": []`, `"storage_transformers": [{"name":"x","must_understand":false}]`))
	mustParse(t, "zarr.json", `{"zarr_format":3,"node_type":"group","x":{"must_understand":false}}`)
}

// Leniency: null where there is nothing.
func TestV3Nulls(t *testing.T) {
	a := mustArray(t, "zarr.json", edit3(t, `"storage_transformers": []`, `"storage_transformers": null`, `["y", null]`, `null`))
	if !slices.Equal(a.DimensionNames, dimensions("a", "b")) {
		t.Errorf("the attribute is not used where metadata has no names: %v", a.DimensionNames)
	}
}

func TestV3DataTypes(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"int32"}`:                                                          "int32",
		`{"name":"int32","configuration":{}}`:                                       "int32",
		`"https://purl.org/zarr/spec/data_type/int32/1.0"`:                          "int32",
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`: "numpy.datetime64",
	} {
		if a := mustArray(t, "zarr.json", edit3(t, `"int32"`, text)); a.Type.Name != want {
			t.Errorf("%s: %s", text, a.Type.Name)
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	mustArray(t, "zarr.json", "\ufeff"+v3Array)
}
