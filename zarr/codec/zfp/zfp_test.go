package zfp

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// example is a line of testdata/libzfp.txt: a field of sines that libzfp 1.0.0 compressed for this
// test. Reversible fields also have zeros, infinities and NaNs. A line has the data type, the
// shape, the configuration, a CRC-32, and the data. The CRC-32 is that of libzfp's decompressed
// bytes; promoted types are demoted as the codec's specification defines.
type example struct {
	array  codec.Array
	config string
	header bool
	crc    string
	src    []byte
}

func examples(t testing.TB) []example {
	t.Helper()
	text, err := os.ReadFile("testdata/libzfp.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []example
	for line := range strings.Lines(string(text)) {
		part := strings.Fields(line)
		var e example
		e.array.Type = codectest.Type(t, part[0])
		for _, n := range codectest.JSON(t, part[1]).Items() {
			d, _ := n.Int64()
			e.array.Shape = append(e.array.Shape, int(d))
		}
		e.config, e.header = strings.CutSuffix(part[2], "+header")
		e.crc = part[3]
		if e.src, err = hex.DecodeString(part[4]); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// build makes the codec of the example.
func (e example) build(t testing.TB) codec.ArrayToBytes {
	t.Helper()
	make := newZFP
	if e.header {
		make = newZFPY
	}
	return must.Get(make(codectest.JSON(t, e.config), codec.Build{Format: 3, Array: e.array}))(t).(codec.ArrayToBytes)
}

func env() *codec.Env { return codec.NewEnv(context.Background(), codec.Limits{}) }

func decodeWith(c codec.ArrayToBytes, a codec.Array, src []byte) ([]byte, error) {
	dst := ndarray.New(a.Shape, a.Type.Size, false)
	if err := c.Check(a); err != nil {
		return nil, err
	}
	return dst.Data, c.Decode(env(), a, dst, src)
}

func crc(b []byte) string {
	return hex.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)))
}

func TestLibzfp(t *testing.T) {
	for _, e := range examples(t) {
		c := e.build(t)
		got, err := decodeWith(c, e.array, e.src)
		if err != nil || crc(got) != e.crc {
			t.Errorf("%s %v %s: %v", e.array.Type.Name, e.array.Shape, e.config, err)
		}
		if n := c.EncodedSize(e.array).N; n < int64(len(e.src)) {
			t.Errorf("%d bytes are said to be the most, there are %d", n, len(e.src))
		}
	}
}

func TestTruncated(t *testing.T) {
	for _, e := range examples(t) {
		c := e.build(t)
		for n := range len(e.src) {
			// The last word may be all padding.
			if _, err := decodeWith(c, e.array, e.src[:n]); !errors.Is(err, codec.ErrTruncated) && (err != nil || n < len(e.src)-8) {
				t.Fatalf("%s %v %s cut to %d of %d: %v", e.array.Type.Name, e.array.Shape, e.config, n, len(e.src), err)
			}
		}
	}
}

// TestFlat decodes with the v2 codec: the header's lengths and parameters count, whatever the type
// is.
func TestFlat(t *testing.T) {
	for _, e := range examples(t) {
		if !e.header {
			continue
		}
		c := must.Get(newZFPY(json.EmptyObject(), codec.Build{Format: 2, Array: e.array}))(t)
		b2b := c.(codec.BytesToBytes)
		size := codec.Size{N: int64(e.array.Bytes()), Exact: true}
		got, err := b2b.Decode(env(), codec.Output{Size: size}, e.src)
		if err != nil || crc(got) != e.crc {
			t.Errorf("%s %v: %v", e.array.Type.Name, e.array.Shape, err)
		}
		size.N += int64(e.array.Type.Size)
		if _, err := b2b.Decode(env(), codec.Output{Size: size}, e.src); !errors.Is(err, codec.ErrTruncated) && e.array.Type.Size >= 4 {
			t.Errorf("too few elements: %v", err)
		}
		size.N -= int64(2 * e.array.Type.Size)
		if _, err := b2b.Decode(env(), codec.Output{Size: size}, e.src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("too many elements: %v", err)
		}
		var unsupported *codec.UnsupportedError
		if _, err := b2b.Decode(env(), codec.Output{Size: codec.Size{N: 1 << 32}}, e.src); !errors.As(err, &unsupported) {
			t.Errorf("unknown length: %v", err)
		}
	}
}

// The file is that of numcodecs (MIT), fixture/zfpy/codec.00/encoded.00.dat. Its
// array is numpy.linspace(1000, 1001, 1000, dtype="f4").
func TestNumcodecs(t *testing.T) {
	src := must.Get(os.ReadFile("testdata/numcodecs-rate-00.zfp"))(t)
	var want []byte
	for i := range 1000 {
		want = binary.LittleEndian.AppendUint32(want, math.Float32bits(float32(1000+float64(float64(i)*(1.0/999)))))
	}
	c := must.Get(newZFPY(json.EmptyObject(), codec.Build{Format: 3}))(t)
	// The shape may be another than the header's one dimension.
	a := codec.Array{Shape: []int{2, 5, 1, 10, 10}, Type: codectest.Type(t, "float32")}
	got, err := decodeWith(c.(codec.ArrayToBytes), a, src)
	if err != nil || !bytes.Equal(got, want) {
		t.Error(err)
	}
	a.Type = codectest.Type(t, "float64")
	if _, err := decodeWith(c.(codec.ArrayToBytes), a, src); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("of another type: %v", err)
	}
}

func TestPromoted(t *testing.T) {
	for _, c := range []struct {
		name string
		in   int64
		want uint64
	}{
		{"int2", -2 << 29, 0xfffffffffffffffe}, {"int4", 7 << 27, 7}, {"int8", math.MaxInt32, 127},
		{"int8", math.MinInt32, 0xffffffffffffff80}, {"int16", -1 << 15, math.MaxUint64}, {"uint2", -2 << 29, 0},
		{"uint4", 0, 8}, {"uint8", math.MinInt32, 0}, {"uint16", math.MaxInt32, 0xffff}, {"uint32", -1, 0},
		{"uint32", 5, 5}, {"uint64", math.MinInt64, 0}, {"uint64", math.MaxInt64, math.MaxInt64},
		{"float16", int64(math.Float32bits(1.5)), 0x3e00}, {"bfloat16", int64(math.Float32bits(-2)) - 1<<32, 0xc000},
		{"float8_e5m2", int64(math.Float32bits(1)), 0x3c},
	} {
		f, ok := formOf(codectest.Type(t, c.name))
		if !ok || f.demote == nil {
			t.Errorf("%s has no form", c.name)
			continue
		}
		if got := f.demote(c.in); got != c.want {
			t.Errorf("%s: %x, want %x", c.name, got, c.want)
		}
	}
	for _, name := range []string{"bool", "complex64", "string", "r16"} {
		if _, ok := formOf(codectest.Type(t, name)); ok {
			t.Errorf("%s has a form", name)
		}
	}
}

func TestConfigurations(t *testing.T) {
	f32 := codec.Array{Shape: []int{8, 8}, Type: codectest.Type(t, "float32")}
	i32 := codec.Array{Shape: []int{8}, Type: codectest.Type(t, "int32")}
	for _, c := range []struct {
		config string
		array  codec.Array
		want   params
	}{
		{`{"mode":"reversible"}`, f32, params{1, 16658, 64, -1075}},
		{`{"mode":"expert","minbits":1,"maxbits":13,"maxprec":19,"minexp":-2}`, f32, params{1, 13, 19, -2}},
		{`{"mode":"fixed_accuracy","tolerance":0.05}`, f32, params{1, 16658, 64, -5}},
		{`{"mode":"fixed_accuracy","tolerance":0}`, f32, params{1, 16658, 64, -1074}},
		{`{"mode":"fixed_precision","precision":19}`, f32, params{1, 16658, 19, -1074}},
		{`{"mode":"fixed_precision","precision":0}`, f32, params{1, 16658, 64, -1074}},
		{`{"mode":"fixed_rate","rate":10.5}`, f32, params{168, 168, 64, -1074}},
		{`{"mode":"fixed_rate","rate":0.1}`, f32, params{9, 9, 64, -1074}},
		{`{"mode":"fixed_rate","rate":0.3}`, i32, params{1, 1, 64, -1074}},
	} {
		got, err := newZFP(codectest.JSON(t, c.config), codec.Build{Format: 3, Array: c.array})
		if err != nil || got.(serial).params != c.want {
			t.Errorf("%s: %+v %v", c.config, got, err)
		}
	}
	for _, config := range []string{
		`{}`, `{"mode":"lossless"}`, `{"mode":5}`, `{"mode":"fixed_rate"}`, `{"mode":"fixed_rate","rate":0.1}`,
		`{"mode":"fixed_rate","rate":1e300}`, `{"mode":"fixed_rate","rate":-1}`, `{"mode":"fixed_precision","precision":-1}`,
		`{"mode":"fixed_precision","precision":1.5}`, `{"mode":"fixed_accuracy","tolerance":"x"}`,
		`{"mode":"expert","minbits":1,"maxbits":0,"maxprec":19,"minexp":-2}`, `{"mode":"expert","minbits":3,"maxbits":2,"maxprec":19,"minexp":-2}`,
		`{"mode":"expert","minbits":1,"maxbits":13,"maxprec":65,"minexp":-2}`, `{"mode":"expert","minbits":1,"maxbits":13,"maxprec":19}`,
	} {
		var bad *codec.ConfigError
		if _, err := newZFP(codectest.JSON(t, config), codec.Build{Format: 3, Array: i32}); !errors.As(err, &bad) {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func TestCheck(t *testing.T) {
	c := must.Get(newZFP(codectest.JSON(t, `{"mode":"reversible"}`), codec.Build{Format: 3, Array: codec.Array{Shape: []int{1, 1, 1, 1, 2}, Type: codectest.Type(t, "int32")}}))(t)
	for _, a := range []codec.Array{
		{Shape: []int{1, 1, 1, 1, 2}, Type: codectest.Type(t, "int32")},
		{Shape: []int{2}, Type: codectest.Type(t, "complex64")},
		{Shape: []int{2}, Type: codectest.Type(t, "string")},
	} {
		var bad *codec.ConfigError
		if err := c.(codec.ArrayToBytes).Check(a); !errors.As(err, &bad) {
			t.Errorf("%v %s: %v", a.Shape, a.Type.Name, err)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	good := must.Get(os.ReadFile("testdata/numcodecs-rate-00.zfp"))(t)
	edit := func(at int, b ...byte) []byte {
		src := bytes.Clone(good)
		copy(src[at:], b)
		return src
	}
	c := serial{name: "numcodecs.zfpy", header: true}
	a := codec.Array{Shape: []int{1000}, Type: codectest.Type(t, "float32")}
	for name, src := range map[string][]byte{
		"magic":             edit(2, 'q'),
		"48 bits of length": edit(5, 0xff, 0xff, 0xff, 0xff, 0xff),
		// The long form, whose minbits of 2^15 is above its maxbits of 1.
		"parameters": edit(10, good[10]|0xf0, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0),
	} {
		if _, err := decodeWith(c, a, src); !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unsupported *codec.UnsupportedError
	if _, err := decodeWith(c, a, edit(3, 6)); !errors.As(err, &unsupported) {
		t.Errorf("version: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for i, e := range examples(f) {
		if i%7 == 0 {
			f.Add(e.src, uint8(len(e.array.Shape)), uint8(i), uint8(i/3))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, rank, mode, kind uint8) {
		list := examples(t)
		e := list[int(mode)%len(list)]
		a := codec.Array{Shape: []int{5, 6, 3, 7}[:rank%5], Type: codectest.Type(t, []string{"int32", "int64", "float32", "float64", "uint8", "float16"}[kind%6])}
		c, err := newZFP(codectest.JSON(t, e.config), codec.Build{Format: 3, Array: a})
		if err != nil {
			return
		}
		for _, c := range []codec.ArrayToBytes{c.(serial), serial{name: "numcodecs.zfpy", header: true}} {
			_, err := decodeWith(c, a, src)
			var unsupported *codec.UnsupportedError
			if err != nil && !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) && !errors.As(err, &unsupported) {
				t.Fatal(err)
			}
		}
	})
}
