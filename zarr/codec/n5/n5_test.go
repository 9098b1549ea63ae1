package n5

import (
	"bytes"
	stdzlib "compress/zlib"
	"context"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	plain "github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/transpose"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func newCodec(t testing.TB, config string, a codec.Array) (codec.ArrayToBytes, error) {
	return newNamed(t, &n5{name: "n5_default"}, config, a)
}

func newNamed(t testing.TB, kind *n5, config string, a codec.Array) (codec.ArrayToBytes, error) {
	t.Helper()
	v := codectest.JSON(t, config)
	r := codec.NewRegistry(plain.Codec(), transpose.Codec())
	r.Add(inflate.Codecs()...)
	r.Add(Codecs()...)
	return codectest.As[codec.ArrayToBytes](build(kind, v, codec.Build{Format: 3, Array: a, Registry: r, Limits: codec.Limits{}.WithDefaults()}))
}

// array is a chunk of uint16 that is filled with 0x0909.
func array(shape ...int) codec.Array {
	return codec.Array{Shape: shape, Type: &dtype.Type{Kind: dtype.Uint, Name: "uint16", Size: 2}, Fill: []byte{9, 9}}
}

func chain(more string) string {
	return `{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}` + more + `]}`
}

func run(c codec.ArrayToBytes, a codec.Array, src []byte) ([]byte, error) {
	dst, err := codectest.DecodeArray(c, a, src)
	return dst.Data, err
}

// block is a block of elements 1, 2, 3 ... in N5's order: the first dimension is the fastest one.
func block(mode byte, dims ...uint32) (header, data []byte) {
	header = []byte{0, mode, 0, byte(len(dims))}
	n := 1
	for _, d := range dims {
		header = append(header, byte(d>>24), byte(d>>16), byte(d>>8), byte(d))
		n *= int(d)
	}
	for i := range min(n, 1000) {
		data = append(data, byte((i+1)>>8), byte(i+1))
	}
	return header, data
}

func whole(mode byte, dims ...uint32) []byte {
	header, data := block(mode, dims...)
	return append(header, data...)
}

func TestDecode(t *testing.T) {
	const fill = 0x0909
	for _, c := range []struct {
		name string
		src  []byte
		want []uint16 // of a chunk of 2 by 3
	}{
		{"the chunk's shape", whole(0, 2, 3), []uint16{1, 3, 5, 2, 4, 6}},
		{"cut", whole(0, 1, 2), []uint16{1, 2, fill, fill, fill, fill}},
		{"cut in one dimension", whole(0, 2, 2), []uint16{1, 3, fill, 2, 4, fill}},
		{"padded", whole(0, 3, 4), []uint16{1, 4, 7, 2, 5, 8}},
		{"padded and cut", whole(0, 3, 1), []uint16{1, fill, fill, 2, fill, fill}},
		{"empty", whole(0, 0, 3), []uint16{fill, fill, fill, fill, fill, fill}},
	} {
		a := array(2, 3)
		n5 := must.Get(newCodec(t, chain(""), a))(t)
		got, err := run(n5, a, c.src)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, w := range c.want {
			if g := uint16(got[2*i]) | uint16(got[2*i+1])<<8; g != w {
				t.Errorf("%s: element %d is %d, want %d", c.name, i, g, w)
			}
		}
	}
}

func TestCompressed(t *testing.T) {
	a := array(2, 3)
	c := must.Get(newCodec(t, chain(`,"zlib"`), a))(t)
	header, data := block(0, 2, 2)
	var buf bytes.Buffer
	w := stdzlib.NewWriter(&buf)
	_, _ = w.Write(data)
	_ = w.Close()
	got, err := run(c, a, append(header, buf.Bytes()...))
	if err != nil || !bytes.Equal(got, []byte{1, 0, 3, 0, 9, 9, 2, 0, 4, 0, 9, 9}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestWrong(t *testing.T) {
	a := array(2, 3)
	c := must.Get(newCodec(t, chain(""), a))(t)
	full := whole(0, 2, 3)
	for _, test := range []struct {
		name string
		src  []byte
		want error
	}{
		{"nothing", nil, codec.ErrTruncated},
		{"half of a header", full[:11], codec.ErrTruncated},
		{"no elements", full[:12], codec.ErrTruncated},
		{"an element is missing", full[:len(full)-2], codec.ErrTruncated},
		{"an element too many", append(full[:len(full):len(full)], 0, 0), codec.ErrCorrupt},
		{"three dimensions", append(whole(0, 2, 3, 1), 0, 0, 0, 0), codec.ErrCorrupt},
		{"mode 3", whole(3, 2, 3), codec.ErrCorrupt},
		{"a huge block", whole(0, 1<<20, 1<<20), codec.ErrCorrupt},
		{"a block of 2^64 bytes and more", whole(0, 1<<32-1, 1<<32-1), codec.ErrCorrupt},
	} {
		if _, err := run(c, a, test.src); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	var feature *codec.UnsupportedError
	for _, mode := range []byte{1, 2} {
		if _, err := run(c, a, whole(mode, 2, 3)); !errors.As(err, &feature) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	for _, config := range []string{"{}", `{"codecs":[]}`, `{"codecs":["zlib"]}`} {
		if _, err := newCodec(t, config, a); err == nil {
			t.Errorf("%s: no error", config)
		}
	}
	a.Type = &dtype.Type{Kind: dtype.String, Name: "string"}
	if _, err := newCodec(t, chain(""), a); err == nil {
		t.Error("texts: no error")
	}
}

const big = `{"codecs":[{"name":"bytes","configuration":{"endian":"big"}}]}`

func TestBlock(t *testing.T) {
	const fill = 0x0909
	with := func(mode byte, count int, dims ...uint32) []byte {
		header, data := block(mode, dims...)
		if mode == 2 {
			header = header[:2]
		}
		return append(append(header, 0, 0, 0, byte(count)), data...)
	}
	for _, c := range []struct {
		name string
		src  []byte
		want []uint16 // of a chunk of 2 by 3; nil: an error
	}{
		{"the chunk's shape", whole(0, 3, 2), []uint16{1, 2, 3, 4, 5, 6}},
		{"cut", whole(0, 2, 1), []uint16{1, 2, fill, fill, fill, fill}},
		{"padded", whole(0, 4, 3), []uint16{1, 2, 3, 5, 6, 7}},
		{"empty", whole(0, 3, 0), []uint16{fill, fill, fill, fill, fill, fill}},
		{"mode 1", with(1, 6, 3, 2), []uint16{1, 2, 3, 4, 5, 6}},
		{"mode 1, cut", with(1, 2, 2, 1), []uint16{1, 2, fill, fill, fill, fill}},
		{"mode 1 of fewer", with(1, 5, 3, 2), nil},
		{"mode 1 of more", with(1, 7, 3, 2), nil},
		{"mode 2", with(2, 6, 3, 2), []uint16{1, 2, 3, 4, 5, 6}},
		{"mode 2 of fewer", with(2, 5, 3, 2), nil},
		{"mode 2 without a count", []byte{0, 2, 0, 0, 0}, nil},
		{"mode 1 without a count", whole(1, 3, 2)[:12], nil},
		{"mode 3", with(3, 6, 3, 2), nil},
	} {
		a := array(2, 3)
		n5 := must.Get(newNamed(t, &n5{name: "n5_block", reversed: true}, big, a))(t)
		got, err := run(n5, a, c.src)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, w := range c.want {
			if g := uint16(got[2*i]) | uint16(got[2*i+1])<<8; g != w {
				t.Errorf("%s: element %d is %d, want %d", c.name, i, g, w)
			}
		}
	}
}

func FuzzBlock(f *testing.F) {
	for mode := range byte(4) {
		f.Add(whole(mode, 3, 2))
		f.Add(append(whole(mode, 3, 2)[:12], append([]byte{0, 0, 0, 6}, whole(mode, 3, 2)[12:]...)...))
	}
	f.Add([]byte("\x00\x02\x00\x00\x00\x06aabbccddeeff"))
	f.Add([]byte("\x00\x01\x00\x02\x00\x00\x00\x03\x00\x00\x00\x02\x00\x00\x00\x06a\x00b\x00\x00\x00c\x00d\x00"))
	texts := codec.Array{Shape: []int{2, 3}, Type: &dtype.Type{Kind: dtype.String, Name: "string"}}
	f.Fuzz(func(t *testing.T, src []byte) {
		a := array(2, 3)
		c := must.Get(newNamed(t, &n5{name: "n5_block", reversed: true}, big, a))(t)
		got, err := run(c, a, src)
		if err == nil && bytes.Contains(got, []byte{0xee}) && !bytes.Contains(src, []byte{0xee}) {
			t.Errorf("an element was not written: %x", got)
		}
		if c, err = newNamed(t, &n5{name: "n5_block", reversed: true}, `{"codecs":["n5_strings"]}`, texts); err != nil {
			t.Fatal(err)
		}
		dst := ndarray.New(texts.Shape, 0, true)
		if err := c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), texts, dst, src); err != nil {
			return
		}
		for _, item := range dst.Items {
			if bytes.IndexByte(item, 0) >= 0 {
				t.Errorf("a text with NUL: %q", item)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(whole(0, 2, 3))
	f.Add(whole(0, 1, 7))
	f.Add(whole(0, 0, 1<<31))
	f.Add(whole(1, 2, 3))
	f.Fuzz(func(t *testing.T, src []byte) {
		a := array(2, 3)
		c := must.Get(newCodec(t, chain(""), a))(t)
		got, err := run(c, a, src)
		if err == nil && bytes.Contains(got, []byte{0xee}) && !bytes.Contains(src, []byte{0xee}) {
			t.Errorf("an element was not written: %x", got)
		}
	})
}
