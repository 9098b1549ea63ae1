package bytes

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func v2(t testing.TB, typestring string) *dtype.Type {
	t.Helper()
	return must.Get(dtype.ParseV2(codectest.JSON(t, typestring), dtype.Limits{}))(t)
}

func v3(t testing.TB, name string) *dtype.Type {
	t.Helper()
	return must.Get(dtype.ParseV3(codectest.JSON(t, name), dtype.Limits{}))(t)
}

func makeCodec(t testing.TB, format int, config string) codec.ArrayToBytes {
	t.Helper()
	var v json.Value
	if config != "" {
		var err error
		if v, err = json.Parse([]byte(config), json.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	return must.Get(Codec().New(v, codec.Build{Format: format}))(t).(codec.ArrayToBytes)
}

const (
	little = `{"endian":"little"}`
	big    = `{"endian":"big"}`
)

func TestDecode(t *testing.T) {
	fields := `[["a","|b1"],["b",">u2"],["c","<u2"]]`
	for _, test := range []struct {
		name      string
		format    int
		config    string
		typ       *dtype.Type
		src, want []byte
		raw       int // the width of big-endian scalars, -1 where the elements are not raw
	}{
		{"little", 3, little, v3(t, `"uint16"`), []byte{1, 2, 3, 4}, []byte{1, 2, 3, 4}, 0},
		{"big", 3, big, v3(t, `"uint16"`), []byte{1, 2, 3, 4}, []byte{2, 1, 4, 3}, 2},
		{"big complex", 3, big, v3(t, `"complex64"`), []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{4, 3, 2, 1, 8, 7, 6, 5}, 4},
		{"big of single bytes", 3, big, v3(t, `"int8"`), []byte{1, 2}, []byte{1, 2}, 0},
		{"no endian, single bytes", 3, "", v3(t, `"uint8"`), []byte{1, 2}, []byte{1, 2}, 0},
		{"no endian, raw", 3, `{}`, v3(t, `"r16"`), []byte{1, 2}, []byte{1, 2}, 0},
		{"bool", 3, "", v3(t, `"bool"`), []byte{0, 1, 2, 255}, []byte{0, 1, 1, 1}, -1},
		{"int4", 3, "", v3(t, `"int4"`), []byte{0x17, 0x2f, 0xf8}, []byte{0x07, 0xff, 0xf8}, -1},
		{"v2 big", 2, "", v2(t, `">i4"`), []byte{0, 0, 0, 1}, []byte{1, 0, 0, 0}, 4},
		{"v2 little", 2, "", v2(t, `"<i4"`), []byte{1, 0, 0, 0}, []byte{1, 0, 0, 0}, 0},
		{"v2 big text", 2, "", v2(t, `">U1"`), []byte{0, 0, 0, 65}, []byte{65, 0, 0, 0}, 4},
		{"v2 fields", 2, "", v2(t, fields), []byte{7, 0, 1, 1, 0}, []byte{1, 1, 0, 1, 0}, -1},
		{"empty elements", 2, "", v2(t, `"|S0"`), nil, nil, 0},
	} {
		c := makeCodec(t, test.format, test.config)
		a := codec.Array{Shape: []int{1}, Type: test.typ}
		if test.typ.Size > 0 {
			a.Shape[0] = len(test.src) / test.typ.Size
		}
		if err := c.Check(a); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if size := c.EncodedSize(a); size != (codec.Size{N: int64(len(test.src)), Exact: true}) {
			t.Errorf("%s: size %v", test.name, size)
		}
		swap, raw := c.(codec.RawSerializer).Raw(a)
		if raw != (test.raw >= 0) || raw && swap != test.raw {
			t.Errorf("%s: Raw returns %d, %v", test.name, swap, raw)
		}
		dst := ndarray.Block{Shape: a.Shape, Size: test.typ.Size, Data: make([]byte, len(test.src))}
		src := bytes.Clone(test.src)
		if err := c.Decode(nil, a, dst, src); err != nil || !bytes.Equal(dst.Data, test.want) {
			t.Errorf("%s: %v %v", test.name, dst.Data, err)
		}
		if !bytes.Equal(src, test.src) {
			t.Errorf("%s: the source was changed", test.name)
		}
		if err := c.Decode(nil, a, dst, append(src, 0)); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s, a byte more: %v", test.name, err)
		}
		if len(src) > 0 {
			if err := c.Decode(nil, a, dst, src[1:]); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("%s, a byte less: %v", test.name, err)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		format int
		config string
		typ    *dtype.Type
		ok     bool
	}{
		{"no endian", 3, "", v3(t, `"int32"`), false},
		{"no endian, null", 3, `{"endian":null}`, v3(t, `"int32"`), false},
		{"no endian, datetime", 3, `{}`, v3(t, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`), false},
		{"no endian, struct", 3, `{}`, &dtype.Type{Kind: dtype.Struct, Name: "struct", Size: 2, Fields: []dtype.Field{{Name: "a", Type: v3(t, `"int16"`)}}}, true},
		{"string", 3, little, v3(t, `"string"`), false},
		{"optional", 3, little, &dtype.Type{Kind: dtype.Optional, Name: "optional", Size: 3, Elem: v3(t, `"int16"`)}, false},
		{"v2 without endian", 2, "", v2(t, `">i4"`), true},
	} {
		err := makeCodec(t, test.format, test.config).Check(codec.Array{Shape: []int{1}, Type: test.typ})
		var config *codec.ConfigError
		if (err == nil) != test.ok || err != nil && !errors.As(err, &config) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for _, bad := range []string{`{"endian":"middle"}`, `{"endian":1}`} {
		v := codectest.JSON(t, bad)
		if _, err := Codec().New(v, codec.Build{Format: 3}); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	types := []*dtype.Type{v3(f, `"bool"`), v3(f, `"int4"`), v3(f, `"uint16"`), v3(f, `"complex128"`), v2(f, `[["a","|b1"],["b",">u2"]]`)}
	f.Add([]byte{0, 1, 2, 3, 4, 5}, 0, 2, true)
	f.Add([]byte{0, 1, 2, 3, 4, 5}, 2, 3, false)
	f.Add([]byte{0, 1, 2, 3, 4, 5}, 4, 2, false)
	f.Fuzz(func(t *testing.T, src []byte, kind, n int, isBig bool) {
		ty := types[kind&0xff%len(types)]
		a := codec.Array{Shape: []int{n & 0xff}, Type: ty}
		c := serializer{order: dtype.Little}
		if isBig {
			c.order = dtype.Big
		}
		dst := ndarray.Block{Shape: a.Shape, Size: ty.Size, Data: make([]byte, a.Bytes())}
		if err := c.Decode(nil, a, dst, src); (err == nil) != (len(src) == a.Bytes()) {
			t.Fatal(err)
		}
	})
}
