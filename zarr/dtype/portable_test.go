package dtype

import "testing"

// TestPortableFill has fill values that every reader takes for the same bytes, and some that
// readers disagree on.
func TestPortableFill(t *testing.T) {
	objects := map[string]*Type{
		"text": {Kind: String, Name: "string"}, "bytes": {Kind: Bytes, Name: "bytes"}, "object": {Kind: Object, Name: "O"},
	}
	for _, c := range []struct {
		format  int
		dtype   string
		agreed  []string
		unclear []string
	}{
		{2, `"|b1"`, []string{"false", "true"}, []string{"0", `"true"`}},
		{3, `"bool"`, []string{"true"}, []string{"1"}},
		{2, `"<i2"`, []string{"0", "-7", "7.0"}, []string{`"7"`, "[7]"}},
		{3, `"int8"`, []string{"-128"}, []string{`"1"`}},
		{3, `"int64"`, []string{"0", "9007199254740992", "-9223372036854775808"}, []string{"9007199254740993", "9223372036854775807"}},
		{3, `"uint64"`, []string{"9223372036854775808"}, []string{"18446744073709551615"}},
		{2, `"<M8[s]"`, []string{"0", "-9223372036854775808"}, []string{`"NaT"`}},
		{2, `"<f4"`, []string{"0", "0.0", "0.1", "-0.0", `"NaN"`, `"Infinity"`}, []string{"-0", "NaN", `"nan"`, `"inf"`, `"1"`}},
		{3, `"float32"`, []string{"0", `"NaN"`, `"0x7fc00001"`}, []string{"null", `"0x00000000"`}},
		{2, `"<c8"`, []string{"[0.0, 0]", "[1.5,-2]"}, []string{`["NaN",0.0]`, "[-0.0,0.0]", "[0.0,-0.0]", "0"}},
		{2, `"|S3"`, []string{`""`}, []string{`"YQ=="`, "0"}},
		{3, `{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}`, []string{`"YQ=="`}, nil},
		{2, `"<U2"`, []string{`""`, `"é"`, `"\u00e9"`}, []string{`"😀"`, "0"}},
		{2, `"|V2"`, []string{`"AAA="`}, []string{`"AA=="`, "0"}},
		{2, `[["a","<i2"],["b",">f4"]]`, []string{`"AQA/gAAA"`}, []string{"0", "[0,0]"}},
		{2, "text", []string{`""`, `"fill"`}, []string{"0"}},
		{2, "bytes", nil, []string{`""`, "0", `"YQ=="`}},
		{3, "bytes", []string{`""`, `"YQ=="`}, []string{"[97]"}},
		{2, "object", nil, []string{"0", `""`}},
	} {
		a := objects[c.dtype]
		if a == nil {
			parse := ParseV2
			if c.format == 3 {
				parse = ParseV3
			}
			var err error
			if a, err = parse(value(t, c.dtype), Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		for i, text := range append(c.agreed, c.unclear...) {
			v, read := value(t, text), a.FillV2
			if c.format == 3 {
				read = a.FillV3
			}
			fill, err := read(v)
			if err != nil {
				t.Errorf("%s %s: %v", c.dtype, text, err)
			} else if got := a.PortableFill(v, fill, c.format == 3); got != (i < len(c.agreed)) {
				t.Errorf("version %d, %s, fill value %s: %v", c.format, c.dtype, text, got)
			}
		}
	}
}
