package dtype

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// v2Types and v3Types are types as their versions name them.
var v2Types = []string{
	`"|b1"`, `"|i1"`, `"<i2"`, `">i4"`, `"<i8"`, `"|u1"`, `">u2"`, `"<u4"`, `">u8"`, `"<f2"`, `">f4"`, `"<f8"`, `"<c8"`, `">c16"`, `"|S5"`, `"|S0"`, `"<U3"`, `">U2"`,
	`"|V4"`, `"<M8[ns]"`, `">m8[25s]"`, `"<M8"`, `"bfloat16"`, `"float8_e5m2"`, `"int4"`,
	`[["a", "<i4"], ["b", ">f8"], ["c", "|S2"]]`, `[["m", "<i2", [2, 3]], ["p", [["x", ">f4"], ["y\"é", "|b1"]]], ["u", "<U2"]]`,
}

var v3Types = []string{
	`"bool"`, `"int2"`, `"int4"`, `"int8"`, `"int16"`, `"int32"`, `"int64"`, `"uint2"`, `"uint4"`, `"uint8"`, `"uint16"`, `"uint32"`, `"uint64"`,
	`"float16"`, `"float32"`, `"float64"`, `"bfloat16"`, `"float4_e2m1fn"`, `"float6_e2m3fn"`, `"float6_e3m2fn"`, `"float8_e3m4"`, `"float8_e4m3"`,
	`"float8_e4m3b11fnuz"`, `"float8_e4m3fn"`, `"float8_e4m3fnuz"`, `"float8_e5m2"`, `"float8_e5m2fnuz"`, `"float8_e8m0fnu"`, `"complex64"`,
	`"complex128"`, `"complex_bfloat16"`, `"r24"`,
	`{"name":"raw_bytes","configuration":{"length_bytes":5}}`, `{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}`,
	`{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}`, `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":10}}`,
	`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"float32"},{"name":"b","data_type":{"name":"struct","configuration":{"fields":[` +
		`{"name":"x","data_type":"complex64"},{"name":"y","data_type":{"name":"null_terminated_bytes","configuration":{"length_bytes":2}}}]}}}]}}`,
	`{"name":"zarrs.optional","configuration":{"name":"float16","configuration":{}}}`,
	`{"name":"zarrs.optional","configuration":{"name":"zarrs.optional","configuration":{"name":"uint8","configuration":{}}}}`,
}

// TestTypesWritten writes types: what is written says what was read.
func TestTypesWritten(t *testing.T) {
	check := func(text string, read func(json.Value, Limits) (*Type, error), write func(*Type, []byte) ([]byte, error)) *Type {
		a, err := read(value(t, text), Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := write(a, nil)
		if err != nil || string(got) != text && string(json.AppendLaidOut(nil, got, json.Layout{})) != string(json.AppendLaidOut(nil, []byte(text), json.Layout{})) {
			t.Errorf("%s is written as %s, %v", text, got, err)
		}
		return a
	}
	for _, text := range v2Types {
		a := check(text, ParseV2, (*Type).AppendV2)
		if b := a.WithOrder(Big).WithOrder(Little); b.Size != a.Size || b.HasOrder() != a.HasOrder() {
			t.Errorf("%s with another order is %+v", text, b)
		}
	}
	for _, text := range v3Types {
		check(text, ParseV3, (*Type).AppendV3)
	}
	for _, text := range []string{`{"name":"optional","configuration":{"name":"int8"}}`} {
		a := must.Get(ParseV3(value(t, text), Limits{}))(t)
		var e *Error
		if b, err := a.AppendV2(nil); !errors.As(err, &e) || !e.Unsupported {
			t.Errorf("%s in version 2: %s, %v", text, b, err)
		}
	}
	if b, err := (&Type{Kind: Object, Name: "O"}).AppendV3(nil); err == nil {
		t.Errorf("objects in version 3: %s", b)
	}
}

// TestFillsWritten writes elements of random bits as fill values, and reads them: every bit is
// there. Only what the version cannot say is an error.
func TestFillsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 2))
	try := func(a *Type, fill []byte, v3 bool) {
		write, read := (*Type).AppendFillV2, (*Type).FillV2
		if v3 {
			write, read = (*Type).AppendFillV3, (*Type).FillV3
		}
		text, err := write(a, nil, fill)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || v3 && e.Unsupported {
				t.Errorf("%s, % x: %v", a.Name, fill, err)
			}
			return
		}
		got, err := read(a, value(t, string(text)))
		if err != nil || !bytes.Equal(got, fill) || (got == nil) != (fill == nil) {
			t.Errorf("%s: % x is written as %s and read as % x, %v", a.Name, fill, text, got, err)
		}
	}
	for i, text := range append(v2Types, v3Types...) {
		v3 := i >= len(v2Types)
		read := ParseV2
		if v3 {
			read = ParseV3
		}
		a := must.Get(read(value(t, text), Limits{}))(t)
		try(a, a.Zero(), v3)
		for n := range 1000 {
			fill := make([]byte, a.Size)
			for j := range fill {
				if fill[j] = byte(r.Uint32()); n%3 == 1 {
					fill[j] = []byte{0, 0xff, 0x7f, 0x80, 0x7c, 0xfc, 1, 'a', 0xc0, 0xf0, 0xf8}[r.IntN(11)]
				}
			}
			a.Normalize(fill)
			if a.Bits != 0 {
				fill[0] &= 1<<a.Bits - 1
				a.Normalize(fill)
			}
			try(a, fill, v3)
		}
	}
	// All values of each type of up to 16 bits.
	for _, text := range v3Types {
		a, err := ParseV3(value(t, text), Limits{})
		if err != nil || a.Kind != Float && a.Kind != MiniFloat || a.Size > 2 {
			continue
		}
		for code := range 1 << (8 * a.Size) {
			if a.Bits == 0 || code < 1<<a.Bits {
				try(a, []byte{byte(code), byte(code >> 8)}[:a.Size], true)
			}
		}
	}
	for _, c := range []struct {
		name string
		fill []byte
		want string
	}{
		{"string", []byte("é\"\n"), "\"é\\\"\\u000a\""}, {"string", []byte{}, `""`}, {"bytes", []byte{1, 2}, `"AQI="`},
		{"float64", binary64(math.Copysign(0, -1)), "-0.0"}, {"float64", binary64(1e16), "1e+16"}, {"float64", binary64(1e22), "1e+22"},
		{"float64", binary64(123456789012345.6), "123456789012345.6"}, {"float64", binary64(1e-5), "1e-05"}, {"float64", binary64(0.0001), "0.0001"},
		{"float64", binary64(3), "3.0"}, {"float64", binary64(math.NaN()), `"0x7ff8000000000001"`}, {"int64", []byte{1, 0, 0, 0, 0, 0, 0x20, 0}, "9007199254740993"},
	} {
		a := plain(c.name, None)
		got, err := a.AppendFillV3(nil, c.fill)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: % x is written as %s, %v; want %s", c.name, c.fill, got, err, c.want)
		}
		try(a, c.fill, true)
	}
	for _, bad := range []struct {
		t    *Type
		fill []byte
	}{{plain("string", None), []byte{0xff}}, {plain("int16", None), []byte{1}}, {&Type{Kind: Unicode, Name: "U1", Size: 4}, []byte{0, 0xd8, 0, 0}}} {
		if text, err := bad.t.AppendFillV3(nil, bad.fill); err == nil {
			t.Errorf("%s: % x is written as %s", bad.t.Name, bad.fill, text)
		}
	}
}

func binary64(x float64) []byte {
	b := make([]byte, 8)
	_ = putUint(b, math.Float64bits(x))
	return b
}
