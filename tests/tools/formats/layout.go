package main

import (
	"fmt"
	"io"
)

func grid(name, config string) node {
	return v3("chunk_grid", fmt.Sprintf(`{"name":%q,"configuration":{%s}}`, name, config))
}

func keys(config string) node { return v3("chunk_key_encoding", config) }

// shard returns a sharding_indexed codec for chunks of 4 x 4; more holds members to add.
func shard(codecs, index, more string) string {
	return `{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":` + codecs + `,"index_codecs":` + index + more + `}}`
}

func layoutSection(w io.Writer, _ string) error {
	title(w, "## Chunk grids", "")
	err := featureTable("grid", []feature{
		{"`regular`", one(v3()), "yyyyy", ""},
		{"`rectilinear`", []trial{
			{name: "lengths", node: grid("rectilinear", `"kind":"inline","chunk_shapes":[[1,3],[2,2]]`)},
			{name: "runs", node: grid("rectilinear", `"kind":"inline","chunk_shapes":[[[1,4]],4]`)},
		}, "wy?n?", ""},
		{"`rectangular` (ZEP 3)", one(grid("rectangular", `"chunk_shape":[[1,3],4]`)), "??y??", ""},
		{"`zarrs.regular_bounded`", one(grid("zarrs.regular_bounded", `"chunk_shape":[3,3]`)), "??y??", ""},
	}).write(w)
	if err != nil {
		return err
	}
	title(w, "## Chunk keys", "")
	err = featureTable("encoding", []feature{
		{"`default` with `/` and `.`", []trial{
			{name: "/", node: keys(`{"name":"default","configuration":{"separator":"/"}}`)},
			{name: ".", node: keys(`{"name":"default","configuration":{"separator":"."}}`)},
		}, "yy?y?", ""},
		{"`v2` with `.` and `/`", []trial{
			{name: ".", node: keys(`{"name":"v2","configuration":{"separator":"."}}`)},
			{name: "/", node: keys(`{"name":"v2","configuration":{"separator":"/"}}`)},
		}, "yy?y?", ""},
		{"without a configuration", one(keys(`{"name":"v2"}`)), "yy???", ""},
		{"`zarrs.default_suffix`", one(keys(`{"name":"zarrs.default_suffix","configuration":{"suffix":".tiff"}}`)), "nnyn?", ""},
		{"v2's `dimension_separator`", []trial{
			{name: ".", node: v2("dimension_separator", `"."`)}, {name: "/", node: v2("dimension_separator", `"/"`)},
		}, "yy?y?", ""},
	}).write(w)
	if err != nil {
		return err
	}
	title(w, "## Sharding", "")
	const raw, plain, checked = `["bytes"]`, little, `[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`
	inner := `{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":["bytes"],"index_codecs":` + checked + `}}`
	return featureTable("layout", []feature{
		{"index at the end", one(v3("codecs", "["+shard(raw, checked, "")+"]")), "yy?yy", ""},
		{"index at the start", one(v3("codecs", "["+shard(raw, checked, `,"index_location":"start"`)+"]")), "wy?y?", ""},
		{"index without a checksum", one(v3("codecs", "["+shard(raw, plain, "")+"]")), "y??y?", ""},
		{"shards inside of shards", one(v3("codecs", "["+shard("["+inner+"]", checked, "")+"]")), "ny?y?", ""},
		{"`transpose` before", one(v3("codecs", `[{"name":"transpose","configuration":{"order":[1,0]}},`+shard(raw, checked, "")+"]")), "wy?yy", ""},
		{"compression after", one(v3("codecs", "["+shard(raw, checked, "")+`,"gzip"]`)), "wy?n?", ""},
	}).write(w)
}
