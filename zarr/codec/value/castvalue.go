package value

import (
	"bytes"
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// castValue stores the array's values in another type.
type castValue struct {
	decoded, encoded *dtype.Type
	round            func(float64) float64
	toward           string // the name of round
	beyond           string // out_of_range: "", "clamp" or "wrap"
	encode, decode   []pair // scalar_map
}

// pair is one entry of a scalar map: a value of the source type, and one of the target type.
type pair struct {
	in, out []byte
	nan     bool // in is NaN: any NaN matches
}

func castError(msg string) error { return &codec.ConfigError{Codec: "cast_value", Msg: msg} }

func newCastValue(config json.Value, b codec.Build) (any, error) {
	for _, m := range config.Members() {
		switch m.Name {
		case "data_type", "rounding", "out_of_range", "scalar_map":
		default:
			return nil, castError("unknown member " + m.Name)
		}
	}
	t, err := dtype.ParseV3(config.Get("data_type"), dtype.Limits{})
	if err != nil {
		return nil, castError(err.Error())
	}
	c := castValue{decoded: b.Array.Type, encoded: t}
	if ndarray.DomainOf(t) == ndarray.DomainNone || ndarray.DomainOf(c.decoded) == ndarray.DomainNone {
		return nil, castError("casts only numbers, not " + c.decoded.Name + " to " + t.Name)
	}
	if c.toward, _ = config.Get("rounding").Text(); c.toward == "" {
		c.toward = "nearest-even"
	}
	switch c.toward {
	case "nearest-even":
		c.round = math.RoundToEven
	case "towards-zero":
		c.round = math.Trunc
	case "towards-positive":
		c.round = math.Ceil
	case "towards-negative":
		c.round = math.Floor
	case "nearest-away":
		c.round = math.Round
	default:
		return nil, castError("unknown rounding " + c.toward)
	}
	switch c.beyond, _ = config.Get("out_of_range").Text(); c.beyond {
	case "", "clamp", "wrap":
	default:
		return nil, castError("unknown out_of_range " + c.beyond)
	}
	scalars := config.Get("scalar_map")
	if c.encode, err = pairs(scalars.Get("encode"), c.decoded, c.encoded); err != nil {
		return nil, err
	}
	if c.decode, err = pairs(scalars.Get("decode"), c.encoded, c.decoded); err != nil {
		return nil, err
	}
	return c, nil
}

func pairs(v json.Value, from, to *dtype.Type) ([]pair, error) {
	var list []pair
	for _, item := range v.Items() {
		if item.Len() != 2 || item.Kind() != json.Array {
			return nil, castError("an entry of scalar_map is not a pair")
		}
		in, err := from.FillV3(item.Items()[0])
		if err != nil {
			return nil, castError("scalar_map: " + err.Error())
		}
		out, err := to.FillV3(item.Items()[1])
		if err != nil {
			return nil, castError("scalar_map: " + err.Error())
		}
		n := ndarray.Load(in, 0, from)
		list = append(list, pair{in, out, ndarray.DomainOf(from) == ndarray.DomainReal && math.IsNaN(n.Float())})
	}
	return list, nil
}

// Encoded implements codec.ArrayToArray.
func (c castValue) Encoded(a codec.Array) (codec.Array, error) {
	fill := make([]byte, c.encoded.Size)
	if err := c.cast(fill, c.encoded, a.Fill, c.decoded, 0, c.encode); err != nil {
		return a, castError("the fill value has no value in " + c.encoded.Name)
	}
	return codec.Array{Shape: a.Shape, Type: c.encoded, Fill: fill}, nil
}

// Decode implements codec.ArrayToArray.
func (c castValue) Decode(_ *codec.Env, dst, src ndarray.Block) error {
	return c.castAll(dst, c.decoded, src, c.encoded, c.decode)
}

// castAll casts all elements by a scalar map.
func (c castValue) castAll(dst ndarray.Block, to *dtype.Type, src ndarray.Block, from *dtype.Type, scalars []pair) error {
	// Simple elements are cast block by block, and each other element afterwards on its own, so
	// that only those are slow.
	var odd [ndarray.Batch]int
	n := src.Len()
	room := make([]ndarray.Number, min(n, ndarray.Batch))
	quick, in := c.quick(to, from, scalars)
	for at := 0; at < n; at += ndarray.Batch {
		x := room[:min(n-at, ndarray.Batch)]
		rest := odd[:0]
		if quick != nil {
			ndarray.LoadAll(x, src.Data, at, from)
			ndarray.ConvertAll(x, ndarray.DomainOf(from), in)
			rest = quick(x, rest)
			ndarray.StoreAll(dst.Data, at, to, x)
		} else {
			for i := range x {
				rest = append(rest, i)
			}
		}
		for _, i := range rest {
			if err := c.cast(dst.Data, to, src.Data, from, at+i, scalars); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchCast casts numbers in place, and appends to odd the indices of those that need a lookup.
type batchCast func(x []ndarray.Number, odd []int) []int

// batch returns the cast between two types without a scalar map, and the domain of its numbers. The
// cast is nil if the types have none.
func (c castValue) batch(target, source *dtype.Type) (batchCast, ndarray.Domain) {
	from, to := ndarray.DomainOf(source), ndarray.DomainOf(target)
	wide := target.Kind == dtype.Float && target.Size == 8
	exact := wide || target.Kind == dtype.Float && target.Size == 4 && c.toward == "nearest-even"
	least, most := int64(limit(target, true)), int64(limit(target, false))
	// Types of up to 32 bits: integers are exact in this domain, and larger ones do not wrap.
	small := to != ndarray.DomainReal && width(target) <= 32
	switch {
	case from == ndarray.DomainReal && wide:
		return func(x []ndarray.Number, odd []int) []int {
			for i, n := range x {
				if f := n.Float(); f != f {
					odd = append(odd, i)
				}
			}
			return odd
		}, from
	case from == ndarray.DomainReal && exact:
		return func(x []ndarray.Number, odd []int) []int {
			for i, n := range x {
				if f := n.Float(); !(math.Abs(f) <= math.MaxFloat32) {
					odd = append(odd, i)
				}
			}
			return odd
		}, from
	case from == ndarray.DomainReal && small && c.toward == "nearest-even":
		low, high := float64(least), float64(most)
		return func(x []ndarray.Number, odd []int) []int {
			for i, n := range x {
				f := math.RoundToEven(n.Float())
				if !(f >= low && f <= high) {
					odd = append(odd, i)
					continue
				}
				x[i] = ndarray.Number(int64(f))
			}
			return odd
		}, from
	case from != ndarray.DomainReal && exact && width(source) <= 32:
		return func(_ []ndarray.Number, odd []int) []int { return odd }, ndarray.DomainReal
	case from != ndarray.DomainReal && small && width(source) <= 32:
		return func(x []ndarray.Number, odd []int) []int {
			for i, n := range x {
				if v := int64(n); v < least || v > most {
					odd = append(odd, i)
				}
			}
			return odd
		}, from
	}
	return nil, from
}

// quick returns the batch cast between two types, and the domain of its numbers. The cast is nil if
// the types, with the scalar map, have none.
func (c castValue) quick(target, source *dtype.Type, scalars []pair) (batchCast, ndarray.Domain) {
	convert, in := c.batch(target, source)
	if convert == nil || len(scalars) == 0 {
		return convert, in
	}
	from := ndarray.DomainOf(source)
	if from == ndarray.DomainReal {
		return nil, in
	}
	var mapped []ndarray.Number
	for _, p := range scalars {
		mapped = append(mapped, ndarray.Convert(ndarray.Load(p.in, 0, source), from, in))
	}
	return func(x []ndarray.Number, odd []int) []int {
		for _, m := range mapped {
			for i, n := range x {
				if n == m {
					odd = append(odd, i)
				}
			}
		}
		return convert(x, odd)
	}, in
}

// cast converts the i-th element by the codec's specification: by the scalar map, else exactly,
// else rounded and brought into range.
func (c castValue) cast(dst []byte, to *dtype.Type, src []byte, from *dtype.Type, i int, scalars []pair) error {
	item := src[i*from.Size : (i+1)*from.Size]
	n := ndarray.Load(src, i, from)
	df, dt := ndarray.DomainOf(from), ndarray.DomainOf(to)
	nan := df == ndarray.DomainReal && math.IsNaN(n.Float())
	for _, p := range scalars {
		if p.nan && nan || bytes.Equal(p.in, item) {
			copy(dst[i*to.Size:], p.out)
			return nil
		}
	}
	if dt == ndarray.DomainReal {
		return c.toReal(dst, to, i, n, df)
	}
	if df == ndarray.DomainReal {
		f := c.round(n.Float())
		switch {
		case nan || math.IsInf(f, 0) && c.beyond != "clamp":
			return codec.Corrupt("a value has no counterpart in " + to.Name)
		case dt == ndarray.DomainSigned && f >= -1<<63 && f < 1<<63, dt == ndarray.DomainUnsigned && f >= 0 && f < 1<<64:
			n = ndarray.Convert(ndarray.FloatNumber(f), ndarray.DomainReal, dt)
			return c.toInt(dst, to, i, n, f < 0)
		case c.beyond == "clamp":
			ndarray.Store(dst, i, to, limit(to, f < 0))
			return nil
		case c.beyond == "wrap":
			ndarray.Store(dst, i, to, ndarray.Number(wrap64(f)))
			return nil
		}
		return codec.Corrupt("a value is beyond the range of " + to.Name)
	}
	negative := df == ndarray.DomainSigned && int64(n) < 0
	if df != dt && int64(n) < 0 {
		// Negative in an unsigned type, or beyond 2^63 in a signed one.
		return c.outside(dst, to, i, n, negative)
	}
	return c.toInt(dst, to, i, n, negative)
}

func (c castValue) toInt(dst []byte, to *dtype.Type, i int, n ndarray.Number, negative bool) error {
	if !fits(n, to) {
		return c.outside(dst, to, i, n, negative)
	}
	ndarray.Store(dst, i, to, n)
	return nil
}

func (c castValue) outside(dst []byte, to *dtype.Type, i int, n ndarray.Number, negative bool) error {
	switch c.beyond {
	case "clamp":
		n = limit(to, negative)
	case "wrap":
	default:
		return codec.Corrupt("a value is beyond the range of " + to.Name)
	}
	ndarray.Store(dst, i, to, n)
	return nil
}

// limit is the smallest or largest value of an integer type.
func limit(t *dtype.Type, smallest bool) ndarray.Number {
	w := width(t)
	switch {
	case t.Kind == dtype.Bool:
		w = 1
		fallthrough
	case ndarray.DomainOf(t) == ndarray.DomainUnsigned:
		if smallest {
			return 0
		}
		return ndarray.Number(uint64(math.MaxUint64) >> (64 - w))
	case smallest:
		return ndarray.Number(uint64(math.MaxUint64) << (w - 1))
	}
	return ndarray.Number(uint64(1)<<(w-1) - 1)
}

// toReal rounds to a floating-point type in the configured direction.
func (c castValue) toReal(dst []byte, to *dtype.Type, i int, n ndarray.Number, from ndarray.Domain) error {
	x := ndarray.Convert(n, from, ndarray.DomainReal).Float()
	if from != ndarray.DomainReal && ndarray.Convert(ndarray.FloatNumber(x), ndarray.DomainReal, from) != n && !(to.Kind == dtype.Float && to.Size == 8 && c.toward == "nearest-even") {
		// Beyond 2^53, rounding twice could be wrong, and no known data needs it.
		return codec.Corrupt("an integer beyond 2^53 cannot be cast to " + to.Name)
	}
	bits := to.FloatBits(x)
	y := to.Float64(bits)
	if math.IsNaN(x) != math.IsNaN(y) {
		return codec.Corrupt("a value has no counterpart in " + to.Name)
	}
	finite := !math.IsNaN(x) && !math.IsInf(x, 0)
	if finite && (math.IsInf(y, 0) || c.saturated(to, x, y)) && c.beyond != "clamp" {
		return codec.Corrupt("a value is beyond the range of " + to.Name)
	}
	if !math.IsNaN(x) && y != x && !math.IsInf(y, 0) {
		bits = c.nudge(to, bits, x, y)
	}
	width := to.Size * 8
	for k := range width / 8 {
		dst[i*to.Size+k] = byte(bits >> (8 * k))
	}
	return nil
}

// saturated reports whether y is the type's largest value only because x is larger.
func (c castValue) saturated(to *dtype.Type, x, y float64) bool {
	if math.Abs(x) <= math.Abs(y) {
		return false
	}
	next := to.Float64(to.FloatBits(y) + 1)
	return !(math.Abs(next) > math.Abs(y))
}

// nudge moves a value that was rounded to nearest to its neighbour, if the configured rounding
// differs. Encodings of one sign are ordered by magnitude.
func (c castValue) nudge(to *dtype.Type, bits uint64, x, y float64) uint64 {
	larger := math.Abs(y) > math.Abs(x)
	up := false // the magnitude should be the larger one
	switch c.toward {
	case "nearest-even":
		return bits
	case "nearest-away":
		other := bits + 1
		if larger {
			other = bits - 1
		}
		if math.Abs(to.Float64(other)-x) != math.Abs(y-x) {
			return bits
		}
		up = true
	case "towards-positive":
		up = x > 0
	case "towards-negative":
		up = x < 0
	}
	switch {
	case up && !larger:
		return bits + 1
	case !up && larger:
		return bits - 1
	}
	return bits
}

// wrap64 returns the integer part of f modulo 2^64, which suffices for every type: Store keeps the
// low bits. f is finite.
func wrap64(f float64) uint64 {
	// A small negative number plus 2^64 would round to 2^64.
	if math.Abs(f) < 1<<63 {
		return uint64(int64(f))
	}
	// From 2^63 on a float64 is a multiple of 2^11, and so is its modulus:
	// the sum is exact.
	m := math.Mod(f, 1<<64)
	if m < 0 {
		m += 1 << 64
	}
	return uint64(m)
}
