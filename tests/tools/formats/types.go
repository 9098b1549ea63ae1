package main

import (
	"fmt"
	"io"
	"strings"
)

// v3type is a trial of a data type with a fill value and, unless bytes suffices, another codec.
func v3type(name, conf, fill, chain string) trial {
	typ := fmt.Sprintf("%q", name)
	if conf != "" {
		typ = fmt.Sprintf(`{"name":%q,"configuration":%s}`, name, conf)
	}
	if chain == "" {
		chain = little
	}
	return trial{name: name, node: v3("data_type", typ, "fill_value", fill, "codecs", chain)}
}

// plain returns trials of types without configuration.
func plain(fill string, names ...string) []trial {
	var all []trial
	for _, n := range names {
		all = append(all, v3type(n, "", fill, ""))
	}
	return all
}

func v2types(filters string, types ...string) []trial {
	var all []trial
	for _, t := range types {
		name, text := t, t
		if !strings.HasPrefix(t, "[") {
			text = fmt.Sprintf("%q", t)
		}
		all = append(all, trial{name: name, node: v2("dtype", text, "filters", filters)})
	}
	return all
}

// typeFeature is a row of types. The first column holds their names unless another text is given.
type typeFeature struct {
	what   string
	trials []trial
	others others
	note   string
}

func typeTable(heading string, list []typeFeature) table {
	var features []feature
	for _, f := range list {
		what := f.what
		if what == "" {
			var names []string
			for _, t := range f.trials {
				names = append(names, t.name)
			}
			what = code(names)
		}
		features = append(features, feature{what, f.trials, f.others, f.note})
	}
	return featureTable(heading, features)
}

func typeSection(w io.Writer, _ string) error {
	const optional = `[{"name":"zarrs.optional","configuration":{"mask_codecs":["bytes"],"data_codecs":["bytes"]}}]`
	title(w, "## Data types", "### Version 3")
	err := typeTable("data type", []typeFeature{
		{"", plain("true", "bool"), "yy?n?", ""},
		{"", plain("1", "int8", "int16", "int32", "uint8", "uint16", "uint32"), "yy?y?", ""},
		{"", plain("1", "int64", "uint64"), "py?p?", "see the rule on 64-bit fill values; neuroglancer has uint64"},
		{"", plain("1", "float16"), "py?n?", "zarrita: where there is a `Float16Array`"},
		{"", plain("1", "float32"), "yy?y?", ""},
		{"", plain("1", "float64"), "yy?n?", ""},
		{"", plain("[1,2]", "complex64", "complex128"), "ny?n?", ""},
		{"", plain("1", "int2", "int4", "uint2", "uint4"), "n??n?", ""},
		{"", plain("1", "bfloat16"), "nn?n?", ""},
		{"", plain("1", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"), "n??n?", ""},
		{"", plain("1", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"), "?????", ""},
		{"", plain("[1,1]", "complex_bfloat16", "complex_float16", "complex_float32", "complex_float64", "complex_float8_e5m2", "complex_float4_e2m1fn"), "?????", ""},
		{"`r8`, `r16`, … `r<N>`", append(plain("[1]", "r8"), plain("[1,2,3]", "r24")...), "nn?n?", ""},
		{"", []trial{v3type("raw_bytes", `{"length_bytes":2}`, `"AAE="`, "")}, "wy?n?", ""},
		{"", []trial{v3type("null_terminated_bytes", `{"length_bytes":2}`, `"YWI="`, "")}, "wy?n?", ""},
		{"", []trial{v3type("fixed_length_utf32", `{"length_bytes":8}`, `"ab"`, "")}, "wy?n?", ""},
		{"", []trial{
			v3type("numpy.datetime64", `{"unit":"ns","scale_factor":1}`, `"NaT"`, ""),
			v3type("numpy.timedelta64", `{"unit":"s","scale_factor":10}`, "1", ""),
		}, "wy?n?", ""},
		{"", []trial{v3type("string", "", `"a"`, `["vlen-utf8"]`)}, "yy?n?", ""},
		{"", []trial{
			v3type("bytes", "", "[1]", `["vlen-bytes"]`), v3type("variable_length_bytes", "", `"AQ=="`, `["vlen-bytes"]`), v3type("binary", "", "[1]", `["vlen-bytes"]`),
		}, "wy?n?", "zarr-python: not tried with `binary`"},
		{"", []trial{v3type("struct", `{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"float32"}]}`, `{"a":1,"b":2}`, "")}, "wy?n?", ""},
		{"`structured` (older spelling of `struct`)", []trial{v3type("structured", `{"fields":[["a","int16"],["b","float32"]]}`, `"AAAAAAAA"`, "")}, "wy?n?", ""},
		{"", []trial{v3type("optional", `{"name":"uint8"}`, "null", optional), v3type("zarrs.optional", `{"name":"uint8"}`, "[1]", optional)}, "??y??", "zarrs: not tried with `optional`"},
	}).write(w)
	if err != nil {
		return err
	}
	title(w, "### Versions 1 and 2", "")
	return typeTable("dtype", []typeFeature{
		{"", v2types("null", "|b1"), "yy?n?", ""},
		{"", v2types("null", "|i1", "<i2", ">i2", "<i4", ">i4", "|u1", "<u2", ">u2", "<u4", ">u4"), "yy?y?", ""},
		{"", v2types("null", "<i8", ">i8", "<u8", ">u8"), "py?w?", "zarrita: see the rule on 64-bit fill values; neuroglancer takes int64 for uint64"},
		{"", v2types("null", "<f2", ">f2"), "py?n?", "zarrita: where there is a `Float16Array`"},
		{"", v2types("null", "<f4", ">f4"), "yy?y?", ""},
		{"", v2types("null", "<f8", ">f8"), "yy?n?", ""},
		{"", v2types("null", "<c8", ">c8", "<c16", ">c16"), "ny?n?", ""},
		{"", v2types("null", "<f16", "<c32"), "?????", "C's long double, which differs by platform"},
		{"", v2types("null", "|S5", "|S0"), "py?n?", "zarrita: not with a fill value in base64"},
		{"", v2types("null", "<U5", ">U5"), "yy?n?", ""},
		{"", v2types("null", "|V5"), "ny?n?", ""},
		{"", v2types("null", "<M8[ns]", ">M8[25s]", "<m8[D]", "<M8"), "wy?n?", ""},
		{"lists of fields", v2types("null", `[["a","<i2"],["b",">f4"]]`), "wy?n?", ""},
		{"fields that are arrays", v2types("null", `[["a","<i2",[2,3]]]`), "wn?n?", ""},
		{"`\\|O` with `vlen-utf8`", v2types(`[{"id":"vlen-utf8"}]`, "|O"), "yy?n?", ""},
		{"`\\|O` with `vlen-bytes`", v2types(`[{"id":"vlen-bytes"}]`, "|O"), "ny?n?", ""},
		{"`\\|O` with `vlen-array`", v2types(`[{"id":"vlen-array","dtype":"<f4"}]`, "|O"), "nn?n?", ""},
		{"`\\|O` with `json2`", v2types(`[{"id":"json2"}]`, "|O"), "yn?n?", ""},
		{"`\\|O` with `msgpack2`", v2types(`[{"id":"msgpack2"}]`, "|O"), "nn?n?", ""},
		{"`\\|O` with `pickle`", v2types(`[{"id":"pickle"}]`, "|O"), "n??n?", "refused on purpose: a pickle is a program"},
		{"prefix `=`, missing or without a meaning", v2types("null", "=i4", "i4", ">i1", "<u1", "=U5"), "?????", ""},
		{"names of tensorstore", v2types("null", "bfloat16", "int4", "float8_e4m3fn", "float8_e5m2"), "n??n?", ""},
	}).write(w)
}
