package dtype

import (
	"math"
	"math/rand"
	"testing"
)

// small has all types of up to 16 bits. Each has its smallest and largest positive values, and the
// encodings of one, infinity and NaN (-1: there is none).
var small = []struct {
	name           string
	smallest, most float64
	one, inf, nan  int
}{
	{"float16", 0x1p-24, 65504, 0x3c00, 0x7c00, 0x7e00},
	{"bfloat16", 0x1p-133, 0x1.fep127, 0x3f80, 0x7f80, 0x7fc0},
	{"float4_e2m1fn", 0.5, 6, 0x2, -1, -1},
	{"float6_e2m3fn", 0.125, 7.5, 0x8, -1, -1},
	{"float6_e3m2fn", 0.0625, 28, 0xc, -1, -1},
	{"float8_e3m4", 0x1p-6, 15.5, 0x30, 0x70, 0x78},
	{"float8_e4m3", 0x1p-9, 240, 0x38, 0x78, 0x7c},
	{"float8_e4m3fn", 0x1p-9, 448, 0x38, -1, 0x7f},
	{"float8_e4m3fnuz", 0x1p-10, 240, 0x40, -1, 0x80},
	{"float8_e4m3b11fnuz", 0x1p-13, 30, 0x58, -1, 0x80},
	{"float8_e5m2", 0x1p-16, 57344, 0x3c, 0x7c, 0x7e},
	{"float8_e5m2fnuz", 0x1p-17, 57344, 0x40, -1, 0x80},
	{"float8_e8m0fnu", 0x1p-127, 0x1p127, 0x7f, -1, 0xff},
}

func TestSmallFloats(t *testing.T) {
	for _, c := range small {
		typ := plain(c.name, None)
		f, ok := typ.layout()
		if !ok {
			t.Fatalf("%s has no layout", c.name)
		}
		width := typ.Bits
		if width == 0 {
			width = 8 * typ.Size
		}
		// Every value encodes as itself, and the extremes are as specified.
		var values []float64
		smallest, most := math.Inf(1), 0.0
		for code := range uint64(1) << width {
			x := typ.Float64(code)
			if x != x {
				continue
			}
			if got, ok := f.encode(x); !ok || got != code {
				t.Fatalf("%s: %#x is %g, which encodes as %#x (%v)", c.name, code, x, got, ok)
			}
			if !math.IsInf(x, 0) {
				values = append(values, x)
				most = max(most, x)
				if x > 0 {
					smallest = min(smallest, x)
				}
			}
		}
		if smallest != c.smallest || most != c.most {
			t.Errorf("%s: values from %g to %g", c.name, smallest, most)
		}
		for _, want := range []struct {
			x    float64
			code int
		}{{1, c.one}, {math.Inf(1), c.inf}, {math.NaN(), c.nan}} {
			code, ok := f.encode(want.x)
			if ok != (want.code >= 0) || ok && code != uint64(want.code) {
				t.Errorf("%s: %g encodes as %#x (%v)", c.name, want.x, code, ok)
			}
		}
		if width > 8 {
			continue
		}
		// Rounding goes to the nearest value.
		rng := rand.New(rand.NewSource(1))
		for range 20000 {
			x := math.Ldexp(rng.Float64(), rng.Intn(24)-14)
			if rng.Intn(2) == 0 && !f.unsigned {
				x = -x
			}
			if math.Abs(x) > c.most {
				continue
			}
			code, ok := f.encode(x)
			if !ok {
				t.Fatalf("%s: %g does not encode", c.name, x)
			}
			got := math.Abs(typ.Float64(code) - x)
			for _, v := range values {
				if math.Abs(v-x) < got {
					t.Fatalf("%s: %g rounds to %g, but %g is nearer", c.name, x, typ.Float64(code), v)
				}
			}
		}
		// A tie goes to the even mantissa.
		for code := uint64(0); code+1 <= f.top; code++ {
			tie := (typ.Float64(code) + typ.Float64(code+1)) / 2
			got, ok := f.encode(tie)
			if f.man == 0 {
				continue // both neighbours have the same, empty mantissa
			}
			if want := code + code&1; !ok || got != want {
				t.Errorf("%s: the tie above %#x rounds to %#x", c.name, code, got)
			}
		}
	}
}

func TestFloatOverflow(t *testing.T) {
	for _, c := range []struct {
		name string
		x    float64
		code uint64
		ok   bool
	}{
		{"float16", 65519, 0x7bff, true},
		{"float16", 65520, 0x7c00, true},
		{"float16", -1e300, 0xfc00, true},
		{"float32", 1e39, 0x7f800000, true},
		{"bfloat16", 3.4e38, 0x7f80, true},
		{"float8_e4m3fn", 464, 0x7e, true},
		{"float8_e4m3fn", 465, 0, false},
		{"float4_e2m1fn", 100, 0, false},
		{"float8_e5m2fnuz", -1e6, 0, false},
		{"float8_e8m0fnu", -1, 0, false},
		{"float8_e8m0fnu", 0, 0, true},
		{"float8_e8m0fnu", math.Copysign(0, -1), 0, true},
		{"float8_e8m0fnu", 3, 0x81, true},
		{"float8_e4m3fnuz", math.Copysign(0, -1), 0, true},
		{"float8_e4m3fnuz", -1e-9, 0, true},
		{"float8_e4m3", math.Copysign(0, -1), 0x80, true},
		{"float16", 5e-324, 0, true},
		{"float16", 0x1p-25, 0, true},
		{"float16", 0x1.0000000000001p-25, 1, true},
	} {
		f, _ := plain(c.name, None).layout()
		if code, ok := f.encode(c.x); ok != c.ok || ok && code != c.code {
			t.Errorf("%s: %g encodes as %#x (%v)", c.name, c.x, code, ok)
		}
	}
}

func TestWideFloatsAgreeWithTheMachine(t *testing.T) {
	f32, _ := plain("float32", None).layout()
	f64, _ := plain("float64", None).layout()
	rng := rand.New(rand.NewSource(2))
	for range 200000 {
		x := math.Float64frombits(rng.Uint64())
		if rng.Intn(2) == 0 { // near float32's range and its subnormals
			x = math.Ldexp(rng.Float64()-0.5, rng.Intn(300)-160)
		}
		if x != x {
			continue
		}
		if code, _ := f32.encode(x); code != uint64(math.Float32bits(float32(x))) {
			t.Fatalf("float32(%g) encodes as %#x", x, code)
		}
		if code, _ := f64.encode(x); code != math.Float64bits(x) {
			t.Fatalf("float64(%g) encodes as %#x", x, code)
		}
		if y := f64.decode(math.Float64bits(x)); y != x {
			t.Fatalf("%g decodes as %g", x, y)
		}
		if y := f32.decode(uint64(math.Float32bits(float32(x)))); y != float64(float32(x)) {
			t.Fatalf("%g decodes as %g", float32(x), y)
		}
	}
}

func TestFloatBitsWithoutAnExactValue(t *testing.T) {
	for _, c := range []struct {
		name string
		x    float64
		code uint64
	}{
		{"float4_e2m1fn", 100, 0x7},
		{"float4_e2m1fn", -100, 0xf},
		{"float6_e3m2fn", math.Inf(-1), 0x3f},
		{"float6_e3m2fn", math.NaN(), 0},
		{"float8_e4m3fn", 1e9, 0x7f},
		{"float8_e4m3fn", -1e9, 0xff},
		{"float8_e5m2fnuz", math.Inf(1), 0x80},
		{"float8_e5m2fnuz", math.Inf(-1), 0x80},
		{"float8_e8m0fnu", 1e300, 0xff},
		{"float8_e8m0fnu", -1, 0xff},
		{"float16", 1e9, 0x7c00},
	} {
		if code := plain(c.name, None).FloatBits(c.x); code != c.code {
			t.Errorf("%s: FloatBits(%g) = %#x, want %#x", c.name, c.x, code, c.code)
		}
	}
}

func TestFloat64OfOtherKinds(t *testing.T) {
	if x := plain("int8", None).Float64(1); x == x {
		t.Errorf("got %g", x)
	}
	if x := plain("float4_e2m1fn", None).Float64(0xf7); x != 6 {
		t.Errorf("upper bits are not ignored: %g", x)
	}
}
