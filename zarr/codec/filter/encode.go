package filter

import (
	"math"
	"math/bits"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// The filters encode bit by bit like numcodecs, except for numbers that would decode to others.
// Numbers beyond the range of the encoded type are an error here, and wrap in numcodecs.

var (
	errRange = codec.Unfit("an element is beyond the range of the encoded type")
	errWhole = codec.Unfit("not a whole number of elements")
)

// transform converts packed little-endian elements to the same number of others.
type transform func(dst, src []byte) error

// types returns the types on both sides. A filter without its own types has the chunk's.
func (f filter) types() (decoded, encoded *dtype.Type) {
	if f.decoded == nil {
		return f.array, f.array
	}
	return f.decoded, f.encoded
}

// transform reads the configuration for a writer.
func (f filter) transform() (transform, error) {
	switch f.name {
	case "delta":
		return f.delta()
	case "fixedscaleoffset":
		return f.scale()
	case "quantize":
		return f.quantize()
	case "bitround":
		return f.round()
	case "categorize":
		return f.categorize()
	}
	return f.cast(), nil
}

// CheckEncode implements codec.EncodeChecker.
func (f filter) CheckEncode() error {
	_, err := f.transform()
	return err
}

// Encode implements codec.BytesToBytesEncoder.
func (f flat) Encode(env *codec.Env, src []byte) ([]byte, error) {
	encode, err := f.transform()
	if err != nil {
		return nil, err
	}
	decoded, encoded := f.filter.types()
	if len(src)%decoded.Size != 0 {
		return nil, errWhole
	}
	if decoded.Order == dtype.Big {
		little := env.Buffer(len(src))
		copy(little, src)
		decoded.ToLittle(little, dtype.None)
		src = little
	}
	dst := env.Buffer(len(src) / decoded.Size * encoded.Size)
	if err := encode(dst, src); err != nil {
		return nil, err
	}
	encoded.ToLittle(dst, dtype.None) // to its own order: the swap is the same both ways
	return dst, nil
}

// Encode implements codec.ArrayToArrayEncoder.
func (f elementwise) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	encode, err := f.transform()
	if err != nil {
		return err
	}
	return encode(dst.Data, src.Data)
}

// delta returns the differences of neighbours in dtype, converted to astype.
func (f filter) delta() (transform, error) {
	decoded, encoded := f.decoded, f.encoded
	if decoded.Kind == dtype.Bool {
		return nil, &codec.UnsupportedError{Feature: "writing with the codec delta of bool, which numcodecs reads as something else"}
	}
	domain := ndarray.DomainOf(decoded)
	return func(dst, src []byte) error {
		fit := fitter(decoded, encoded)
		var last ndarray.Number // a zero of any domain
		return batches(dst, encoded, src, decoded, func(nums []ndarray.Number) bool {
			switch {
			case domain != ndarray.DomainReal:
				for i, n := range nums {
					nums[i], last = extend(n-last, decoded), n
				}
			default:
				for i, n := range nums {
					nums[i], last = ndarray.FloatNumber(rounded(n.Float()-last.Float(), decoded)), n
				}
			}
			return fit(nums)
		})
	}, nil
}

// extend returns the value of an integer type that has a number's low bits.
func extend(n ndarray.Number, t *dtype.Type) ndarray.Number {
	up := 64 - 8*t.Size
	if t.Bits != 0 {
		up = 64 - t.Bits
	}
	if ndarray.DomainOf(t) == ndarray.DomainSigned {
		return ndarray.Number(uint64(int64(n<<up) >> up))
	}
	return n << up >> up
}

// rounded rounds a number to a floating-point type. A sum or product of two numbers of binary32 or
// less, computed in binary64 and then rounded, equals the result in the type's own arithmetic.
func rounded(x float64, t *dtype.Type) float64 {
	switch {
	case t.Kind == dtype.Float && t.Size == 8:
		return x
	case t.Kind == dtype.Float && t.Size == 4:
		return float64(float32(x))
	}
	return t.Float64(t.FloatBits(x))
}

// scale computes (x - offset) * scale, rounded half to even: in the floating-point type of dtype,
// or in binary64 for integers.
func (f filter) scale() (transform, error) {
	scale, _ := f.config.Get("scale").Float64()
	offset, _ := f.config.Get("offset").Float64()
	decoded, encoded := f.decoded, f.encoded
	in := decoded
	if ndarray.DomainOf(decoded) != ndarray.DomainReal {
		in = &dtype.Type{Kind: dtype.Float, Size: 8}
	}
	scale, offset = rounded(scale, in), rounded(offset, in)
	domain, double := ndarray.DomainOf(decoded), in.Size == 8
	return func(dst, src []byte) error {
		fit := fitter(&dtype.Type{Kind: dtype.Float, Size: 8}, encoded)
		return batches(dst, encoded, src, decoded, func(nums []ndarray.Number) bool {
			ndarray.ConvertAll(nums, domain, ndarray.DomainReal)
			for i, n := range nums {
				// Each step rounds separately: nothing here may be fused.
				difference := float64(n.Float() - offset)
				if !double {
					difference = rounded(difference, in)
				}
				product := float64(difference * scale)
				if !double {
					product = rounded(product, in)
				}
				nums[i] = ndarray.FloatNumber(math.RoundToEven(product))
			}
			return fit(nums)
		})
	}, nil
}

// quantize rounds to a multiple of a power of two, the largest that keeps the given number of
// decimal digits.
func (f filter) quantize() (transform, error) {
	digits, ok := f.config.Get("digits").Int64()
	if !ok || digits < -300 || digits > 300 {
		return nil, &codec.ConfigError{Codec: f.name, Msg: "digits is not an integer from -300 to 300"}
	}
	decoded, encoded := f.decoded, f.encoded
	if decoded.Kind != dtype.Float {
		return nil, &codec.ConfigError{Codec: f.name, Msg: "quantizes floating-point numbers, not " + decoded.Name}
	}
	// The power of two is the first one that is not below 10^digits.
	fraction, exponent := math.Frexp(math.Pow(10, float64(digits)))
	if fraction == 0.5 {
		exponent--
	}
	scale := math.Ldexp(1, exponent)
	return func(dst, src []byte) error {
		fit := fitter(decoded, encoded)
		return batches(dst, encoded, src, decoded, func(nums []ndarray.Number) bool {
			for i, n := range nums {
				if x := n.Float() * scale; math.Abs(x) < 1<<53 { // larger ones are whole numbers, and NaN stays
					nums[i] = ndarray.FloatNumber(math.RoundToEven(x) / scale)
				}
			}
			return fit(nums)
		})
	}, nil
}

// round keeps keepbits bits of the mantissa, rounding half to even. Only the codec of
// zarr-extensions also rounds integers: it keeps that many bits from the highest set one on.
func (f filter) round() (transform, error) {
	keep, _ := f.config.Get("keepbits").Int64()
	t := f.array
	mantissa := int64(0)
	switch {
	case t.Kind == dtype.Float:
		mantissa = map[int]int64{2: 10, 4: 23, 8: 52}[t.Size]
	case t.Name == "bfloat16":
		mantissa = 7
	case t.Kind == dtype.Int || t.Kind == dtype.Uint:
		return roundIntegers(t, int(keep)), nil
	default:
		return nil, &codec.ConfigError{Codec: f.name, Msg: "rounds numbers, not " + t.Name}
	}
	if keep > mantissa {
		return nil, &codec.ConfigError{Codec: f.name, Msg: "keepbits is more than the bits of the mantissa of " + t.Name}
	}
	drop := mantissa - keep
	sign := uint64(1) << (8*t.Size - 1)
	infinity := sign - 1<<mantissa
	return func(dst, src []byte) error {
		if drop == 0 {
			copy(dst, src)
			return nil
		}
		half, mask := ndarray.Number(1)<<(drop-1)-1, ^(ndarray.Number(1)<<drop - 1)
		bits := &dtype.Type{Kind: dtype.Uint, Size: t.Size}
		ndarray.Batches(dst, bits, src, bits, func(nums []ndarray.Number) {
			for i, n := range nums {
				if uint64(n)&(sign-1) > infinity {
					// NaN stays NaN, whatever its bits: a carry would make a number of it.
					nums[i] = n&mask | 1<<(mantissa-1)
					continue
				}
				nums[i] = (n + (n>>drop&1 + half)) & mask
			}
		})
		return nil
	}, nil
}

// roundIntegers rounds the bits of integers, half to even, without exceeding the type's largest
// value.
func roundIntegers(t *dtype.Type, keep int) transform {
	unsigned := &dtype.Type{Kind: dtype.Uint, Size: t.Size}
	most := uint64(math.MaxUint64) >> (64 - 8*t.Size)
	return func(dst, src []byte) error {
		ndarray.Batches(dst, unsigned, src, unsigned, func(nums []ndarray.Number) {
			for i, n := range nums {
				drop := bits.Len64(uint64(n)) - keep
				if drop <= 0 {
					continue
				}
				add := uint64(n)>>drop&1 + 1<<(drop-1) - 1
				nums[i] = ndarray.Number(min(uint64(n), most-add)+add) >> drop << drop
			}
		})
		return nil
	}
}

// cast converts to the encoded type.
func (f filter) cast() transform {
	return func(dst, src []byte) error {
		if f.decoded.Kind == f.encoded.Kind && f.decoded.Size == f.encoded.Size {
			copy(dst, src)
			return nil
		}
		return batches(dst, f.encoded, src, f.decoded, fitter(f.decoded, f.encoded))
	}
}

// batches is ndarray.Batches with a function that may reject a number.
func batches(dst []byte, to *dtype.Type, src []byte, from *dtype.Type, f func(nums []ndarray.Number) bool) error {
	ok := true
	ndarray.Batches(dst, to, src, from, func(nums []ndarray.Number) {
		ok = f(nums) && ok
	})
	if !ok {
		return errRange
	}
	return nil
}

// fitter returns a function that converts numbers like a C cast, and reports false if one is beyond
// the range. It truncates fractions. An integer is in range if its low bits decode to the same
// integer.
func fitter(from, to *dtype.Type) func(nums []ndarray.Number) bool {
	df, dt := ndarray.DomainOf(from), ndarray.DomainOf(to)
	switch {
	case to.Kind == dtype.Bool:
		return func(nums []ndarray.Number) bool {
			for i, n := range nums {
				nums[i] = ndarray.Truth(n, df)
			}
			return true
		}
	case dt == ndarray.DomainReal:
		return func(nums []ndarray.Number) bool {
			ndarray.ConvertAll(nums, df, dt)
			ok := true
			if to.Size < 8 {
				for _, n := range nums {
					x := n.Float()
					y := rounded(x, to)
					ok = ok && math.IsInf(x, 0) == math.IsInf(y, 0) && (x != x) == (y != y)
				}
			}
			return ok
		}
	case df == ndarray.DomainReal:
		least, most := float64(0), math.Ldexp(1, bitsOf(to))
		if dt == ndarray.DomainSigned {
			most /= 2
			least = -most
		}
		return func(nums []ndarray.Number) bool {
			ok := true
			for i, n := range nums {
				x := math.Trunc(n.Float())
				ok = ok && x >= least && x < most
				nums[i] = ndarray.Convert(ndarray.FloatNumber(x), df, dt)
			}
			return ok
		}
	}
	return func(nums []ndarray.Number) bool {
		ok := true
		for i, n := range nums {
			nums[i] = extend(n, to)
			ok = ok && extend(nums[i], from) == n
		}
		return ok
	}
}

// bitsOf is the width of an integer type.
func bitsOf(t *dtype.Type) int {
	if t.Bits != 0 {
		return t.Bits
	}
	return 8 * t.Size
}

// Encode implements codec.BytesToBytesEncoder.
func (packbits) Encode(env *codec.Env, src []byte) ([]byte, error) {
	dst := env.Buffer(int(packedSize(int64(len(src)))))
	pack(dst, src)
	return dst, nil
}

// Encode implements codec.ArrayToArrayEncoder.
func (packbitsArray) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	pack(dst.Data, src.Data)
	return nil
}

func pack(dst, src []byte) {
	clear(dst)
	dst[0] = byte(-len(src) & 7)
	for i, b := range src {
		if b != 0 {
			dst[1+i/8] |= 0x80 >> (i % 8)
		}
	}
}

// numbers returns the labels' numbers. The last one of two equal labels counts.
func (c categorize) numbers(key func([]byte) []byte) (map[string]uint64, error) {
	most := uint64(math.MaxUint64) >> (64 - bitsOf(c.codes))
	if ndarray.DomainOf(c.codes) == ndarray.DomainSigned {
		most >>= 1
	}
	if ndarray.DomainOf(c.codes) == ndarray.DomainReal || uint64(len(c.labels)) > most {
		return nil, &codec.ConfigError{Codec: "categorize", Msg: "astype has fewer numbers than there are labels"}
	}
	codes := map[string]uint64{"": 0}
	for i, label := range c.labels {
		codes[string(key(label))] = uint64(i) + 1
	}
	return codes, nil
}

var errLabel = codec.Unfit("an element is not one of the labels")

func whole(b []byte) []byte { return b }

// CheckEncode implements codec.EncodeChecker.
func (o objects) CheckEncode() error {
	_, err := o.numbers(whole)
	return err
}

// Encode implements codec.ArrayToBytesEncoder: the empty text without a label is 0.
func (o objects) Encode(env *codec.Env, _ codec.Array, src ndarray.Block) ([]byte, error) {
	codes, err := o.numbers(whole)
	if err != nil {
		return nil, err
	}
	dst := env.Buffer(len(src.Items) * o.codes.Size)
	for i, item := range src.Items {
		n, ok := codes[string(item)]
		if !ok {
			return nil, errLabel
		}
		ndarray.Store(dst, i, o.codes, ndarray.Number(n))
	}
	o.codes.ToLittle(dst, dtype.None) // to its own order: the swap is the same both ways
	return dst, nil
}

// categorize returns the numbers of texts of a fixed size.
func (f filter) categorize() (transform, error) {
	codes, err := f.labels.numbers(trim)
	if err != nil {
		return nil, err
	}
	return func(dst, src []byte) error {
		size := f.decoded.Size
		for i := range len(src) / size {
			n, ok := codes[string(trim(src[i*size:(i+1)*size]))]
			if !ok {
				return errLabel
			}
			ndarray.Store(dst, i, f.encoded, ndarray.Number(n))
		}
		return nil
	}, nil
}

// trim removes the zeros at the end.
func trim(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// Encode implements codec.ArrayToArrayEncoder.
func (f texts) Encode(_ *codec.Env, dst, src ndarray.Block) error {
	encode, err := f.transform()
	if err != nil {
		return err
	}
	return encode(dst.Data, src.Data)
}
