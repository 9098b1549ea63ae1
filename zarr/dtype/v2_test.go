package dtype

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

func value(t testing.TB, doc string) json.Value {
	t.Helper()
	v, err := json.Parse([]byte(doc), json.Limits{})
	if err != nil {
		t.Fatalf("test document %s: %v", doc, err)
	}
	return v
}

func v2(t testing.TB, doc string) *Type {
	t.Helper()
	typ, err := ParseV2(value(t, doc), Limits{})
	if err != nil {
		t.Fatalf("ParseV2(%s): %v", doc, err)
	}
	return typ
}

func TestParseV2Scalars(t *testing.T) {
	for _, c := range []struct {
		typestr, name string
		kind          Kind
		size          int
		order         Order
		back, js      string
	}{
		{"|b1", "bool", Bool, 1, None, "|b1", "bool"},
		{"<b1", "bool", Bool, 1, None, "|b1", "bool"},
		{"bool", "bool", Bool, 1, None, "|b1", "bool"},
		{"|i1", "int8", Int, 1, None, "|i1", "int8"},
		{">i1", "int8", Int, 1, None, "|i1", "int8"},
		{"<i2", "int16", Int, 2, Little, "<i2", "int16"},
		{">i4", "int32", Int, 4, Big, ">i4", "int32"},
		{"i4", "int32", Int, 4, Little, "<i4", "int32"},
		{"=i4", "int32", Int, 4, Little, "<i4", "int32"},
		{"|i4", "int32", Int, 4, Little, "<i4", "int32"},
		{"int32", "int32", Int, 4, Little, "<i4", "int32"},
		{">i8", "int64", Int, 8, Big, ">i8", "int64"},
		{"<u1", "uint8", Uint, 1, None, "|u1", "uint8"},
		{">u2", "uint16", Uint, 2, Big, ">u2", "uint16"},
		{"<u4", "uint32", Uint, 4, Little, "<u4", "uint32"},
		{"<u8", "uint64", Uint, 8, Little, "<u8", "uint64"},
		{"<f2", "float16", Float, 2, Little, "<f2", "float16"},
		{">f4", "float32", Float, 4, Big, ">f4", "float32"},
		{"<f8", "float64", Float, 8, Little, "<f8", "float64"},
		{"<c8", "complex64", Complex, 8, Little, "<c8", "complex64"},
		{">c16", "complex128", Complex, 16, Big, ">c16", "complex128"},
		{"complex64", "complex64", Complex, 8, Little, "<c8", "complex64"},
		{"|S5", "S5", Char, 5, None, "|S5", "v2:S5"},
		{">S1", "S1", Char, 1, None, "|S1", "v2:S1"},
		{"|S0", "S0", Char, 0, None, "|S0", "v2:S0"},
		{"a3", "S3", Char, 3, None, "|S3", "v2:S3"},
		{"<U5", "U5", Unicode, 20, Little, "<U5", "v2:U5"},
		{">U3", "U3", Unicode, 12, Big, ">U3", "v2:U3"},
		{"<U0", "U0", Unicode, 0, Little, "<U0", "v2:U0"},
		{"|V6", "V6", Raw, 6, None, "|V6", "v2:V6"},
		{"|V0", "V0", Raw, 0, None, "|V0", "v2:V0"},
		{"<M8[ns]", "numpy.datetime64", DateTime, 8, Little, "<M8[ns]", "numpy.datetime64"},
		{">M8[25s]", "numpy.datetime64", DateTime, 8, Big, ">M8[25s]", "numpy.datetime64"},
		{"<M8", "numpy.datetime64", DateTime, 8, Little, "<M8", "numpy.datetime64"},
		{"<M8[μs]", "numpy.datetime64", DateTime, 8, Little, "<M8[us]", "numpy.datetime64"},
		{"<M8[µs]", "numpy.datetime64", DateTime, 8, Little, "<M8[us]", "numpy.datetime64"},
		{"datetime64[ms]", "numpy.datetime64", DateTime, 8, Little, "<M8[ms]", "numpy.datetime64"},
		{">m8[D]", "numpy.timedelta64", TimeDelta, 8, Big, ">m8[D]", "numpy.timedelta64"},
		{"timedelta64[7D]", "numpy.timedelta64", TimeDelta, 8, Little, "<m8[7D]", "numpy.timedelta64"},
		{"|O", "O", Object, 0, None, "|O", "v2:object"},
		{"|O8", "O", Object, 0, None, "|O", "v2:object"},
		{"object", "O", Object, 0, None, "|O", "v2:object"},
		{"bfloat16", "bfloat16", MiniFloat, 2, Little, "bfloat16", "bfloat16"},
		{"float8_e4m3fn", "float8_e4m3fn", MiniFloat, 1, None, "float8_e4m3fn", "float8_e4m3fn"},
		{"float4_e2m1fn", "float4_e2m1fn", MiniFloat, 1, None, "float4_e2m1fn", "float4_e2m1fn"},
		{"int4", "int4", Int, 1, None, "int4", "int4"},
		{"int2", "int2", Int, 1, None, "int2", "int2"},
	} {
		got := v2(t, `"`+c.typestr+`"`)
		if got.Name != c.name || got.Kind != c.kind || got.Size != c.size || got.Order != c.order {
			t.Errorf("%s: got %+v", c.typestr, *got)
		}
		if s := got.V2String(); s != c.back {
			t.Errorf("%s: V2String %s, want %s", c.typestr, s, c.back)
		}
		if s := got.JSName(); s != c.js {
			t.Errorf("%s: JSName %s, want %s", c.typestr, s, c.js)
		}
	}
	if u := v2(t, `">M8[25s]"`); u.Unit != "s" || u.Scale != 25 {
		t.Errorf("unit %q scale %d", u.Unit, u.Scale)
	}
	if u := v2(t, `"<m8"`); u.Unit != "generic" || u.Scale != 1 {
		t.Errorf("unit %q scale %d", u.Unit, u.Scale)
	}
}

func TestParseV2Struct(t *testing.T) {
	typ := v2(t, `[["id", "<u2"], ["pt", [["x", "<f4"], ["y", ">f4"]]], [["A title", "m"], "<i2", [2, 3]],
		["v", "|V3", 4], ["s", ">U2"], ["ok", "|b1", []]]`)
	if typ.Kind != Struct || typ.Size != 2+8+12+12+8+1 {
		t.Fatalf("got kind %d, size %d", typ.Kind, typ.Size)
	}
	var got []string
	var offsets []int
	for _, f := range typ.Fields {
		got = append(got, f.Name+" "+f.Type.Name)
		offsets = append(offsets, f.Offset)
	}
	want := []string{"id uint16", "pt struct", "m (2,3)int16", "v (4)V3", "s U2", "ok bool"}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(offsets, []int{0, 2, 10, 22, 34, 42}) {
		t.Errorf("fields %q at %v", got, offsets)
	}
	if sub := typ.Fields[2].Type; sub.Kind != Sub || !reflect.DeepEqual(sub.Shape, []int{2, 3}) || sub.Size != 12 {
		t.Errorf("sub-array %+v", *sub)
	}
	if y := typ.Fields[1].Type.Fields[1]; y.Type.Order != Big || y.Offset != 4 {
		t.Errorf("nested field %+v", y)
	}
	want2 := `[["id", "<u2"], ["pt", [["x", "<f4"], ["y", ">f4"]]], ["m", "<i2", [2, 3]], ["v", "|V3", [4]], ["s", ">U2"], ["ok", "|b1"]]`
	if s := typ.V2String(); s != want2 {
		t.Errorf("V2String %s", s)
	}
}

func TestParseV2Errors(t *testing.T) {
	for _, c := range []struct {
		doc         string
		unsupported bool
	}{
		{`"<i3"`, true},
		{`"<u16"`, true},
		{`"<u10000"`, true},
		{`"<i0"`, true},
		{`"<f1"`, true},
		{`"<f16"`, true},
		{`"<c32"`, true},
		{`"<b2"`, true},
		{`"!b1"`, true},
		{`"<x4"`, true},
		{`"|S"`, true},
		{`"|S-1"`, true},
		{`"|S99999999999999999999"`, true},
		{`"|S9999999"`, true},
		{`"<U300000"`, true},
		{`"<M4[s]"`, true},
		{`"<M8[x]"`, true},
		{`"<M8[s"`, true},
		{`"<M8[0s]"`, true},
		{`"<M8[99999999999s]"`, true},
		{`"<i4[s]"`, true},
		{`"bytes"`, true},
		{`"float7"`, true},
		{`""`, false},
		{`">"`, false},
		{`12`, false},
		{`null`, false},
		{`{}`, false},
		{`[]`, false},
		{`["a", "<i4"]`, false},
		{`[["a"]]`, false},
		{`[["a", "<i4", [2], 1]]`, false},
		{`[[1, "<i4"]]`, false},
		{`[["a", "<i4", [-1]]]`, false},
		{`[["a", "<i4", ["x"]]]`, false},
		{`[["a", "<i4", {}]]`, false},
		{`[["a", 3]]`, false},
		{`[["a", "<i4"], ["b", "<i4"], ["a", "<f8"]]`, false},
		{`[["s", [["a", "<i4"], ["a", "<i4"]]]]`, false},
		{`[[["one", "a"], "<i4"], [["two", "a"], "<i4"]]`, false},
		{`[["a", "|O"]]`, true},
		{`[["a", "|O", [2]]]`, true},
		{`[["a", "<i4", [1048576, 1048576]]]`, true},
		{`[["a", "|V0", [1048576, 1048576, 1048576, 1048576]]]`, true},
		{`[["a", "|V1000000"], ["b", "|V1000000"]]`, true},
		{`[["a", ` + strings.Repeat(`[["a", `, 20) + `"<i4"` + strings.Repeat(`]]`, 20) + `]]`, true},
	} {
		_, err := ParseV2(value(t, c.doc), Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", c.doc, err)
		} else if e.Unsupported != c.unsupported {
			t.Errorf("%s: unsupported %v: %v", c.doc, e.Unsupported, err)
		}
	}
	if _, err := ParseV2(json.Value{}, Limits{}); err == nil {
		t.Error("no error for an absent dtype")
	}
}

func TestParseLimits(t *testing.T) {
	for _, c := range []struct {
		limit, doc string
		lim        Limits
	}{
		{"ItemBytes", `"|V9"`, Limits{ItemBytes: 8}},
		{"ItemBytes", `[["a", "<i4"], ["b", "<i8"]]`, Limits{ItemBytes: 8}},
		{"Fields", `[["a", "<i4"], ["b", [["c", "<i8"], ["d", "<i8"]]]]`, Limits{Fields: 3}},
		{"Depth", `[["a", [["b", "<i8"]]]]`, Limits{Depth: 1}},
	} {
		_, err := ParseV2(value(t, c.doc), c.lim)
		var e *Error
		if !errors.As(err, &e) || e.Limit != c.limit {
			t.Errorf("%s: %v", c.doc, err)
		}
	}
}

func TestErrorsAreShort(t *testing.T) {
	_, err := ParseV2(value(t, `"`+strings.Repeat("é", 5000)+`"`), Limits{})
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}
