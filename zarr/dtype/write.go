package dtype

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// AppendV2 appends the type as the dtype of v2 metadata. Errors are *[Error].
func (t *Type) AppendV2(dst []byte) ([]byte, error) {
	if err := t.inV2(); err != nil {
		return nil, err
	}
	if t.Kind == Struct {
		return t.appendFields(dst), nil
	}
	return json.AppendString(dst, t.V2String()), nil
}

// inV2 rejects types that v2 metadata cannot name.
func (t *Type) inV2() error {
	switch t.Kind {
	case Optional:
		return unsupported(t.Name, "v2 metadata has no such type")
	case Struct:
		for i := range t.Fields {
			if err := t.Fields[i].Type.inV2(); err != nil {
				return err
			}
		}
	case Sub:
		return t.Elem.inV2()
	}
	return nil
}

// AppendV3 appends the type as the data_type of v3 metadata. Errors are *[Error].
func (t *Type) AppendV3(dst []byte) ([]byte, error) {
	switch t.Kind {
	case Char:
		return appendSized(dst, "null_terminated_bytes", t.Size), nil
	case Unicode:
		return appendSized(dst, "fixed_length_utf32", t.Size), nil
	case Raw:
		if t.Name[0] == 'r' && t.Name != "raw_bytes" {
			break
		}
		return appendSized(dst, "raw_bytes", t.Size), nil
	case DateTime, TimeDelta:
		dst = append(dst, `{"name":"`+t.Name+`","configuration":{"unit":"`+t.Unit+`","scale_factor":`...)
		return append(strconv.AppendInt(dst, int64(t.Scale), 10), "}}"...), nil
	case Struct:
		return t.appendV3Struct(dst)
	case Optional:
		return t.appendV3Optional(dst)
	case Sub, Ragged, Object:
		return nil, unsupported(t.Name, "v3 metadata has no such type")
	}
	return json.AppendString(dst, t.Name), nil
}

func appendSized(dst []byte, name string, size int) []byte {
	dst = append(dst, `{"name":"`+name+`","configuration":{"length_bytes":`...)
	return append(strconv.AppendInt(dst, int64(size), 10), "}}"...)
}

func (t *Type) appendV3Struct(dst []byte) (_ []byte, err error) {
	dst = append(dst, `{"name":"struct","configuration":{"fields":[`...)
	for i := range t.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":`...)
		dst = json.AppendString(dst, t.Fields[i].Name)
		dst = append(dst, `,"data_type":`...)
		if dst, err = t.Fields[i].Type.AppendV3(dst); err != nil {
			return nil, err
		}
		dst = append(dst, '}')
	}
	return append(dst, "]}}"...), nil
}

// appendV3Optional writes the configuration like zarrs: a name, and the configuration of the inner
// type, which is always an object.
func (t *Type) appendV3Optional(dst []byte) ([]byte, error) {
	inner, err := t.Elem.AppendV3(nil)
	if err != nil {
		return nil, err
	}
	if inner[0] == '"' {
		inner = append(append([]byte(`{"name":`), inner...), `,"configuration":{}}`...)
	}
	dst = append(dst, `{"name":"zarrs.optional","configuration":`...)
	return append(append(dst, inner...), '}'), nil
}

// AppendFillV2 appends the fill_value of v2 metadata for the bytes of one element. [Type.FillV2]
// parses it into the same bytes, to the bit. A NaN with a payload is an error, because v2 cannot
// write it. Errors are *[Error].
func (t *Type) AppendFillV2(dst, fill []byte) ([]byte, error) { return t.appendFill(dst, fill, false) }

// AppendFillV3 appends the fill_value of v3 metadata. [Type.FillV3] parses it into the same bytes,
// to the bit. Errors are *[Error].
func (t *Type) AppendFillV3(dst, fill []byte) ([]byte, error) { return t.appendFill(dst, fill, true) }

// PortableFill reports whether every reader makes the bytes fill of the fill value v of metadata.
// The value must follow the specification, without the leniencies of [Type.FillV2] and
// [Type.FillV3]. Readers disagree on some values nonetheless:
//
//   - If JSON numbers are binary64, an integer of more than 53 bits is rounded.
//   - zarr-python 2 computes a complex number from its parts. An infinity or the sign of a zero in
//     one part then changes the other.
//   - In version 2, zarrita takes the base64 of fixed bytes for text, and half a surrogate pair for
//     a character. Objects have no form there that all readers share except text.
func (t *Type) PortableFill(v json.Value, fill []byte, v3 bool) bool {
	switch t.Kind {
	case Int, DateTime, TimeDelta:
		up := 64 - 8*len(fill)
		n := int64(le(fill)<<up) >> up
		return v.Kind() == json.Number && exact(uint64(max(n, -n)))
	case Uint:
		return v.Kind() == json.Number && exact(le(fill))
	case Float, MiniFloat:
		if plain64(v) {
			return true
		}
	case Complex:
		parts := few(v, 2)
		return len(parts) == 2 && plain64(parts[0]) && plain64(parts[1])
	case Char:
		if !v3 && len(bytes.Trim(fill, "\x00")) > 0 {
			return false
		}
	case Unicode:
		for i := 0; i < len(fill); i += 4 {
			if le(fill[i:i+4]) > 0xffff {
				return false
			}
		}
	case Bytes, Ragged, Object:
		if !v3 {
			return false
		}
	}
	text, err := t.appendFill(nil, fill, v3)
	return err == nil && bytes.Equal(json.AppendLaidOut(nil, text, json.Layout{}), json.AppendLaidOut(nil, v.Raw(), json.Layout{}))
}

// exact reports whether a binary64 has the value of an integer.
func exact(n uint64) bool { return bits.Len64(n)-bits.TrailingZeros64(n) <= 53 }

// plain64 reports whether a value is a finite number, and no negative zero: some readers take "-0"
// for an integer.
func plain64(v json.Value) bool {
	x, ok := v.Float64()
	return ok && !math.IsInf(x, 0) && x == x && (x != 0 || !math.Signbit(x))
}

func (t *Type) appendFill(dst, fill []byte, v3 bool) ([]byte, error) {
	w := fillWriter{v3}
	if t.Variable() {
		return w.variable(dst, t, fill)
	}
	if len(fill) != t.Size {
		return nil, invalid(t.Name, "fill value of "+strconv.Itoa(len(fill))+" bytes for elements of "+strconv.Itoa(t.Size))
	}
	return w.value(dst, t, fill)
}

// fillWriter writes fill values in the form of one version of the metadata.
type fillWriter struct{ v3 bool }

// le returns the little-endian integer of up to eight bytes.
func le(b []byte) uint64 {
	var n uint64
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	return n
}

func (w fillWriter) value(dst []byte, t *Type, b []byte) ([]byte, error) {
	switch t.Kind {
	case Bool:
		return strconv.AppendBool(dst, b[0] != 0), nil
	case Uint:
		return strconv.AppendUint(dst, le(b), 10), nil
	case Int:
		up := 64 - 8*t.Size
		return strconv.AppendInt(dst, int64(le(b)<<up)>>up, 10), nil
	case DateTime, TimeDelta:
		return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(b)), 10), nil
	case Float, MiniFloat:
		return w.float(dst, t, le(b))
	case Complex:
		half := t.Elem.Size
		dst, err := w.float(append(dst, '['), t.Elem, le(b[:half]))
		if err == nil {
			dst, err = w.float(append(dst, ','), t.Elem, le(b[half:]))
		}
		return append(dst, ']'), err
	case Char:
		return appendBase64(dst, bytes.TrimRight(b, "\x00")), nil
	case Raw:
		if w.v3 && t.Name[0] == 'r' && t.Name != "raw_bytes" {
			return appendByteList(dst, b), nil
		}
		return appendBase64(dst, b), nil
	case Unicode:
		return w.unicode(dst, t, b)
	case Struct:
		if w.v3 {
			return w.structure(dst, t, b)
		}
		stored := bytes.Clone(b)
		t.ToLittle(stored, None) // and back: two swaps cancel out
		return appendBase64(dst, stored), nil
	case Optional:
		if b[0] == 0 {
			return w.absent(dst, t, b)
		}
		dst, err := w.value(append(dst, '['), t.Elem, b[1:])
		return append(dst, ']'), err
	}
	return nil, unsupported(t.Name, "fill value of a type that metadata does not have")
}

// absent writes an absent optional. Its element is not written.
func (w fillWriter) absent(dst []byte, t *Type, b []byte) ([]byte, error) {
	if len(bytes.TrimLeft(b, "\x00")) > 0 {
		return nil, invalid(t.Name, "fill value is absent, and has an element")
	}
	return append(dst, "null"...), nil
}

// float writes a number that rounds to the same bits. It writes infinities and NaN by name or by
// their bits.
func (w fillWriter) float(dst []byte, t *Type, code uint64) ([]byte, error) {
	layout, ok := t.layout()
	if !ok {
		return nil, invalid(t.Name, "fill value of an unknown floating-point type")
	}
	x := layout.decode(code)
	if again, ok := layout.encode(x); !ok || again != code {
		if !w.v3 {
			return nil, unsupported(t.Name, "fill value 0x"+hexOf(t, code)+" cannot be written in v2 metadata, which has one NaN")
		}
		return append(append(append(dst, `"0x`...), hexOf(t, code)...), '"'), nil
	}
	switch {
	case x != x:
		return append(dst, `"NaN"`...), nil
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...), nil
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...), nil
	}
	return AppendRepr(dst, x), nil
}

// hexOf returns the bits of a float, two digits a byte.
func hexOf(t *Type, code uint64) string {
	s := strconv.FormatUint(code, 16)
	return strings.Repeat("0", max(2*t.Size-len(s), 0)) + s
}

// AppendRepr appends a finite number like Python's repr: the shortest text for the number, always
// with a point or an exponent.
func AppendRepr(dst []byte, x float64) []byte {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, x, 'e', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
	if bytes.IndexByte(dst[from:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

func appendByteList(dst, b []byte) []byte {
	dst = append(dst, '[')
	for i, c := range b {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, uint64(c), 10)
	}
	return append(dst, ']')
}

func (w fillWriter) unicode(dst []byte, t *Type, b []byte) ([]byte, error) {
	var text []byte
	end := 0
	for i := 0; i < len(b); i += 4 {
		r := le(b[i : i+4])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return nil, invalid(t.Name, "fill value has an invalid code point")
		}
		if text = utf8.AppendRune(text, rune(r)); r != 0 {
			end = len(text)
		}
	}
	return json.AppendString(dst, string(text[:end])), nil
}

// structure writes the fields by name.
func (w fillWriter) structure(dst []byte, t *Type, b []byte) (_ []byte, err error) {
	dst = append(dst, '{')
	for i := range t.Fields {
		f := &t.Fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(json.AppendString(dst, f.Name), ':')
		if dst, err = w.value(dst, f.Type, b[f.Offset:f.Offset+f.Type.Size]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// variable writes an element of variable length.
func (w fillWriter) variable(dst []byte, t *Type, b []byte) ([]byte, error) {
	switch t.Kind {
	case Optional:
		if b == nil {
			return append(dst, "null"...), nil
		}
		dst, err := w.variable(append(dst, '['), t.Elem, b)
		return append(dst, ']'), err
	case Object:
		if b == nil {
			return append(dst, "null"...), nil
		}
		return append(dst, b...), nil
	case String:
		if !utf8.Valid(b) {
			return nil, invalid(t.Name, "fill value is not UTF-8")
		}
		return json.AppendString(dst, string(b)), nil
	case Bytes:
		return appendBase64(dst, b), nil
	case Ragged:
		if t.Elem.Size == 0 || len(b)%t.Elem.Size != 0 {
			return nil, invalid(t.Name, "fill value is not a whole number of items")
		}
		dst = append(dst, '[')
		for i := 0; i < len(b); i += t.Elem.Size {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = w.value(dst, t.Elem, b[i:i+t.Elem.Size]); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	return nil, unsupported(t.Name, "fill value of a type that metadata does not have")
}

// WithOrder returns the type with all its scalars of more than a byte stored in that order.
func (t *Type) WithOrder(o Order) *Type {
	u := *t
	if t.Elem != nil {
		u.Elem = t.Elem.WithOrder(o)
	}
	if width, _ := t.scalar(); width > 1 {
		u.Order = o
	}
	u.Fields = slices.Clone(t.Fields)
	for i := range u.Fields {
		u.Fields[i].Type = u.Fields[i].Type.WithOrder(o)
	}
	return &u
}
