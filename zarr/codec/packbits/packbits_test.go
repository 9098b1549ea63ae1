package packbits

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

func array(t testing.TB, name string, n int) codec.Array {
	t.Helper()
	return codec.Array{Shape: []int{n}, Type: codectest.Type(t, name)}
}

func newCodec(t testing.TB, config string) (codec.ArrayToBytes, error) {
	t.Helper()
	return codectest.As[codec.ArrayToBytes](build(codectest.JSON(t, config), codec.Build{Format: 3}))
}

func run(t testing.TB, config string, a codec.Array, src []byte) ([]byte, error) {
	t.Helper()
	c, err := newCodec(t, config)
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, c.Check(a))
	dst, err := codectest.DecodeArray(c, a, src)
	return dst.Data, err
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		config, typ string
		src, want   []byte
	}{
		{"{}", "bool", []byte{0xaa, 0x01}, []byte{0, 1, 0, 1, 0, 1, 0, 1, 1}},
		{"{}", "int4", []byte{0x98}, []byte{0xf8, 0xf9}},
		{"{}", "uint4", []byte{0x98, 0x07}, []byte{8, 9, 7}},
		{"{}", "int2", []byte{0b11100100}, []byte{0, 1, 0xfe, 0xff}},
		{"{}", "uint2", []byte{0b11100100}, []byte{0, 1, 2, 3}},
		{"{}", "float6_e2m3fn", []byte{0b01_000001, 0b0010_0000, 0b000011_00}, []byte{1, 1, 2, 3}},
		{"{}", "complex_float4_e2m1fn", []byte{0x21, 0x43}, []byte{1, 2, 3, 4}},
		{"{}", "uint16", []byte{1, 2, 3, 4}, []byte{1, 2, 3, 4}},
		{"{}", "float64", []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{1, 2, 3, 4, 5, 6, 7, 8}},
		{`{"first_bit":null,"last_bit":11}`, "uint16", []byte{0xbc, 0x1a, 0xef}, []byte{0xbc, 0x0a, 0xf1, 0x0e}},
		{`{"first_bit":0,"last_bit":11}`, "int16", []byte{0xbc, 0x1a, 0x0f}, []byte{0xbc, 0xfa, 0xf1, 0x00}},
		{`{"first_bit":4}`, "uint8", []byte{0x21}, []byte{0x10, 0x20}},
		{`{"first_bit":4,"last_bit":6}`, "int8", []byte{0b101_011}, []byte{0x30, 0xd0}},
		{`{"last_bit":62}`, "uint64", []byte{255, 255, 255, 255, 255, 255, 255, 127}, []byte{255, 255, 255, 255, 255, 255, 255, 127}},
		{`{"first_bit":1}`, "uint64", bytes.Repeat([]byte{255}, 16)[:8], append([]byte{254}, bytes.Repeat([]byte{255}, 7)...)},
		{`{"padding_encoding":"none"}`, "bool", []byte{0x05}, []byte{1, 0, 1}},
		{`{"padding_encoding":"first_byte"}`, "bool", []byte{5, 0x05}, []byte{1, 0, 1}},
		{`{"padding_encoding":"last_byte"}`, "bool", []byte{0x05, 5}, []byte{1, 0, 1}},
		{`{"padding_encoding":"first_byte"}`, "bool", []byte{0}, []byte{}},
	} {
		a := array(t, c.typ, 1)
		a.Shape = []int{len(c.want) / a.Type.Size}
		if c.config == `{"last_bit":62}` || c.config == `{"first_bit":1}` {
			c.src[7] &= 0x7f
		}
		got, err := run(t, c.config, a, c.src)
		if err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s %s: %x, %v, want %x", c.typ, c.config, got, err, c.want)
		}
	}
}

func TestAllBits(t *testing.T) {
	// 64 bits that begin anywhere in a byte.
	src := []byte{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0x0f, 0xf0}
	for at := range 8 {
		var want uint64
		for i := range 64 {
			bit := uint64(src[(at+i)/8] >> ((at + i) % 8) & 1)
			want |= bit << i
		}
		if got := bits(src, at, 64); got != want {
			t.Errorf("bits from %d on: %x, want %x", at, got, want)
		}
	}
}

func TestWrong(t *testing.T) {
	for _, c := range []struct {
		config string
		n      int
		src    []byte
		want   error
	}{
		{"{}", 9, []byte{1}, codec.ErrTruncated},
		{"{}", 8, []byte{1, 2}, codec.ErrCorrupt},
		{`{"padding_encoding":"first_byte"}`, 3, nil, codec.ErrTruncated},
		{`{"padding_encoding":"first_byte"}`, 3, []byte{5}, codec.ErrTruncated},
		{`{"padding_encoding":"first_byte"}`, 3, []byte{4, 1}, codec.ErrCorrupt},
		{`{"padding_encoding":"last_byte"}`, 3, []byte{5, 1}, codec.ErrCorrupt},
	} {
		if _, err := run(t, c.config, array(t, "bool", c.n), c.src); !errors.Is(err, c.want) {
			t.Errorf("%s %x: %v, want %v", c.config, c.src, err, c.want)
		}
	}
	for _, config := range []string{`{"padding_encoding":"both"}`, `{"padding_encoding":1}`, `{"first_bit":-1}`, `{"last_bit":64}`, `{"last_bit":"x"}`} {
		if _, err := newCodec(t, config); err == nil {
			t.Errorf("%s: no error", config)
		}
	}
	for _, c := range []struct{ config, typ string }{
		{"{}", "string"}, {"{}", "r16"}, {`{"last_bit":8}`, "uint8"}, {`{"first_bit":3,"last_bit":2}`, "uint8"}, {`{"first_bit":1}`, "bool"}, {`{"last_bit":4}`, "int4"},
	} {
		codec := must.Get(newCodec(t, c.config))(t)
		if codec.Check(array(t, c.typ, 1)) == nil {
			t.Errorf("%s %s: no error", c.typ, c.config)
		}
	}
}

func TestEncodedSize(t *testing.T) {
	for _, c := range []struct {
		config, typ string
		n           int
		want        int64
	}{
		{"{}", "bool", 9, 2}, {"{}", "bool", 0, 0}, {"{}", "int4", 3, 2}, {"{}", "complex64", 3, 24},
		{`{"last_bit":2}`, "complex64", 3, 3}, {`{"padding_encoding":"last_byte"}`, "bool", 8, 2},
	} {
		p := must.Get(newCodec(t, c.config))(t)
		if got := p.EncodedSize(array(t, c.typ, c.n)); got != (codec.Size{N: c.want, Exact: true}) {
			t.Errorf("%d %s %s: %v, want %d", c.n, c.typ, c.config, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0xaa, 1}, "bool", 9, 0, 0)
	f.Add([]byte{0x98}, "int4", 2, 0, 3)
	f.Add([]byte{0xbc, 0x1a, 0x0f}, "int16", 2, 0, 11)
	f.Add([]byte{1, 2, 3}, "complex64", 1, 5, 20)
	f.Fuzz(func(t *testing.T, src []byte, typ string, n, first, last int) {
		parsed, err := dtype.ParseV3(json.Text(typ), dtype.Limits{})
		if err != nil || n < 0 || n > 1000 || parsed.Size > 1000 || first < 0 || last < 0 || last > 63 {
			return
		}
		p := packbits{first: first, last: last}
		a := codec.Array{Shape: []int{n}, Type: parsed}
		if p.Check(a) != nil {
			return
		}
		dst := ndarray.New(a.Shape, parsed.Size, false)
		err = p.Decode(nil, a, dst, src)
		if (err == nil) != (int64(len(src)) == p.EncodedSize(a).N) {
			t.Errorf("%d bytes of %v: %v", len(src), p.EncodedSize(a), err)
		}
	})
}
