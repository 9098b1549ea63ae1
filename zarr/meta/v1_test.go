package meta

import "testing"

func TestV1(t *testing.T) {
	for _, c := range []struct{ order, compression, opts, chain string }{
		{"C", `"zlib"`, `1`, `bytes zlib{"level":1}`},
		{"C", `"bz2"`, `9`, `bytes bz2{"level":9}`},
		{"C", `"lzma"`, `1`, `bytes lzma{"preset":1}`},
		{"C", `"lzma"`, `{"check":0,"filters":null,"format":1,"preset":1}`, `bytes lzma{"check":0,"filters":null,"format":1,"preset":1}`},
		{"F", `"blosc"`, `{"clevel":5,"cname":"lz4","shuffle":1}`, `transpose{"order":[1,0]} bytes blosc{"clevel":5,"cname":"lz4","shuffle":1}`},
		{"C", `"none"`, `null`, `bytes`},
		{"C", `null`, `null`, `bytes`},
		{"C", `"zlib"`, `null`, `bytes zlib`},
	} {
		n := mustParse(t, "meta", `{"zarr_format":1,"shape":[10,9],"chunks":[4,5],"dtype":">i2","fill_value":null,
			"order":"`+c.order+`","compression":`+c.compression+`,"compression_opts":`+c.opts+`}`, "attrs", `{"a":1}`)
		a := n.Array
		if got := chain(a); got != c.chain {
			t.Errorf("%s: chain %s, want %s", c.compression, got, c.chain)
		}
		if n.Format != 1 || a.Order != c.order || a.FillDefined || string(a.Fill) != "\x00\x00" ||
			a.Keys.Key([]int64{1, 2}) != "1.2" || string(n.Attributes.Raw()) != `{"a":1}` {
			t.Errorf("%+v", a)
		}
	}
}

func TestV1Errors(t *testing.T) {
	for _, c := range []struct{ members, field string }{
		{`"zarr_format":2`, "zarr_format"},
		{`"zarr_format":1`, "shape"},
		{`"zarr_format":1,"compression":1`, "compression"},
		{`"zarr_format":1,"compression":"zlib","compression_opts":"x"`, "compression_opts"},
	} {
		_, err := Parse(docs("meta", "{"+c.members+"}"), Options{})
		wantError(t, err, "meta", c.field, false)
	}
}
