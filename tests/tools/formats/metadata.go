package main

import "io"

// feature is a row whose answer comes from trials.
type feature struct {
	what   string
	trials []trial
	others others
	note   string
}

func one(n node) []trial     { return []trial{{node: n}} }
func refused(n node) []trial { return []trial{{node: n, refused: true}} }

func featureTable(heading string, features []feature) table {
	t := table{first: []string{heading}}
	for _, f := range features {
		own, note := run(f.trials)
		t.rows = append(t.rows, row{[]string{f.what}, own, f.others, notes(note, f.note)})
	}
	return t
}

const groupV3 = `{"zarr_format":3,"node_type":"group"}`

func inline(members string) node {
	return node{"zarr.json", `{"zarr_format":3,"node_type":"group","consolidated_metadata":` + members + `}`}
}

func metadataSection(w io.Writer, _ string) error {
	title(w, "## Metadata", "")
	err := featureTable("version", []feature{
		{"v1 arrays (`meta`, `attrs`)", one(v1()), "nnnnn", ""},
		{"v2 arrays (`.zarray`)", one(v2()), "yyyyy", ""},
		{"v2 groups (`.zgroup`)", one(node{".zgroup", `{"zarr_format":2}`}), "yy?y?", ""},
		{"v3 arrays (`zarr.json`)", one(v3()), "yyyyy", ""},
		{"v3 groups", one(node{"zarr.json", groupV3}), "yy?y?", ""},
		{"consolidated, v2 (`.zmetadata`)", one(node{".zgroup", `{"zarr_format":2}`, ".zmetadata", consolidatedV2}), "py?n?", "zarrita: by a wrapper, when asked for"},
		{"`.zmetadata` alone, without `.zgroup`", one(node{".zmetadata", consolidatedV2}), "yn???", ""},
		{"consolidated, v3 (inside `zarr.json`)", one(inline(`{"kind":"inline","must_understand":false,"metadata":{"a":` + groupV3 + `}}`)), "py?n?", "zarrita: the root's only"},
		{"`consolidated_metadata: null`", one(inline("null")), "?????", ""},
		{"drafts of v3 (2020 to 2022)", one(node{"zarr.json", `{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_encoding":"x","metadata_key_suffix":".json","extensions":[]}`}), "?????", ""},
	}).write(w)
	if err != nil {
		return err
	}
	title(w, "What the documents say is understood, or refused:", "")
	return featureTable("rule", []feature{
		{"bare `NaN` and `Infinity` in JSON are read", one(append(v2("fill_value", "NaN", "dtype", `"<f8"`), ".zattrs", `{"a":NaN,"b":-Infinity}`)), "wy?n?", "zarrita: \"not found\", in v2"},
		{"an unknown member that must be understood is refused", refused(v3("x", `{"must_understand":true}`)), "wy?w?", ""},
		{"a codec that need not be understood is skipped", one(v3("codecs", `["bytes",{"name":"x.unknown","must_understand":false}]`)), "nny??", ""},
		{"storage transformers are refused", refused(v3("storage_transformers", `[{"name":"x.unknown"}]`)), "wy?w?", "none is defined"},
		{"an unknown chunk grid is refused", refused(v3("chunk_grid", `{"name":"x.unknown","configuration":{"chunk_shape":[4,4]}}`)), "wy?y?", ""},
		{"names without configuration (`\"bytes\"`, v3.1)", one(v3("codecs", `["bytes"]`, "chunk_key_encoding", `"default"`)), "nn???", ""},
		{"names by address (`https://purl.org/zarr/spec/…`)", one(v3("codecs", `[{"name":"https://purl.org/zarr/spec/codec/bytes/1.0"}]`)), "?????", ""},
		{"no codecs and a fill of `null`, as zarrita's `create` writes", one(v3("codecs", "[]", "fill_value", "null")), "y????", "little-endian, zeros"},
		{"v2 fill of `null`", one(v2("dtype", `"<i8"`)), "py?y?", "zarrita: not for 64-bit integers"},
		{"64-bit fill values are exact", []trial{
			{name: "int64", node: v3("data_type", `"int64"`, "fill_value", "9223372036854775807", "codecs", little), element: "ffffffffffffff7f"},
			{name: "uint64", node: v3("data_type", `"uint64"`, "fill_value", "18446744073709551615", "codecs", little), element: "ffffffffffffffff"},
		}, "wy?w?", "above 2^53"},
		{"float fills as `NaN`, `Infinity`", []trial{
			{name: "NaN", node: v3("data_type", `"float32"`, "fill_value", `"NaN"`, "codecs", little), element: "0000c07f"},
			{name: "-Infinity", node: v3("data_type", `"float32"`, "fill_value", `"-Infinity"`, "codecs", little), element: "000080ff"},
		}, "yy?y?", ""},
		{"float fills as bits (`\"0x7fc00001\"`)", []trial{{node: v3("data_type", `"float32"`, "fill_value", `"0x7fc00001"`, "codecs", little), element: "0100c07f"}}, "wy?y?", ""},
		{"integer fills written `1.0` or `\"1\"`", []trial{
			{name: "1.0", node: v3("fill_value", "1.0"), element: "01"}, {name: `"1"`, node: v3("fill_value", `"1"`), element: "01"},
		}, "?y??y", ""},
	}).write(w)
}

const (
	consolidatedV2 = `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},".zattrs":{}}}`
	little         = `[{"name":"bytes","configuration":{"endian":"little"}}]`
)
