package dtype

import (
	"bytes"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

const (
	utf32x5 = `{"name": "fixed_length_utf32", "configuration": {"length_bytes": 20}}`
	char3   = `{"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}}`
	raw3    = `{"name": "raw_bytes", "configuration": {"length_bytes": 3}}`
	time64  = `{"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}}`
	record  = `{"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int16"},
		{"name": "p", "data_type": {"name": "struct", "configuration": {"fields": [{"name": "x", "data_type": "float32"}]}}}]}}`
	maybe    = `{"name": "optional", "configuration": {"name": "int16"}}`
	maybe2   = `{"name": "optional", "configuration": {"name": "optional", "configuration": {"name": "uint8"}}}`
	maybeTxt = `{"name": "optional", "configuration": {"name": "string"}}`
)

// Wanted bytes are hexadecimal, "nil" for none and "error" for an error.
type fillCase struct{ typ, fill, want string }

func checkFills(t *testing.T, cases []fillCase, parse func(testing.TB, string) *Type, fill func(*Type, json.Value) ([]byte, error)) {
	t.Helper()
	for _, c := range cases {
		var v json.Value
		if c.fill != "" {
			v = value(t, c.fill)
		}
		got, err := fill(parse(t, c.typ), v)
		var e *Error
		switch {
		case c.want == "error":
			if !errors.As(err, &e) || e.Unsupported {
				t.Errorf("%s fill %s: got %x, error %v", c.typ, c.fill, got, err)
			}
		case err != nil:
			t.Errorf("%s fill %s: %v", c.typ, c.fill, err)
		case c.want == "nil":
			if got != nil {
				t.Errorf("%s fill %s: got %x, want nil", c.typ, c.fill, got)
			}
		case got == nil || hex.EncodeToString(got) != strings.ReplaceAll(c.want, " ", ""):
			t.Errorf("%s fill %s: got %x, want %s", c.typ, c.fill, got, c.want)
		}
	}
}

func TestFillV2(t *testing.T) {
	const simple = `[["a", "<i4"], ["b", ">f8"], ["c", "|S2"]]`
	const subs = `[["m", "<i2", [2, 2]], ["w", ">u4"], ["s", "<U2"]]`
	checkFills(t, []fillCase{
		{`"|b1"`, ``, "00"},
		{`"|b1"`, `null`, "00"},
		{`"|b1"`, `true`, "01"},
		{`"|b1"`, `1`, "01"},
		{`"|b1"`, `0.0`, "00"},
		{`"|b1"`, `"false"`, "00"},
		{`"|b1"`, `"true"`, "01"},
		{`"|b1"`, `[true]`, "01"},
		{`"|b1"`, `2`, "error"},
		{`"|b1"`, `"no"`, "error"},
		{`"<i4"`, `null`, "00000000"},
		{`"<i4"`, `7`, "07000000"},
		{`">i4"`, `-2147483648`, "00000080"},
		{`"<i4"`, `3.0`, "03000000"},
		{`"<i4"`, `"1"`, "01000000"},
		{`"<i4"`, `"0.0"`, "00000000"},
		{`"<i4"`, `[5]`, "05000000"},
		{`"<i4"`, `"abc"`, "error"},
		{`"<i4"`, `""`, "error"},
		{`"<i4"`, `3.5`, "error"},
		{`"<i4"`, `2147483648`, "error"},
		{`"<i4"`, `NaN`, "error"},
		{`"<i4"`, `"NaN"`, "error"},
		{`"<i4"`, `true`, "error"},
		{`"<i4"`, `{}`, "error"},
		{`"<i4"`, `[1, 2]`, "error"},
		{`"|u1"`, `-1`, "error"},
		{`"|u1"`, `255`, "ff"},
		{`"|u1"`, `256`, "error"},
		{`"|i1"`, `-128`, "80"},
		{`"|i1"`, `-129`, "error"},
		{`"<i8"`, `9223372036854775807`, "ffffffffffffff7f"},
		{`"<i8"`, `-9223372036854775808`, "0000000000000080"},
		{`"<i8"`, `9223372036854775808`, "error"},
		{`"<u8"`, `18446744073709551615`, "ffffffffffffffff"},
		{`"<u8"`, `"18446744073709551615"`, "ffffffffffffffff"},
		{`"<u8"`, `18446744073709551616`, "error"},
		{`">u8"`, `9007199254740993`, "0100000000002000"},
		{`"int4"`, `-8`, "f8"},
		{`"int4"`, `8`, "error"},
		{`"int2"`, `1`, "01"},
		{`"<f2"`, `1.5`, "003e"},
		{`"<f4"`, `0.10000000149011612`, "cdcccc3d"},
		{`">f4"`, `"NaN"`, "0000c07f"},
		{`"<f4"`, `NaN`, "0000c07f"},
		{`"<f4"`, `"nan"`, "0000c07f"},
		{`"<f4"`, `"Infinity"`, "0000807f"},
		{`"<f4"`, `"+Infinity"`, "0000807f"},
		{`"<f4"`, `"-inf"`, "000080ff"},
		{`"<f4"`, `-Infinity`, "000080ff"},
		{`"<f4"`, `"1.5"`, "0000c03f"},
		{`"<f4"`, `"0x7fc00001"`, "0100c07f"},
		{`"<f4"`, `[0.]`, "00000000"},
		{`"<f4"`, `"x"`, "error"},
		{`"<f4"`, `true`, "error"},
		{`"<f4"`, `[]`, "error"},
		{`"<f8"`, `-0.0`, "0000000000000080"},
		{`"<f8"`, `5e-324`, "0100000000000000"},
		{`"<f8"`, `1.7976931348623157e+308`, "ffffffffffffef7f"},
		{`"<f8"`, `1e999`, "000000000000f07f"},
		{`"<f8"`, `3`, "0000000000000840"},
		{`"bfloat16"`, `1`, "803f"},
		{`"float8_e4m3fn"`, `"NaN"`, "7f"},
		{`"<c8"`, `[1.0, 2.0]`, "0000803f 00000040"},
		{`"<c8"`, `1`, "0000803f 00000000"},
		{`"<c8"`, `[1]`, "0000803f 00000000"},
		{`"<c8"`, `[[1, 2]]`, "0000803f 00000040"},
		{`"<c8"`, `[1, 2, 3]`, "error"},
		{`"<c8"`, `["x", 0]`, "error"},
		{`">c16"`, `["NaN", "-Infinity"]`, "000000000000f87f 000000000000f0ff"},
		{`"|S3"`, `""`, "000000"},
		{`"|S3"`, `0`, "000000"},
		{`"|S3"`, `"YWI="`, "616200"},
		{`"|S4"`, `"/wAB"`, "ff000100"},
		{`"|S3"`, `"abc"`, "616263"},
		{`"|S1"`, `[88]`, "58"},
		{`"|S1"`, `["x"]`, "78"},
		{`"|S3"`, `"abcde"`, "error"},
		{`"|S3"`, `1`, "error"},
		{`"|S3"`, `[256]`, "error"},
		{`"|S3"`, `[1, 2, 3, 4]`, "error"},
		{`"|V3"`, `"AQID"`, "010203"},
		{`"|V3"`, `0`, "000000"},
		{`"|V3"`, `null`, "000000"},
		{`"<U4"`, `"\u00e9\ud83d\ude00"`, "e9000000 00f60100 00000000 00000000"},
		{`">U4"`, `"xyz"`, "78000000 79000000 7a000000 00000000"},
		{`"<U4"`, `0`, "00000000000000000000000000000000"},
		{`"<U1"`, `"ab"`, "error"},
		{`"<U1"`, `true`, "error"},
		{`"<U0"`, `""`, ""},
		{`"<M8[D]"`, `11356`, "5c2c000000000000"},
		{`">M8[ns]"`, `"NaT"`, "0000000000000080"},
		{`"<M8[ns]"`, `-9223372036854775808`, "0000000000000080"},
		{`"<m8[s]"`, `"x"`, "error"},
		{simple, `"BQAAAL/0AAAAAAAAeno="`, "05000000 000000000000f4bf 7a7a"},
		{simple, `["BQAAAL/0AAAAAAAAeno="]`, "05000000 000000000000f4bf 7a7a"},
		{simple, `null`, "0000000000000000000000000000"},
		{simple, `0`, "0000000000000000000000000000"},
		{simple, `[5, -1.25, "eno="]`, "05000000 000000000000f4bf 7a7a"},
		{simple, `{"a": 5, "c": null}`, "05000000 0000000000000000 0000"},
		{simple, `"BQAA"`, "error"},
		{simple, `"..."`, "error"},
		{simple, `[5, -1.25]`, "error"},
		{simple, `{"a": "x"}`, "error"},
		{simple, `1`, "error"},
		{subs, `[[[1, 2], [3, 4]], 9, "ab"]`, "0100020003000400 09000000 6100000062000000"},
		{subs, `[7, 9, "a"]`, "0700070007000700 09000000 6100000000000000"},
		{subs, `[[[1, 2]], 9, "a"]`, "error"},
		{subs, `[[[1, 2], [3, "x"]], 9, "a"]`, "error"},
		{`[["z", "<i4", [0, 2]]]`, `[3]`, ""},
		{`[["z", "<i4", [0, 2]]]`, `[[]]`, ""},
		{`"|O"`, `null`, "nil"},
		{`"|O"`, ``, "nil"},
		{`"|O"`, `0`, "30"},
		{`"|O"`, `"gone"`, hex.EncodeToString([]byte(`"gone"`))},
		{`"|O"`, `{"a": [1]}`, hex.EncodeToString([]byte(`{"a": [1]}`))},
	}, v2, (*Type).FillV2)
}

// The object codec turns an object array into one of these types, whose fills
// are still v2's.
func TestFillV2Variable(t *testing.T) {
	parse := func(tb testing.TB, doc string) *Type {
		if doc == "ragged" {
			return &Type{Kind: Ragged, Name: "ragged", Elem: v2(tb, `">i2"`)}
		}
		return v3(tb, doc)
	}
	checkFills(t, []fillCase{
		{`"string"`, `null`, ""},
		{`"string"`, `0`, ""},
		{`"string"`, `[0]`, ""},
		{`"string"`, `"0"`, "30"},
		{`"string"`, `["x"]`, "78"},
		{`"string"`, `"gone é"`, hex.EncodeToString([]byte("gone é"))},
		{`"string"`, `1`, "error"},
		{`"string"`, `{}`, "error"},
		{`"bytes"`, `null`, ""},
		{`"bytes"`, `0`, ""},
		{`"bytes"`, `""`, ""},
		{`"bytes"`, `"YWI="`, "6162"},
		{`"bytes"`, `"plain"`, hex.EncodeToString([]byte("plain"))},
		{`"bytes"`, `true`, "error"},
		{`ragged`, `null`, ""},
		{`ragged`, `0`, ""},
		{`ragged`, `""`, ""},
		{`ragged`, `[1, 258]`, "01000201"},
		{`ragged`, `[1, "x"]`, "error"},
		{`ragged`, `"x"`, "error"},
	}, parse, (*Type).FillV2)
	if z := v3(t, `"string"`).Zero(); z == nil || len(z) != 0 {
		t.Errorf("zero string %v", z)
	}
}

func TestFillV3(t *testing.T) {
	checkFills(t, []fillCase{
		{`"int32"`, ``, "error"},
		{`"int32"`, `null`, "error"},
		{`"int32"`, `"twelve"`, "error"},
		{`"int32"`, `[1]`, "error"},
		{`"int32"`, `-7`, "f9ffffff"},
		{`"int32"`, `1.0`, "01000000"},
		{`"int32"`, `"1"`, "01000000"},
		{`"int32"`, `1.5`, "error"},
		{`"int16"`, `32768`, "error"},
		{`"int64"`, `9007199254740993`, "0100000000002000"},
		{`"uint64"`, `18446744073709551615`, "ffffffffffffffff"},
		{`"int2"`, `-2`, "fe"},
		{`"int2"`, `2`, "error"},
		{`"uint2"`, `3`, "03"},
		{`"uint4"`, `15`, "0f"},
		{`"uint4"`, `16`, "error"},
		{`"bool"`, `true`, "01"},
		{`"bool"`, `"true"`, "error"},
		{`"bool"`, `null`, "error"},
		{`"float16"`, `0.5`, "0038"},
		{`"float16"`, `"NaN"`, "007e"},
		{`"float16"`, `"-Infinity"`, "00fc"},
		{`"float16"`, `"0x3c00"`, "003c"},
		{`"float16"`, `6e-8`, "0100"},
		{`"float16"`, `2049`, "0068"},
		{`"float16"`, `2051`, "0268"},
		{`"float32"`, `"0x7fc00001"`, "0100c07f"},
		{`"float32"`, `"0xFFC00000"`, "0000c0ff"},
		{`"float32"`, `"0x7fc0000"`, "error"},
		{`"float32"`, `"0x7fc0000000"`, "error"},
		{`"float32"`, `"0x7fc0000g"`, "error"},
		{`"float32"`, `"7fc00000"`, "error"},
		{`"float32"`, `"nan"`, "error"},
		{`"float32"`, `"inf"`, "error"},
		{`"float32"`, `null`, "0000c07f"},
		{`"float32"`, `NaN`, "0000c07f"},
		{`"float32"`, `0.1`, "cdcccc3d"},
		{`"float32"`, `-0.0`, "00000080"},
		{`"float64"`, `"0x7ff8000000000abc"`, "bc0a00000000f87f"},
		{`"float64"`, `"0x400921fb54442d18"`, "182d4454fb210940"},
		{`"float64"`, `"NaN"`, "000000000000f87f"},
		{`"float64"`, `1e999`, "000000000000f07f"},
		{`"bfloat16"`, `"NaN"`, "c07f"},
		{`"bfloat16"`, `"0x7fc1"`, "c17f"},
		{`"bfloat16"`, `1.00390625`, "803f"},
		{`"bfloat16"`, `1.01171875`, "823f"},
		{`"float8_e4m3"`, `"Infinity"`, "78"},
		{`"float8_e4m3"`, `"0x7D"`, "7d"},
		{`"float8_e4m3fnuz"`, `"NaN"`, "80"},
		{`"float8_e4m3fnuz"`, `"Infinity"`, "error"},
		{`"float8_e8m0fnu"`, `1`, "7f"},
		{`"float8_e8m0fnu"`, `"NaN"`, "ff"},
		{`"float8_e8m0fnu"`, `-1`, "error"},
		{`"float4_e2m1fn"`, `-6`, "0f"},
		{`"float4_e2m1fn"`, `"0xf"`, "0f"},
		{`"float4_e2m1fn"`, `"0x0f"`, "0f"},
		{`"float4_e2m1fn"`, `"0x1f"`, "error"},
		{`"float4_e2m1fn"`, `"NaN"`, "error"},
		{`"float4_e2m1fn"`, `null`, "error"},
		{`"float4_e2m1fn"`, `7.1`, "error"},
		{`"float6_e2m3fn"`, `7.5`, "1f"},
		{`"float6_e3m2fn"`, `-28`, "3f"},
		{`"complex64"`, `["0x3f800000", "Infinity"]`, "0000803f 0000807f"},
		{`"complex64"`, `[1]`, "error"},
		{`"complex64"`, `[1, 2, 3]`, "error"},
		{`"complex128"`, `["NaN", null]`, "000000000000f87f 000000000000f87f"},
		{`"complex_float8_e5m2"`, `[1, -1]`, "3cbc"},
		{`"complex_float16"`, `[1, "0x0001"]`, "003c0100"},
		{`"r24"`, `[200, 201, 255]`, "c8c9ff"},
		{`"r24"`, `"AQID"`, "010203"},
		{`"r24"`, `[200, 201]`, "error"},
		{`"r24"`, `[200, 201, 202, 203]`, "error"},
		{`"r24"`, `[200, 201, 256]`, "error"},
		{`"r24"`, `[200, 201, "1"]`, "error"},
		{`"r24"`, `0`, "error"},
		{raw3, `"AQID"`, "010203"},
		{raw3, `"AQ=="`, "error"},
		{raw3, `"..."`, "error"},
		{char3, `"AQ=="`, "010000"},
		{char3, `""`, "000000"},
		{char3, `"abc"`, "error"},
		{char3, `"AQIDBA=="`, "error"},
		{utf32x5, `"aé"`, "61000000 e9000000 00000000 00000000 00000000"},
		{utf32x5, `"abcdef"`, "error"},
		{utf32x5, `0`, "error"},
		{time64, `"NaT"`, "0000000000000080"},
		{time64, `-9223372036854775808`, "0000000000000080"},
		{time64, `7`, "0700000000000000"},
		{time64, `"NaN"`, "error"},
		{time64, `null`, "error"},
		{`"string"`, `"gone é"`, hex.EncodeToString([]byte("gone é"))},
		{`"string"`, `""`, ""},
		{`"string"`, `null`, ""},
		{`"string"`, `0`, ""},
		{`"string"`, `["x"]`, "error"},
		{`"string"`, ``, "error"},
		{`"bytes"`, `""`, ""},
		{`"bytes"`, `[1, 2]`, "0102"},
		{`"bytes"`, `"YWI="`, "6162"},
		{`"bytes"`, `"plain"`, "error"},
		{`"bytes"`, `[300]`, "error"},
		{record, `{"p": {"x": 1}, "a": 2, "z": 0}`, "0200 0000803f"},
		{record, `"AgAAAIA/"`, "02000000803f"},
		{record, `{"a": 2}`, "error"},
		{record, `{"a": 2, "p": {"x": "y"}}`, "error"},
		{record, `[2, {"x": 1}]`, "error"},
		{record, `0`, "error"},
		{maybe, `null`, "000000"},
		{maybe, `[5]`, "010500"},
		{maybe, `5`, "error"},
		{maybe, `[]`, "error"},
		{maybe, `["x"]`, "error"},
		{maybe2, `[null]`, "010000"},
		{maybe2, `[[7]]`, "010107"},
		{maybeTxt, `null`, "nil"},
		{maybeTxt, `[""]`, ""},
		{maybeTxt, `["a"]`, "61"},
		{maybeTxt, `"a"`, "error"},
	}, v3, (*Type).FillV3)
}

func TestFillErrorNamesTheField(t *testing.T) {
	_, err := v3(t, record).FillV3(value(t, `{"a": 2, "p": {"x": "y"}}`))
	if err == nil || !strings.Contains(err.Error(), `field p: field x: fill value "y"`) {
		t.Errorf("got %v", err)
	}
}

func TestFillDoesNotAliasTheDocument(t *testing.T) {
	doc := []byte(`{"a":1}`)
	v := must.Get(json.Parse(doc, json.Limits{}))(t)
	got := must.Get(v2(t, `"|O"`).FillV2(v))(t)
	got[0] = 'x'
	if !bytes.Equal(doc, []byte(`{"a":1}`)) {
		t.Error("the document changed")
	}
}

func FuzzTypes(f *testing.F) {
	for _, seed := range []string{
		`["<i4", 7]`, `["<M8[25s]", "NaT"]`, `["|S3", "YWI="]`, `["<U4", "é"]`, `[[["a", "<i2", [2, 3]], ["b", ">f8"]], [1, 2]]`,
		`["float32", "0x7fc00001"]`, `["r24", [1, 2, 3]]`, `["complex_float16", [1, "NaN"]]`,
		`[` + record + `, {"a": 1, "p": {"x": 2}}]`, `[` + maybe2 + `, [[7]]]`, `[` + time64 + `, 3]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, err := json.Parse(doc, json.Limits{Bytes: 1 << 16})
		if err != nil || v.Len() != 2 || v.Kind() != json.Array {
			return
		}
		lim := Limits{ItemBytes: 1 << 12}
		for i, parse := range []func(json.Value, Limits) (*Type, error){ParseV2, ParseV3} {
			typ, err := parse(v.Items()[0], lim)
			if err != nil {
				if _, ok := err.(*Error); !ok {
					t.Fatalf("error of another type: %v", err)
				}
				continue
			}
			if typ.Size < 0 || int64(typ.Size) > lim.ItemBytes || typ.Variable() && typ.Size != 0 {
				t.Fatalf("size %d", typ.Size)
			}
			if _, err := ParseV2(value(t, quoted(typ.V2String())), lim); i == 0 && err != nil {
				t.Fatalf("V2String %s: %v", typ.V2String(), err)
			}
			_ = typ.JSName()
			fills := []func(json.Value) ([]byte, error){typ.FillV2, typ.FillV3}
			for _, fill := range fills {
				b, err := fill(v.Items()[1])
				if err == nil && !typ.Variable() && len(b) != typ.Size {
					t.Fatalf("fill of %d bytes, size %d", len(b), typ.Size)
				}
			}
			checkSwaps(t, typ)
		}
	})
}

// quoted makes a JSON text of a typestring; that of a struct is one already.
func quoted(s string) string {
	if strings.HasPrefix(s, "[") {
		return s
	}
	return string(json.AppendString(nil, s))
}

// TestFillThatIsALongList refuses lists where a number is meant, without values of their items;
// NCZarr's list of one is a number.
func TestFillThatIsALongList(t *testing.T) {
	long := must.Get(json.Parse([]byte("["+strings.Repeat("1,", 1<<18)+"1]"), json.Limits{}))(t)
	for _, name := range []string{`"bool"`, `"uint8"`, `"int64"`, `"float32"`, `"complex64"`, `"r16"`, `"string"`, utf32x5, char3, raw3, time64, record, maybe, maybe2} {
		typ := v3(t, name)
		for _, fill := range []func(*Type, json.Value) ([]byte, error){(*Type).FillV2, (*Type).FillV3} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := fill(typ, long)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 4<<20 {
				t.Errorf("%s: %v, with %d MiB", name, err, took>>20)
			}
		}
	}
}
