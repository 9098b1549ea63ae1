package dtype

import (
	"encoding/base64"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// filler reads fill values in the form of one version of the metadata.
type filler struct{ v3 bool }

// Zero returns the element with all bits zero: Size bytes. For types of variable length it is
// empty. For an Object and for an Optional of variable length it is nil, a missing element.
func (t *Type) Zero() []byte {
	if t.Kind == Object || t.Kind == Optional && t.Variable() {
		return nil
	}
	return make([]byte, t.Size)
}

// FillV2 parses the fill_value of v1 or v2 metadata into the bytes of one element in memory
// (packed, little-endian). For null and for an absent value, which leave the fill undefined, it
// returns [Type.Zero]. It accepts these forms, all found in files:
//
//   - numbers as text, integers with a fraction of zeros, bool as 0 and 1
//   - one value as a list of one, from NCZarr
//   - floats as "NaN", "Infinity", "-Infinity", bare literals and "0x" bits
//   - fixed bytes and structs as base64, as 0, or as a list of bytes or field values; fixed bytes
//     also as plain text
//
// Errors are *[Error].
func (t *Type) FillV2(v json.Value) ([]byte, error) {
	if v.IsNull() {
		return t.Zero(), nil
	}
	return filler{}.fill(t, v)
}

// FillV3 parses a value of v3 metadata into the bytes of one element in memory. The value is
// required. Inside it, null stands for an absent optional, an empty string, or NaN, which
// JavaScript writes so. If the whole fill_value is null, the fill is undefined; package meta
// handles that. FillV3 accepts numbers as text and integers with a fraction of zeros. Errors are
// *[Error].
func (t *Type) FillV3(v json.Value) ([]byte, error) {
	if !v.Exists() {
		return nil, invalid(t.Name, "fill value missing")
	}
	return filler{v3: true}.fill(t, v)
}

func (f filler) fill(t *Type, v json.Value) ([]byte, error) {
	if t.Variable() {
		return f.variable(t, v)
	}
	dst := make([]byte, t.Size)
	if err := f.put(t, dst, v); err != nil {
		return nil, err
	}
	return dst, nil
}

// bad returns the error for a fill value that does not fit the type.
func bad(t *Type, v json.Value, want string) error {
	return invalid(t.Name, "fill value "+clip(string(v.Raw()))+" is not "+want)
}

// put writes the value into dst, the type's Size zero bytes.
func (f filler) put(t *Type, dst []byte, v json.Value) error {
	if !f.v3 && v.IsNull() {
		return nil // a member of a struct or list
	}
	switch t.Kind {
	case Bool:
		return f.putBool(t, dst, f.single(v))
	case Int, Uint:
		return f.putInt(t, dst, f.single(v))
	case DateTime, TimeDelta:
		v = f.single(v)
		if s, ok := v.Text(); ok && s == "NaT" {
			return putInt64(dst, math.MinInt64)
		}
		return f.putInt(t, dst, v)
	case Float, MiniFloat:
		return f.putFloat(t, dst, f.single(v))
	case Complex:
		return f.putComplex(t, dst, v)
	case Char, Raw:
		return f.putBytes(t, dst, v)
	case Unicode:
		return f.putUnicode(t, dst, f.single(v))
	case Struct:
		return f.putStruct(t, dst, v)
	case Sub:
		return f.putSub(t, t.Shape, dst, v)
	case Optional:
		return f.putOptional(t, dst, v)
	}
	return invalid(t.Name, "fill value of a type without fixed size")
}

// single unwraps the list of one value that NCZarr 4.8 wrote in v2 metadata.
func (f filler) single(v json.Value) json.Value {
	if items := few(v, 1); len(items) == 1 && !f.v3 {
		return items[0]
	}
	return v
}

// few returns the items of a list with at most most items, else nil. It makes no values of a longer
// one.
func few(v json.Value, most int) []json.Value {
	if v.Kind() != json.Array || v.Len() > most {
		return nil
	}
	return v.Items()
}

// number returns the number v, or the number in its text, which must be spelled as in JSON.
func number(v json.Value) (json.Value, bool) {
	if s, ok := v.Text(); ok {
		if len(s) > 400 {
			return v, false
		}
		n, err := json.Parse([]byte(ascii.TrimSpace(s)), json.Limits{})
		if err != nil {
			return v, false
		}
		v = n
	}
	return v, v.Kind() == json.Number
}

// isZero reports whether v is a number zero: older writers' fill of any type.
func isZero(v json.Value) bool {
	x, ok := v.Float64()
	return ok && x == 0
}

func (f filler) putBool(t *Type, dst []byte, v json.Value) error {
	b, ok := v.Bool()
	if s, text := v.Text(); text && !f.v3 {
		b = s == "true" || s == "True" || s == "1"
		ok = b || s == "false" || s == "False" || s == "0"
	}
	if n, num := v.Int64(); num && (n == 0 || n == 1) {
		b, ok = n == 1, true
	}
	if !ok {
		return bad(t, v, "true or false")
	}
	if b {
		dst[0] = 1
	}
	return nil
}

func (f filler) putInt(t *Type, dst []byte, v json.Value) error {
	width := t.Bits
	if width == 0 {
		width = 8 * t.Size
	}
	num, ok := number(v)
	if !ok {
		return bad(t, v, "an integer")
	}
	if t.Kind == Uint {
		n, ok := num.Uint64()
		if !ok || n>>(width-1)>>1 != 0 {
			return bad(t, v, "an integer of the type's range")
		}
		return putUint(dst, n)
	}
	n, ok := num.Int64()
	if top := n >> (width - 1); !ok || top != 0 && top != -1 {
		return bad(t, v, "an integer of the type's range")
	}
	return putInt64(dst, n)
}

func putInt64(dst []byte, n int64) error { return putUint(dst, uint64(n)) }

// putUint writes the low bytes of n, little-endian, as many as dst has. It always returns nil, for
// the convenience of callers.
func putUint(dst []byte, n uint64) error {
	for i := range dst {
		dst[i] = byte(n)
		n >>= 8
	}
	return nil
}

// putFloat rounds the binary64 of a JSON number to the type in one step, ties to even.
func (f filler) putFloat(t *Type, dst []byte, v json.Value) error {
	layout, ok := t.layout()
	if !ok {
		return invalid(t.Name, "fill value of an unknown floating-point type")
	}
	x := math.NaN()
	if s, text := v.Text(); text {
		if hex, ok := strings.CutPrefix(s, "0x"); ok {
			code, ok := hexBits(t, hex)
			if !ok {
				return bad(t, v, "the hexadecimal bits of the type")
			}
			return putUint(dst, code)
		}
		if x, ok = f.floatText(s); !ok {
			return bad(t, v, "a number, NaN, Infinity or hexadecimal bits")
		}
	} else if !v.IsNull() {
		if x, ok = v.Float64(); !ok {
			return bad(t, v, "a number, NaN, Infinity or hexadecimal bits")
		}
	}
	code, ok := layout.encode(x)
	if !ok {
		return bad(t, v, "a value that the type has")
	}
	return putUint(dst, code)
}

// floatText reads a number as text. In v2, where Python parsed any text, it also reads Python's
// names of infinities and NaN.
func (f filler) floatText(s string) (float64, bool) {
	if v, ok := number(json.Text(s)); ok {
		return v.Float64()
	}
	if f.v3 {
		return math.Inf(1), s == "+Infinity" // the spelling in the specification of cast_value
	}
	switch ascii.Lower(s) {
	case "nan", "+nan", "-nan":
		return math.NaN(), true
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// hexBits reads the bits of a float, two digits a byte; types of less than a byte may have one
// digit.
func hexBits(t *Type, hex string) (uint64, bool) {
	if len(hex) != 2*t.Size && (t.Bits == 0 || len(hex) != 1) {
		return 0, false
	}
	var n uint64
	for i := 0; i < len(hex); i++ {
		c := hex[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(c)
	}
	return n, t.Bits == 0 || n>>t.Bits == 0
}

func (f filler) putComplex(t *Type, dst []byte, v json.Value) error {
	half := t.Elem.Size
	parts := few(v, 2)
	if len(parts) == 1 && parts[0].Kind() == json.Array && !f.v3 {
		parts = few(parts[0], 2)
	}
	switch {
	case v.Kind() != json.Array:
		return f.complexError(t, v, f.putFloat(t.Elem, dst[:half], v)) // a real number
	case len(parts) == 1 && !f.v3:
		return f.complexError(t, v, f.putFloat(t.Elem, dst[:half], parts[0]))
	case len(parts) != 2:
		return bad(t, v, "a pair of real and imaginary part")
	}
	if err := f.putFloat(t.Elem, dst[:half], parts[0]); err != nil {
		return f.complexError(t, v, err)
	}
	return f.complexError(t, v, f.putFloat(t.Elem, dst[half:], parts[1]))
}

func (f filler) complexError(t *Type, v json.Value, err error) error {
	if err != nil {
		return bad(t, v, "a pair of real and imaginary part, each a value of "+t.Elem.Name)
	}
	return nil
}

// putBytes reads fixed bytes: base64, a list of bytes, 0, or in v2 plain text.
func (f filler) putBytes(t *Type, dst []byte, v json.Value) error {
	if items := few(v, 1); len(items) == 1 && !f.v3 {
		if _, ok := items[0].Text(); ok {
			v = items[0]
		}
	}
	switch v.Kind() {
	case json.String:
		s, _ := v.Text()
		raw, err := base64.StdEncoding.DecodeString(s)
		if (err != nil || len(raw) > len(dst)) && !f.v3 {
			raw, err = []byte(s), nil // plain text
		}
		if err != nil {
			return bad(t, v, "base64")
		}
		// Texts are padded, and in v2 numpy pads everything.
		if len(raw) > len(dst) || len(raw) < len(dst) && f.v3 && t.Kind == Raw {
			return bad(t, v, "as long as the type")
		}
		copy(dst, raw)
		return nil
	case json.Array:
		n := v.Len()
		if n > len(dst) || n < len(dst) && f.v3 && t.Kind == Raw {
			return bad(t, v, "as long as the type")
		}
		return putByteList(t, dst, v)
	case json.Number:
		if !f.v3 && isZero(v) {
			return nil
		}
	}
	return bad(t, v, "base64 or a list of bytes")
}

// putByteList writes a list of integers from 0 to 255; dst is long enough.
func putByteList(t *Type, dst []byte, v json.Value) error {
	for i, item := range v.Items() {
		n, ok := item.Uint64()
		if !ok || n > 255 {
			return bad(t, v, "a list of bytes")
		}
		dst[i] = byte(n)
	}
	return nil
}

func (f filler) putUnicode(t *Type, dst []byte, v json.Value) error {
	if !f.v3 && isZero(v) {
		return nil
	}
	s, ok := v.Text()
	if !ok {
		return bad(t, v, "text")
	}
	if 4*utf8.RuneCountInString(s) > len(dst) {
		return bad(t, v, "short enough for the type")
	}
	i := 0
	for _, r := range s {
		_ = putUint(dst[i:i+4], uint64(r))
		i += 4
	}
	return nil
}

// putStruct reads the fields by name, or base64 of the stored bytes. These are in the fields' own
// order in v2, and little-endian in v3. In v2 it also reads a list of the fields' values, or 0.
func (f filler) putStruct(t *Type, dst []byte, v json.Value) error {
	if items := few(v, 1); len(items) == 1 && !f.v3 {
		if _, ok := items[0].Text(); ok && len(t.Fields) > 1 {
			v = items[0]
		}
	}
	switch v.Kind() {
	case json.String:
		s, _ := v.Text()
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil || len(raw) != len(dst) {
			return bad(t, v, "base64 of an element's bytes")
		}
		copy(dst, raw)
		t.ToLittle(dst, None)
		return nil
	case json.Object:
		for i := range t.Fields {
			fd := &t.Fields[i]
			fv := v.Get(fd.Name)
			if !fv.Exists() && f.v3 {
				return invalid(t.Name, "fill value has no field "+clip(fd.Name))
			}
			if err := f.put(fd.Type, dst[fd.Offset:fd.Offset+fd.Type.Size], fv); err != nil {
				return inField(t, fd, err)
			}
		}
		return nil
	case json.Array:
		if f.v3 || v.Len() != len(t.Fields) {
			break
		}
		for i, fv := range v.Items() {
			fd := &t.Fields[i]
			if err := f.put(fd.Type, dst[fd.Offset:fd.Offset+fd.Type.Size], fv); err != nil {
				return inField(t, fd, err)
			}
		}
		return nil
	case json.Number:
		if !f.v3 && isZero(v) {
			return nil
		}
	}
	return bad(t, v, "an object of the fields or base64")
}

func inField(t *Type, fd *Field, err error) error {
	msg := err.Error()
	if e, ok := err.(*Error); ok {
		msg = e.Msg
	}
	return invalid(t.Name, "field "+clip(fd.Name)+": "+msg)
}

// putSub reads nested lists of the sub-array's shape. Any other value applies to all its elements.
func (f filler) putSub(t *Type, shape []int, dst []byte, v json.Value) error {
	size := t.Elem.Size
	if len(shape) == 0 {
		return f.put(t.Elem, dst, v)
	}
	if v.Kind() != json.Array {
		if len(dst) == 0 {
			return nil
		}
		if err := f.put(t.Elem, dst[:size], v); err != nil {
			return err
		}
		for i := size; i < len(dst); i += size {
			copy(dst[i:], dst[:size])
		}
		return nil
	}
	if v.Len() != shape[0] {
		return bad(t, v, "a list of the sub-array's shape")
	}
	for i, item := range v.Items() {
		step := len(dst) / shape[0]
		if err := f.putSub(t, shape[1:], dst[i*step:(i+1)*step], item); err != nil {
			return err
		}
	}
	return nil
}

// putOptional reads null or a list of one present value.
func (f filler) putOptional(t *Type, dst []byte, v json.Value) error {
	if v.IsNull() {
		return nil
	}
	items := few(v, 1)
	if len(items) != 1 {
		return bad(t, v, "null or a list of one value")
	}
	dst[0] = 1
	return f.put(t.Elem, dst[1:], items[0])
}

// variable reads the fill of a type of variable length.
func (f filler) variable(t *Type, v json.Value) ([]byte, error) {
	if t.Kind == Optional {
		items := few(v, 1)
		switch {
		case v.IsNull():
			return nil, nil
		case len(items) != 1:
			return nil, bad(t, v, "null or a list of one value")
		}
		return f.variable(t.Elem, items[0])
	}
	if t.Kind == Object {
		if v.IsNull() {
			return nil, nil
		}
		return append([]byte{}, v.Raw()...), nil
	}
	// Writers use null and 0 if there was no fill value.
	if v.IsNull() || isZero(v) {
		return []byte{}, nil
	}
	switch t.Kind {
	case String:
		if s, ok := f.single(v).Text(); ok {
			return append([]byte{}, s...), nil
		}
		if isZero(f.single(v)) {
			return []byte{}, nil
		}
		return nil, bad(t, v, "text")
	case Bytes:
		if s, ok := v.Text(); ok {
			raw, err := base64.StdEncoding.DecodeString(s)
			if err != nil && !f.v3 {
				return []byte(s), nil // plain text
			}
			if err != nil {
				return nil, bad(t, v, "base64")
			}
			return raw, nil
		}
		if v.Kind() == json.Array {
			dst := make([]byte, v.Len())
			return dst, putByteList(t, dst, v)
		}
		return nil, bad(t, v, "base64 or a list of bytes")
	case Ragged:
		if s, ok := v.Text(); ok && s == "" {
			return []byte{}, nil
		}
		if v.Kind() != json.Array || t.Elem.Variable() {
			return nil, bad(t, v, "a list")
		}
		return f.ragged(t, v)
	}
	return nil, bad(t, v, "a value of the type")
}

// ragged packs the items of a list. The result is limited to a few times the size of the document,
// unless an item is much larger than its text.
func (f filler) ragged(t *Type, v json.Value) ([]byte, error) {
	const most = 1 << 24
	if int64(v.Len())*int64(t.Elem.Size) > most {
		return nil, refused(t.Name, "ItemBytes", most, "more bytes in the fill value")
	}
	dst := make([]byte, v.Len()*t.Elem.Size)
	for i, item := range v.Items() {
		if err := f.put(t.Elem, dst[i*t.Elem.Size:(i+1)*t.Elem.Size], item); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
