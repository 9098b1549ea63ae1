package dtype

import (
	"errors"
	"strings"
	"testing"
)

func v3(t testing.TB, doc string) *Type {
	t.Helper()
	typ, err := ParseV3(value(t, doc), Limits{})
	if err != nil {
		t.Fatalf("ParseV3(%s): %v", doc, err)
	}
	return typ
}

func TestParseV3(t *testing.T) {
	for _, c := range []struct {
		doc, name string
		kind      Kind
		size      int
		back      string
	}{
		{`"bool"`, "bool", Bool, 1, "|b1"},
		{`"int2"`, "int2", Int, 1, "int2"},
		{`"int4"`, "int4", Int, 1, "int4"},
		{`"int8"`, "int8", Int, 1, "|i1"},
		{`"int64"`, "int64", Int, 8, "<i8"},
		{`"uint2"`, "uint2", Uint, 1, "uint2"},
		{`"uint4"`, "uint4", Uint, 1, "uint4"},
		{`"uint64"`, "uint64", Uint, 8, "<u8"},
		{`{"name": "int32"}`, "int32", Int, 4, "<i4"},
		{`{"name": "int32", "configuration": {}, "must_understand": true}`, "int32", Int, 4, "<i4"},
		{`{"name": "int32", "configuration": null}`, "int32", Int, 4, "<i4"},
		{`"float16"`, "float16", Float, 2, "<f2"},
		{`"float64"`, "float64", Float, 8, "<f8"},
		{`"bfloat16"`, "bfloat16", MiniFloat, 2, "bfloat16"},
		{`"float4_e2m1fn"`, "float4_e2m1fn", MiniFloat, 1, "float4_e2m1fn"},
		{`"float6_e2m3fn"`, "float6_e2m3fn", MiniFloat, 1, "float6_e2m3fn"},
		{`"float6_e3m2fn"`, "float6_e3m2fn", MiniFloat, 1, "float6_e3m2fn"},
		{`"float8_e3m4"`, "float8_e3m4", MiniFloat, 1, "float8_e3m4"},
		{`"float8_e8m0fnu"`, "float8_e8m0fnu", MiniFloat, 1, "float8_e8m0fnu"},
		{`"complex64"`, "complex64", Complex, 8, "<c8"},
		{`"complex128"`, "complex128", Complex, 16, "<c16"},
		{`"complex_float32"`, "complex64", Complex, 8, "<c8"},
		{`"complex_float64"`, "complex128", Complex, 16, "<c16"},
		{`"complex_float16"`, "complex_float16", Complex, 4, "complex_float16"},
		{`"complex_bfloat16"`, "complex_bfloat16", Complex, 4, "complex_bfloat16"},
		{`"complex_float8_e5m2fnuz"`, "complex_float8_e5m2fnuz", Complex, 2, "complex_float8_e5m2fnuz"},
		{`"r8"`, "r8", Raw, 1, "|V1"},
		{`"r24"`, "r24", Raw, 3, "|V3"},
		{`"string"`, "string", String, 0, "|O"},
		{`"bytes"`, "bytes", Bytes, 0, "|O"},
		{`"variable_length_bytes"`, "bytes", Bytes, 0, "|O"},
		{`{"name": "binary"}`, "bytes", Bytes, 0, "|O"},
		{`{"name": "numpy.datetime64", "configuration": {"unit": "us", "scale_factor": 10}}`, "numpy.datetime64", DateTime, 8, "<M8[10us]"},
		{`{"name": "numpy.datetime64", "configuration": {"unit": "μs"}}`, "numpy.datetime64", DateTime, 8, "<M8[us]"},
		{`{"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}}`, "numpy.timedelta64", TimeDelta, 8, "<m8"},
		{`{"name": "fixed_length_utf32", "configuration": {"length_bytes": 20}}`, "fixed_length_utf32", Unicode, 20, "<U5"},
		{`{"name": "null_terminated_bytes", "configuration": {"length_bytes": 5}}`, "null_terminated_bytes", Char, 5, "|S5"},
		{`{"name": "raw_bytes", "configuration": {"length_bytes": 0}}`, "raw_bytes", Raw, 0, "|V0"},
		{`{"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int32"},
			{"name": "b", "data_type": {"name": "struct", "configuration": {"fields": [{"name": "x", "data_type": "uint8"}]}}}]}}`,
			"struct", Struct, 5, `[["a", "<i4"], ["b", [["x", "|u1"]]]]`},
		{`{"name": "structured", "configuration": {"fields": [["a", "int32"], ["b", "float64"]]}}`, "struct", Struct, 12, `[["a", "<i4"], ["b", "<f8"]]`},
		{`{"name": "zarrs.optional", "configuration": {"name": "int16"}}`, "optional", Optional, 3, "optional"},
		{`{"name": "optional", "configuration": {"name": "optional", "configuration": {"name": "numpy.datetime64", "configuration": {"unit": "s"}}}}`,
			"optional", Optional, 10, "optional"},
		{`{"name": "optional", "configuration": {"name": "string"}}`, "optional", Optional, 0, "|O"},
	} {
		got := v3(t, c.doc)
		if got.Name != c.name || got.Kind != c.kind || got.Size != c.size || got.Order != None {
			t.Errorf("%s: got %+v", c.doc, *got)
		}
		if s := got.V2String(); s != c.back {
			t.Errorf("%s: V2String %s", c.doc, s)
		}
		if s := got.JSName(); s != c.name {
			t.Errorf("%s: JSName %s", c.doc, s)
		}
	}
	if typ := v3(t, `{"name": "optional", "configuration": {"name": "string"}}`); !typ.Variable() || typ.Zero() != nil {
		t.Error("an optional string has elements of variable length, absent ones nil")
	}
	if typ := v3(t, `{"name": "optional", "configuration": {"name": "int8"}}`); typ.Variable() {
		t.Error("an optional int8 has elements of fixed length")
	}
}

func TestParseV3Errors(t *testing.T) {
	deep := strings.Repeat(`{"name": "optional", "configuration": `, 20) + `{"name": "int8"}` + strings.Repeat("}", 20)
	for _, c := range []struct {
		doc         string
		unsupported bool
	}{
		{`"int24"`, true},
		{`"unknown"`, true},
		{`"complex_int8"`, true},
		{`"complex_complex64"`, true},
		{`"r"`, true},
		{`"rx"`, true},
		{`"<i4"`, true},
		{`""`, true},
		{`{"name": "unknown", "must_understand": false}`, false},
		{`{"name": "int8", "must_understand": 1}`, false},
		{`"r0"`, false},
		{`"r12"`, false},
		{`"r08"`, false},
		{`"r99999992"`, true},
		{`12`, false},
		{`null`, false},
		{`[]`, false},
		{`{}`, false},
		{`{"name": 3}`, false},
		{`{"name": "int8", "configuration": 3}`, false},
		{`{"name": "int8", "configuration": {"endian": "big"}}`, false},
		{`"numpy.datetime64"`, false},
		{`{"name": "numpy.datetime64", "configuration": {"unit": "x"}}`, false},
		{`{"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 0}}`, false},
		{`{"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 2147483648}}`, false},
		{`{"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": "1"}}`, false},
		{`"raw_bytes"`, false},
		{`{"name": "raw_bytes", "configuration": {"length_bytes": -1}}`, false},
		{`{"name": "raw_bytes", "configuration": {"length_bytes": 1e12}}`, true},
		{`{"name": "fixed_length_utf32", "configuration": {"length_bytes": 5}}`, false},
		{`"struct"`, false},
		{`{"name": "struct", "configuration": {"fields": []}}`, false},
		{`{"name": "struct", "configuration": {"fields": [3]}}`, false},
		{`{"name": "struct", "configuration": {"fields": [{"name": "a"}]}}`, false},
		{`{"name": "struct", "configuration": {"fields": [["a", "int8"], ["a", "int8"]]}}`, false},
		{`{"name": "struct", "configuration": {"fields": [["a", "string"]]}}`, true},
		{`{"name": "struct", "configuration": {"fields": [["a", {"name": "optional", "configuration": {"name": "int8"}}]]}}`, true},
		{`"optional"`, false},
		{`{"name": "optional", "configuration": {}}`, false},
		{`{"name": "optional", "configuration": {"name": "optional", "configuration": {"name": "string"}}}`, true},
		{deep, true},
	} {
		_, err := ParseV3(value(t, c.doc), Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", c.doc, err)
		} else if e.Unsupported != c.unsupported {
			t.Errorf("%s: unsupported %v: %v", c.doc, e.Unsupported, err)
		}
	}
}
