package dtype

import "math"

// format is the layout of a binary floating-point type: sign, exponent, mantissa, from the highest
// bit down.
type format struct {
	exp, man int
	bias     int
	// inf means that the highest exponent encodes infinity and NaN (IEEE style); otherwise all
	// values except NaN are finite.
	inf bool
	// nan is the encoding of NaN, 0 if there is none.
	nan uint64
	// top is the largest finite encoding without sign.
	top uint64
	// unsigned types have no sign bit and no zero; noMinus types no negative zero.
	unsigned, noMinus bool
}

// layout returns the format of a Float or MiniFloat.
func (t *Type) layout() (format, bool) {
	switch t.Name {
	case "float16":
		return format{exp: 5, man: 10, bias: 15, inf: true, nan: 0x7e00, top: 0x7bff}, true
	case "float32":
		return format{exp: 8, man: 23, bias: 127, inf: true, nan: 0x7fc00000, top: 0x7f7fffff}, true
	case "float64":
		return format{exp: 11, man: 52, bias: 1023, inf: true, nan: 0x7ff8000000000000, top: 0x7fefffffffffffff}, true
	case "bfloat16":
		return format{exp: 8, man: 7, bias: 127, inf: true, nan: 0x7fc0, top: 0x7f7f}, true
	case "float4_e2m1fn":
		return format{exp: 2, man: 1, bias: 1, top: 0x7}, true
	case "float6_e2m3fn":
		return format{exp: 2, man: 3, bias: 1, top: 0x1f}, true
	case "float6_e3m2fn":
		return format{exp: 3, man: 2, bias: 3, top: 0x1f}, true
	case "float8_e3m4":
		return format{exp: 3, man: 4, bias: 3, inf: true, nan: 0x78, top: 0x6f}, true
	case "float8_e4m3":
		return format{exp: 4, man: 3, bias: 7, inf: true, nan: 0x7c, top: 0x77}, true
	case "float8_e4m3fn":
		return format{exp: 4, man: 3, bias: 7, nan: 0x7f, top: 0x7e}, true
	case "float8_e4m3fnuz":
		return format{exp: 4, man: 3, bias: 8, nan: 0x80, top: 0x7f, noMinus: true}, true
	case "float8_e4m3b11fnuz":
		return format{exp: 4, man: 3, bias: 11, nan: 0x80, top: 0x7f, noMinus: true}, true
	case "float8_e5m2":
		return format{exp: 5, man: 2, bias: 15, inf: true, nan: 0x7e, top: 0x7b}, true
	case "float8_e5m2fnuz":
		return format{exp: 5, man: 2, bias: 16, nan: 0x80, top: 0x7f, noMinus: true}, true
	case "float8_e8m0fnu":
		return format{exp: 8, man: 0, bias: 127, nan: 0xff, top: 0xfe, unsigned: true}, true
	}
	return format{}, false
}

// encode rounds x to the nearest value of the format, ties to the even mantissa. It reports false
// if there is no such value. These are NaN and infinity in types without them, values beyond the
// range of types without infinity, and negative values of unsigned types. The code is then NaN.
// Without a NaN it is the largest value, or 0 for NaN itself. float8_e8m0fnu has no zero: its
// smallest value represents it.
func (f format) encode(x float64) (uint64, bool) {
	if x != x {
		return f.nan, f.nan != 0
	}
	sign := uint64(0)
	if math.Signbit(x) {
		if f.unsigned && x != 0 {
			return f.nan, false
		}
		if !f.unsigned {
			sign = 1 << (f.exp + f.man)
		}
	}
	mag, ok := f.magnitude(math.Abs(x))
	if mag == 0 && f.noMinus {
		sign = 0
	}
	return sign | mag, ok
}

// magnitude encodes a positive value.
func (f format) magnitude(a float64) (uint64, bool) {
	if math.IsInf(a, 1) {
		return f.beyond()
	}
	if a == 0 {
		return 0, true
	}
	frac, e := math.Frexp(a)
	m := uint64(frac * (1 << 53)) // a = m * 2^(e-53), exactly
	// The distance of neighbouring values is 2^quantum. Below the normal range it is the same as at
	// the bottom of that range.
	lowest := 1 - f.bias - f.man
	if f.unsigned {
		lowest = -f.bias
	}
	quantum := max(e-1-f.man, lowest)
	r := roundShift(m, quantum-(e-53))
	if f.unsigned {
		// Without subnormals the encoding is the exponent: r counts 1 (or 2, rounded up) quanta.
		if r == 0 {
			return 0, true
		}
		r--
	}
	// Above the lowest quantum r includes the implicit leading one, which adds 1 to the exponent
	// field. A carry from rounding does the same.
	code := uint64(quantum-lowest)<<f.man + r
	if code > f.top {
		return f.beyond()
	}
	return code, true
}

// beyond returns the encoding for a magnitude above the range: infinity, or NaN in types without
// infinity. Both follow the largest value.
func (f format) beyond() (uint64, bool) {
	if !f.inf && f.nan == 0 {
		return f.top, false
	}
	return f.top + 1, f.inf
}

// roundShift returns m / 2^n rounded to the nearest integer, ties to even.
func roundShift(m uint64, n int) uint64 {
	switch {
	case n <= 0:
		return m << -n
	case n > 63:
		return 0
	}
	r, rest, half := m>>n, m&(1<<n-1), uint64(1)<<(n-1)
	if rest > half || rest == half && r&1 == 1 {
		r++
	}
	return r
}

// decode returns the value of an encoding; bits above the format's own are ignored.
func (f format) decode(code uint64) float64 {
	sign := 1.0
	width := f.exp + f.man
	if !f.unsigned {
		if code>>width&1 == 1 {
			sign = -1
		}
	}
	mag := code & (1<<width - 1)
	switch {
	case f.noMinus && sign < 0 && mag == 0:
		return math.NaN()
	case f.inf && mag == f.top+1:
		return math.Inf(int(sign))
	case mag > f.top:
		return math.NaN()
	}
	if f.unsigned {
		return math.Ldexp(1, int(mag)-f.bias)
	}
	e, m := int(mag>>f.man), mag&(1<<f.man-1)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << f.man
	}
	return sign * math.Ldexp(float64(m), e-f.bias-f.man)
}

// Float64 returns the value of a scalar of a Float or MiniFloat type, given its bits. It ignores
// bits above the type's own. Every value of these types is exact in binary64, but a NaN loses its
// payload. For other kinds it returns NaN.
func (t *Type) Float64(bits uint64) float64 {
	f, ok := t.layout()
	if !ok {
		return math.NaN()
	}
	return f.decode(bits)
}
