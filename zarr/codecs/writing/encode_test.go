package writing_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// pipeline returns a chain for arrays of a type and shape.
func pipeline(t testing.TB, r *codec.Registry, typeText, chain string, shape ...int) (*codec.Pipeline, codec.Array) {
	t.Helper()
	typ, err := dtype.ParseV3(parsed(t, typeText), dtype.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", typeText, err)
	}
	specs, err := meta.Codecs(parsed(t, chain), len(shape))
	if err != nil {
		t.Fatalf("%s: %v", chain, err)
	}
	a := codec.Array{Shape: shape, Type: typ, Fill: typ.Zero()}
	p, err := r.Pipeline(specs, codec.Build{Format: 3, Array: a, Limits: codec.Limits{}.WithDefaults()})
	if err != nil {
		t.Fatalf("%s: %v", chain, err)
	}
	return p, a
}

func env() *codec.Env { return codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults()) }

// little returns numbers as packed little-endian elements.
func little(numbers any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // the test is wrong
	}
	return b
}

func filter(id, config string) string {
	return `[{"name":"numcodecs.` + id + `","configuration":` + config + `},{"name":"bytes","configuration":{"endian":"little"}}]`
}

// TestValuesThatCannotBeHeld encodes values that would decode to others. They are rejected by name,
// and the next chunk is encoded.
func TestValuesThatCannotBeHeld(t *testing.T) {
	r := writing.Codecs()
	for _, c := range []struct {
		name, typ, chain string
		good, bad        []byte
	}{
		{"delta", `"int32"`, filter("delta", `{"dtype":"<i4","astype":"|i1"}`), little([]int32{5, 6, -100}), little([]int32{5, 6, 300})},
		{"delta, unsigned", `"int32"`, filter("delta", `{"dtype":"<i4","astype":"<u2"}`), little([]int32{1, 2, 3}), little([]int32{3, 2, 1})},
		{"fixedscaleoffset, range", `"float64"`, filter("fixedscaleoffset", `{"offset":1000,"scale":10,"dtype":"<f8","astype":"|u1"}`), little([]float64{1000, 1025.5}), little([]float64{1000, 1025.6})},
		{"fixedscaleoffset, NaN", `"float32"`, filter("fixedscaleoffset", `{"offset":0,"scale":1,"dtype":"<f4","astype":"<i4"}`), little([]float32{-7}), little([]float32{float32(math.NaN())})},
		{"quantize, range", `"float64"`, filter("quantize", `{"digits":1,"dtype":"<f8","astype":"<f4"}`), little([]float64{1e38}), little([]float64{1e39})},
		{"astype", `"int64"`, filter("astype", `{"encode_dtype":"<i2","decode_dtype":"<i8"}`), little([]int64{-32768}), little([]int64{-32769})},
		{"astype, float", `"float64"`, filter("astype", `{"encode_dtype":"<i2","decode_dtype":"<f8"}`), little([]float64{32767.9}), little([]float64{math.Inf(1)})},
		{"cast_value", `"float64"`, `[{"name":"cast_value","configuration":{"data_type":"uint8"}},"bytes"]`, little([]float64{255}), little([]float64{256})},
		{"scale_offset, integers", `"int8"`, `[{"name":"scale_offset","configuration":{"scale":3,"offset":1}},"bytes"]`, little([]int8{43, -41}), little([]int8{44})},
		{"scale_offset, unsigned", `"uint16"`, `[{"name":"scale_offset","configuration":{"scale":1,"offset":7}},{"name":"bytes","configuration":{"endian":"big"}}]`, little([]uint16{7}), little([]uint16{6})},
		{"scale_offset, floats", `"float32"`, `[{"name":"scale_offset","configuration":{"scale":100,"offset":0}},{"name":"bytes","configuration":{"endian":"big"}}]`, little([]float32{1e36}), little([]float32{1e38})},
		{"packbits", `"uint16"`, `[{"name":"packbits","configuration":{"last_bit":11}}]`, little([]uint16{4095}), little([]uint16{4096})},
		{"packbits, signed", `"int16"`, `[{"name":"packbits","configuration":{"first_bit":1,"last_bit":11}}]`, little([]int16{-2048}), little([]int16{-2047})},
	} {
		for _, part := range []struct {
			data []byte
			want error
		}{{c.bad, codec.ErrValue}, {c.good, nil}, {c.bad, codec.ErrValue}} {
			_, one := pipeline(t, r, c.typ, c.chain, 1)
			p, a := pipeline(t, r, c.typ, c.chain, len(part.data)/one.Type.Size)
			b := ndarray.Block{Shape: a.Shape, Size: a.Type.Size, Data: slices.Clone(part.data)}
			_, err := p.Encode(env(), a, b)
			var named *codec.Error
			if !errors.Is(err, part.want) || err != nil && !errors.As(err, &named) {
				t.Errorf("%s: %v, not %v", c.name, err, part.want)
			}
			if !bytes.Equal(b.Data, part.data) {
				t.Errorf("%s: the elements were changed", c.name)
			}
		}
	}
}

// TestItemsThatCannotBeHeld does the same for elements of variable length.
func TestItemsThatCannotBeHeld(t *testing.T) {
	r := writing.Codecs()
	for _, c := range []struct{ typ, chain, good, bad string }{
		{`"string"`, `["vlen-utf8"]`, "é", "\xff"},
		{`"string"`, `["numcodecs.json2"]`, "\"", "\xc3"},
		{`"string"`, `["numcodecs.msgpack2"]`, "x", "\xc3"},
		{`"string"`, `[{"name":"zarrs.vlen","configuration":{"index_data_type":"uint64","index_codecs":[{"name":"bytes","configuration":{"endian":"big"}}],"data_codecs":["bytes"]}}]`, "x", "a\xff"},
	} {
		p, a := pipeline(t, r, c.typ, c.chain, 2)
		for item, want := range map[string]error{c.good: nil, c.bad: codec.ErrValue} {
			if _, err := p.Encode(env(), a, ndarray.Block{Shape: a.Shape, Items: [][]byte{[]byte(item), nil}}); !errors.Is(err, want) {
				t.Errorf("%s, %q: %v, not %v", c.chain, item, err, want)
			}
		}
	}
}

// TestChainsThatCannotWrite builds chains that cannot write. The check before writing names the
// codec, and the chains can read.
func TestChainsThatCannotWrite(t *testing.T) {
	var feature *codec.UnsupportedError
	var config *codec.ConfigError
	for _, c := range []struct {
		registry    *codec.Registry
		chain, name string
		as          any
	}{
		{writing.Codecs(), `["numcodecs.pcodec"]`, "pcodec", &feature},
		{writing.Codecs(), `[{"name":"zfp","configuration":{"mode":"reversible"}}]`, "zfp", &feature},
		{codecs.Full(), `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, "zstd", &feature},
		{codecs.Full(), `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},"gzip"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`, "gzip", &feature},
		{writing.Codecs(), `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":10}}]`, "gzip", &config},
		{writing.Codecs(), `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":23}}]`, "zstd", &config},
		{writing.Codecs(), `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lzo"}}]`, "blosc", &config},
		{writing.Codecs(), `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"filters":[{"id":4},{"id":33}]}}]`, "lzma", &feature},
		{writing.Codecs(), `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.bz2","configuration":{"level":0}}]`, "bz2", &config},
		{writing.Codecs(), filter("bitround", `{"keepbits":24}`), "bitround", &config},
	} {
		p, a := pipeline(t, c.registry, `"float32"`, c.chain, 4)
		_, err := p.Encode(env(), a, ndarray.New(a.Shape, 4, false))
		for _, err := range []error{p.CheckEncode(), err} {
			if !errors.As(err, c.as) || !strings.Contains(err.Error(), c.name) {
				t.Errorf("%s: %T %v", c.chain, err, err)
			}
		}
	}
	p, a := pipeline(t, codecs.Full(), `"float32"`, `[{"name":"bytes","configuration":{"endian":"big"}},"crc32c"]`, 4)
	if err := p.CheckEncode(); err != nil {
		t.Error(err)
	}
	for _, b := range []ndarray.Block{ndarray.New([]int{5}, 4, false), ndarray.New([]int{4}, 8, false), {Shape: []int{4}, Size: 4}, ndarray.New([]int{4}, 0, true)} {
		if _, err := p.Encode(env(), a, b); !errors.Is(err, ndarray.ErrShape) {
			t.Errorf("a block of %v elements of %d bytes: %v", b.Shape, b.Size, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Encode(codec.NewEnv(ctx, codec.Limits{}.WithDefaults()), a, ndarray.New(a.Shape, 4, false)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFramesSayTheirSize checks frames of any size: readers that allocate before they decode need
// it.
func TestFramesSayTheirSize(t *testing.T) {
	for _, level := range []string{"-1", "0", "7", "12"} {
		for _, n := range []int{0, 1, 255, 256, 300, 70000, 1 << 20} {
			p, a := pipeline(t, writing.Codecs(), `"uint8"`, `["bytes",{"name":"zstd","configuration":{"level":`+level+`}}]`, n)
			b := must.Get(p.Encode(env(), a, ndarray.New(a.Shape, 1, false)))(t)
			if head := b[4]; head>>6 == 0 && head&0x20 == 0 {
				t.Errorf("level %s, %d bytes: the frame does not say its size", level, n)
			}
		}
	}
}

// TestInnerChunksOfFill encodes an inner chunk of fill values. It is omitted only if the option for
// that is set.
func TestInnerChunksOfFill(t *testing.T) {
	const chain = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`
	p, a := pipeline(t, writing.Codecs(), `"float64"`, chain, 8)
	a.Fill = little(math.NaN())
	p = must.Get(writing.Codecs().Pipeline(p.Chain(), codec.Build{Format: 3, Array: a, Limits: codec.Limits{}.WithDefaults()}))(t)
	nan := math.NaN()
	b := ndarray.Block{Shape: a.Shape, Size: 8, Data: little([]float64{nan, nan, 0, math.Copysign(0, -1), nan, 1, nan, nan})}
	for omit, want := range map[bool]int{false: 64 + 64, true: 32 + 64} {
		e := env()
		e.OmitFill = omit
		if got, err := p.Encode(e, a, b); err != nil || len(got) != want {
			t.Errorf("omit %v: %d bytes, not %d; %v", omit, len(got), want, err)
		}
	}
	for _, c := range []struct {
		data []float64
		fill float64
		want bool
	}{{nil, 1, true}, {[]float64{1}, 1, true}, {[]float64{1, 1, 1}, 1, true}, {[]float64{1, 1, 2}, 1, false}, {[]float64{2, 2}, 1, false}, {[]float64{0, 0}, math.Copysign(0, -1), false}} {
		a := codec.Array{Shape: []int{len(c.data)}, Type: a.Type, Fill: little(c.fill)}
		if got := a.IsFill(ndarray.Block{Shape: a.Shape, Size: 8, Data: little(c.data)}); got != c.want {
			t.Errorf("%v of %v: %v", c.data, c.fill, got)
		}
	}
}

// TestEncodeAllocations checks that the allocations of an encode do not grow with the elements.
func TestEncodeAllocations(t *testing.T) {
	for _, chain := range []string{
		`[{"name":"transpose","configuration":{"order":[0]}},{"name":"bytes","configuration":{"endian":"big"}},"crc32c"]`,
		filter("delta", `{"dtype":"<f8"}`), filter("fixedscaleoffset", `{"offset":0,"scale":10,"dtype":"<f8","astype":"<i4"}`),
		filter("quantize", `{"digits":2,"dtype":"<f8"}`), filter("bitround", `{"keepbits":9}`),
		`[{"name":"cast_value","configuration":{"data_type":"int32"}},{"name":"bytes","configuration":{"endian":"little"}}]`,
		`["packbits"]`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":8,"blocksize":8192}}]`,
		`[{"name":"bytes","configuration":{"endian":"little"}},"numcodecs.lz4"]`, `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`,
	} {
		allocations := func(n int) float64 {
			p, a := pipeline(t, writing.Codecs(), `"float64"`, chain, n)
			b := ndarray.New(a.Shape, 8, false)
			e := env()
			return testing.AllocsPerRun(3, func() {
				if _, err := p.Encode(e, a, b); err != nil {
					t.Fatal(err)
				}
			})
		}
		// With the race detector pools drop some entries, and blocks allocate.
		if few, many := allocations(500), allocations(50_000); many > few+1000 {
			t.Errorf("%s: %v allocations for many elements, %v for few", chain, many, few)
		}
	}
}

// TestObjectsKeepTheirText checks that the texts of objects decode to the same bytes.
func TestObjectsKeepTheirText(t *testing.T) {
	typ := must.Get(dtype.ParseV2(parsed(t, `"|O"`), dtype.Limits{}))(t)
	a := codec.Array{Shape: []int{2, 2}, Type: typ}
	items := [][]byte{[]byte(`"é"`), nil, []byte(`{"b":[1,-40000],"a":{"hex":"00ff"}}`), []byte(`1.5`)}
	for _, name := range []string{"json2", "msgpack2"} {
		p := must.Get(writing.Codecs().Pipeline([]meta.CodecSpec{{Name: name}}, codec.Build{Format: 2, Array: a, Limits: codec.Limits{}.WithDefaults()}))(t)
		k := trial{pipe: p, array: a, block: ndarray.Block{Shape: a.Shape, Items: items}}
		if ok, err := k.run(env()); !ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		if _, err := p.Encode(env(), a, ndarray.Block{Shape: a.Shape, Items: [][]byte{[]byte("{"), nil, nil, nil}}); !errors.Is(err, codec.ErrValue) {
			t.Errorf("%s, what is not JSON: %v", name, err)
		}
	}
}
