package pcodec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// sample is a file of testdata, named by its writer, with its contents. The files v*.pco are from
// pcodec (Apache-2.0), pco/assets, whose tests describe them. The files numcodecs-CC-AA.pco are
// from numcodecs (MIT), fixture/pcodec/codec.CC/encoded.AA.dat.
type sample struct {
	name, dtype string
	values      []byte
}

func samples() []sample {
	u32 := func(n int, f func(i int) uint32) (b []byte) {
		for i := range n {
			b = binary.LittleEndian.AppendUint32(b, f(i))
		}
		return b
	}
	u64 := func(n int, f func(i int) uint64) (b []byte) {
		for i := range n {
			b = binary.LittleEndian.AppendUint64(b, f(i))
		}
		return b
	}
	var halves []byte
	for _, h := range randomHalves() {
		halves = binary.LittleEndian.AppendUint16(halves, uint16(h))
	}
	random := []uint32{1121827092, 729032807, 3968137854, 2875434067, 3775328080, 431649926, 1048116090, 1906978350, 14752788, 1180462487}
	return []sample{
		{"v0_0_0_classic", "int32", u32(2000, func(i int) uint32 { return uint32(i + i/1000*1000) })},
		{"v0_0_0_delta_float_mult", "float32", u32(2000, func(i int) uint32 {
			x := float32(i)
			if i == 1337 {
				x += 1.001
			}
			return math.Float32bits(x)
		})},
		{"v0_1_0_delta_int_mult", "int32", u32(2000, func(i int) uint32 {
			if i == 1337 {
				return uint32(i*1000 - 1)
			}
			return uint32(i * 1000)
		})},
		{"v0_1_1_standalone_versioned", "float32", nil},
		{"v0_3_0_f16", "float16", halves},
		{"v0_3_0_float_quant", "float32", u32(2000, func(i int) uint32 {
			x := float32(half().Float64(randomHalves()[i]))
			if math.Abs(float64(x)) < float64(float32(1.1)) {
				return math.Float32bits(x) + 1
			}
			return math.Float32bits(x)
		})},
		{"v0_4_0_lookback_delta", "uint32", u32(1000, func(i int) uint32 { return random[i%10] })},
		{"numcodecs-00-05", "float64", u64(1000, func(i int) uint64 {
			if i == 999 {
				return math.Float64bits(1001)
			}
			return math.Float64bits(1000 + float64(float64(i)*(1.0/999)))
		})},
		{"numcodecs-05-01", "uint64", u64(1000, func(i int) uint64 { return uint64(i) })},
		{"numcodecs-06-03", "int64", u64(1000, func(i int) uint64 { return uint64(i) })},
		{"numcodecs-10-00", "uint32", u32(1000, func(i int) uint32 { return uint32(i) })}, // format 4.1
	}
}

// randomHalves returns the numbers of pcodec's own tests.
func randomHalves() []uint64 {
	x := float32(0.1)
	var list []uint64
	for range 2000 {
		x = float32(math.Mod(float64(float32(float32(x*77.7)+0.1)), 2))
		y := x
		if x < 1 {
			y = -1 - x
		}
		list = append(list, half().FloatBits(float64(y)))
	}
	return list
}

func (s sample) src(t testing.TB) []byte {
	t.Helper()
	return must.Get(os.ReadFile("testdata/" + s.name + ".pco"))(t)
}

func env() *codec.Env { return codec.NewEnv(context.Background(), codec.Limits{}) }

// decodeAs decodes n elements with the v3 codec.
func decodeAs(t testing.TB, src []byte, name string, n int) ([]byte, error) {
	t.Helper()
	c := must.Get(Codec().New(json.EmptyObject(), codec.Build{Format: 3}))(t)
	a := codec.Array{Shape: []int{n}, Type: codectest.Type(t, name)}
	must.Do(t, c.(codec.ArrayToBytes).Check(a))
	dst := ndarray.New(a.Shape, a.Type.Size, false)
	return dst.Data, c.(codec.ArrayToBytes).Decode(env(), a, dst, src)
}

// flatly decodes n bytes with the v2 codec.
func flatly(t testing.TB, src []byte, n int) ([]byte, error) {
	t.Helper()
	c := must.Get(Codec().New(json.EmptyObject(), codec.Build{Format: 2}))(t)
	return c.(codec.BytesToBytes).Decode(env(), codec.Output{Size: codec.Size{N: int64(n), Exact: true}}, src)
}

func TestFiles(t *testing.T) {
	for _, s := range samples() {
		src := s.src(t)
		size := codectest.Type(t, s.dtype).Size
		n := len(s.values) / size
		if got, err := decodeAs(t, src, s.dtype, n); err != nil || !bytes.Equal(got, s.values) {
			t.Errorf("%s: %v", s.name, err)
		}
		if got, err := flatly(t, src, len(s.values)); err != nil || !bytes.Equal(got, s.values) {
			t.Errorf("%s in v2: %v", s.name, err)
		}
		if _, err := decodeAs(t, src, s.dtype, n+1); !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("%s into too many: %v", s.name, err)
		}
		if n > 0 {
			if _, err := decodeAs(t, src, s.dtype, n-1); !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("%s into too few: %v", s.name, err)
			}
			if _, err := decodeAs(t, src, "int8", len(s.values)); !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("%s as another type: %v", s.name, err)
			}
		}
		for k := range len(src) {
			if _, err := decodeAs(t, src[:k], s.dtype, n); !errors.Is(err, codec.ErrTruncated) {
				t.Fatalf("%s cut to %d bytes: %v", s.name, k, err)
			}
		}
	}
}

// TestWritten decodes files with features that the available files lack. They follow the format's
// specification and the reference implementation.
func TestWritten(t *testing.T) {
	const middle = uint64(1) << 31
	for _, c := range []struct {
		name, dtype string
		src         []byte
		want        []byte
	}{
		{"int8", "int8", func() []byte {
			w := start(11, 3).bits(0, 4).bits(0, 4).plainBin(8).align()
			return w.bits(0x7f, 8).bits(0x80, 8).bits(0x85, 8).end()
		}(), []byte{0xff, 0, 5}},
		{"uint8", "uint8", start(10, 2).bits(0, 4).bits(0, 4).plainBin(8).align().bits(200, 8).bits(3, 8).end(), []byte{200, 3}},
		{"dictionary", "int16", func() []byte {
			w := start(8, 4).bits(4, 4).bits(2, 25).align()
			w.bits(0x8000+300, 16).bits(0x8000-2, 16).bits(0, 4).plainBin(32).align()
			return w.bits(1, 32).bits(0, 32).bits(0, 32).bits(1, 32).end()
		}(), []byte{0xfe, 0xff, 0x2c, 1, 0x2c, 1, 0xfe, 0xff}},
		{"convolution", "uint32", func() []byte {
			// 2*l[i-1] - l[i-2] + 1/2, in halves.
			w := start(1, 5).bits(0, 4).bits(3, 4).bits(1, 5).bits(1<<63+1, 64).bits(1, 5)
			w.bits(middle-2, 32).bits(middle+4, 32).plainBin(32).align()
			w.bits(10, 32).bits(13, 32).align()
			return w.bits(middle, 32).bits(middle+1, 32).bits(middle-30, 32).end()
		}(), words(10, 13, 16, 20, 1<<32-6)},
		{"convolution below zero", "uint32", func() []byte {
			w := start(1, 2).bits(0, 4).bits(3, 4).bits(0, 5).bits(1<<63, 64).bits(0, 5)
			w.bits(middle-1, 32).plainBin(32).align().bits(7, 32).align()
			return w.bits(middle+9, 32).end()
		}(), words(7, 9)},
		{"order 2 with the secondary variable", "uint32", func() []byte {
			w := start(1, 4).bits(1, 4).bits(10, 32).bits(1, 4).bits(2, 3).bits(1, 1)
			w.plainBin(32).plainBin(32).align()
			// 1, 3, 6, 10 times 10 plus 1, 2, 3, 4
			w.bits(1, 32).bits(2, 32).bits(1, 32).bits(1, 32).align()
			return w.bits(middle+1, 32).bits(middle+1, 32).bits(middle, 32).bits(middle, 32).end()
		}(), words(11, 32, 63, 104)},
		{"more state than numbers", "uint32", func() []byte {
			w := start(1, 1).bits(0, 4).bits(1, 4).bits(3, 3).bits(0, 1)
			w.bits(0, 4).bits(0, 15).align()
			return w.bits(5, 32).bits(6, 32).bits(7, 32).end()
		}(), words(5)},
		{"lookback with a state", "uint32", func() []byte {
			w := start(1, 4).bits(0, 4).bits(2, 4).bits(1, 5).bits(1, 4).bits(0, 1)
			w.plainBin(32).plainBin(32).align()
			w.bits(100, 32).bits(200, 32).align()
			w.bits(2, 32).bits(4, 32) // the second is before the first number
			return w.bits(middle+1, 32).bits(middle+7, 32).end()
		}(), words(100, 200, 101, 7)},
	} {
		size := codectest.Type(t, c.dtype).Size
		got, err := decodeAs(t, c.src, c.dtype, len(c.want)/size)
		if err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v %v, want %v", c.name, got, err, c.want)
		}
	}
}

func words(list ...uint64) (b []byte) {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func TestErrors(t *testing.T) {
	const middle = uint64(1) << 31
	for _, c := range []struct {
		name string
		src  []byte
	}{
		{"magic", []byte("pco?\x03\x00\x00\x04\x01\x00")},
		{"type", start(99, 1).end()},
		{"mode", start(1, 1).bits(5, 4).end()},
		{"floats of integers", start(1, 1).bits(2, 4).bits(1, 32).end()},
		{"quanta of integers", start(1, 1).bits(3, 4).bits(3, 8).end()},
		{"delta coding", start(1, 1).bits(0, 4).bits(4, 4).end()},
		{"order 0", start(1, 1).bits(0, 4).bits(1, 4).bits(0, 4).end()},
		{"a state beyond the window", start(1, 1).bits(0, 4).bits(2, 4).bits(0, 5).bits(3, 4).end()},
		{"a dictionary of too many", start(1, 1).bits(4, 4).bits(2, 25).end()},
		{"an entry beyond the dictionary", start(1, 1).bits(4, 4).bits(1, 25).align().bits(7, 32).bits(0, 4).plainBin(32).align().bits(1, 32).end()},
		{"a table too large", start(1, 1).bits(0, 8).bits(15, 4).bits(2, 15).end()},
		{"bins too many", start(1, 1).bits(0, 8).bits(1, 4).bits(3, 15).end()},
		{"a table for one bin", start(1, 1).bits(0, 8).bits(1, 4).bits(1, 15).end()},
		{"weights that do not fill the table", start(1, 1).bits(0, 8).bits(2, 4).bits(2, 15).bits(0, 40).bits(0, 40).end()},
		{"an offset too long", start(1, 1).bits(0, 8).bits(0, 4).bits(1, 15).bits(0, 32).bits(33, 6).end()},
		{"no bins", start(1, 1).bits(0, 8).bits(0, 4).bits(0, 15).end()},
		{"a lookback of 0", start(1, 2).bits(0, 4).bits(2, 4).bits(0, 10).plainBin(32).plainBin(32).align().bits(1, 32).bits(0, 32).bits(middle, 32).end()},
		{"a lookback too far", start(1, 2).bits(0, 4).bits(2, 4).bits(0, 10).plainBin(32).plainBin(32).align().bits(1, 32).bits(3, 32).bits(middle, 32).end()},
	} {
		if _, err := flatly(t, c.src, 4); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, src := range []string{"pco!\x04\x00\x00\x04\x01\x00", "pco!\x03\x00\x00\x05\x01\x00", "pco!\x03\x00\x00\x04\x02\x00", "pco!\x00\x05\x00\x00\x00\x01"} {
		var unsupported *codec.UnsupportedError
		if _, err := flatly(t, []byte(src), 4); !errors.As(err, &unsupported) {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestTypes(t *testing.T) {
	for name, code := range map[string]byte{
		"uint32": 1, "uint64": 2, "int32": 3, "int64": 4, "float32": 5, "float64": 6, "uint16": 7, "int16": 8, "float16": 9, "uint8": 10, "int8": 11,
		"complex64": 5, "complex128": 6,
		"bool": 0, "string": 0, "bfloat16": 0, "int4": 0, "r16": 0,
	} {
		if n, ok := numberOf(codectest.Type(t, name)); ok != (code > 0) || ok && n.code != code {
			t.Errorf("%s is %d", name, n.code)
		}
	}
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		code byte
		v    uint64
	}{{1, 5}, {3, 0xffffffff}, {5, 0x3f800000}, {5, 0xbf800000}, {6, 1 << 63}, {9, 0xc000}, {11, 0x80}} {
		n, _ := numberOfCode(c.code)
		if got := bitsOf(order(c.v, n), n) & (1<<(n.width-1)<<1 - 1); got != c.v {
			t.Errorf("%x of type %d becomes %x", c.v, c.code, got)
		}
	}
}

func TestIntegerFloat(t *testing.T) {
	for _, c := range []struct {
		latent uint64
		width  uint
		want   float64
	}{
		{1 << 31, 32, 0}, {1<<31 + 7, 32, 7}, {1<<31 - 1, 32, math.Copysign(0, -1)}, {1<<31 - 8, 32, -7},
		{1<<31 + 1<<24, 32, 1 << 24}, {1<<31 + 1<<24 + 1, 32, 1<<24 + 2}, {1<<15 + 2049, 16, 2050},
		{1<<63 + 1<<53 + 3, 64, 1<<53 + 6},
	} {
		if got := integerFloat(c.latent, c.width); got != floatBits(c.want, c.width) {
			t.Errorf("%x of %d bits: %x, want %g", c.latent, c.width, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range samples() {
		src := s.src(f)
		f.Add(src, uint16(len(s.values)))
	}
	f.Add(start(8, 4).bits(4, 4).bits(2, 25).align().bits(9, 32).bits(0, 4).plainBin(32).align().bits(1, 32).bits(0, 64).bits(1, 32).end(), uint16(8))
	f.Add(start(1, 2).bits(0, 4).bits(3, 4).bits(0, 5).bits(1<<63, 64).bits(0, 5).bits(7, 32).plainBin(32).align().bits(7, 64).end(), uint16(8))
	f.Fuzz(func(t *testing.T, src []byte, n uint16) {
		got, err := flatly(t, src, int(n))
		var unsupported *codec.UnsupportedError
		switch {
		case err == nil && len(got) != int(n):
			t.Fatal("wrong length")
		case err != nil && !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) && !errors.As(err, &unsupported):
			t.Fatal(err)
		}
	})
}
