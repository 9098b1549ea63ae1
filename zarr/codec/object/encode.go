package object

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// writer is a format that supports writing.
type writer interface {
	// write appends the document of a shape. element returns the JSON text of the i-th element,
	// which stays valid until the next call. The type is numpy's typestring. Non-ASCII characters
	// are escaped if the format allows it.
	write(d *document, dst []byte, shape []int, typ string, ascii bool, element func(i int) ([]byte, error)) ([]byte, error)
}

// CheckEncode implements codec.EncodeChecker.
func (d *document) CheckEncode() error {
	if _, ok := d.format.(writer); !ok {
		return &codec.UnsupportedError{Feature: "writing with the codec " + d.name}
	}
	return nil
}

// Encode implements codec.ArrayToBytesEncoder. It writes the newer form of the document, which
// contains the shape.
func (d *document) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	if !a.Type.Variable() {
		return d.encodeFixed(env, a.Type, a.Shape, src.Data)
	}
	size := 64
	for _, item := range src.Items {
		size += len(item) + 8
	}
	var scratch []byte
	return d.format.(writer).write(d, env.Buffer(size)[:0], a.Shape, a.Type.V2String(), a.Type.Kind == dtype.String, func(i int) ([]byte, error) {
		switch item := src.Items[i]; {
		case a.Type.Kind == dtype.String:
			if !utf8.Valid(item) {
				return nil, codec.Unfit("an element is not UTF-8")
			}
			scratch = json.AppendString(scratch[:0], string(item))
			return scratch, nil
		case item == nil:
			return []byte("null"), nil
		default:
			if _, err := d.parse(item); err != nil {
				return nil, codec.Unfit("an element is not JSON")
			}
			return item, nil
		}
	})
}

// encodeFixed encodes elements of fixed size, packed and little-endian.
func (d *document) encodeFixed(env *codec.Env, t *dtype.Type, shape []int, src []byte) ([]byte, error) {
	var text func(scratch, element []byte) []byte
	switch domain := ndarray.DomainOf(t); {
	case t.Kind == dtype.Bool:
		text = func(scratch, element []byte) []byte { return strconv.AppendBool(scratch, element[0] != 0) }
	case t.Kind == dtype.Int:
		text = func(scratch, element []byte) []byte {
			return strconv.AppendInt(scratch, int64(ndarray.Load(element, 0, t)), 10)
		}
	case t.Kind == dtype.Uint:
		text = func(scratch, element []byte) []byte {
			return strconv.AppendUint(scratch, uint64(ndarray.Load(element, 0, t)), 10)
		}
	case domain == ndarray.DomainReal:
		text = func(scratch, element []byte) []byte {
			return appendNumber(scratch, ndarray.Load(element, 0, t).Float())
		}
	case t.Kind == dtype.Unicode:
		text = func(scratch, element []byte) []byte { return json.AppendString(scratch, unicode(element)) }
	default:
		return nil, &codec.UnsupportedError{Feature: "writing elements of type " + t.Name + " with the codec " + d.name}
	}
	var scratch []byte
	return d.format.(writer).write(d, env.Buffer(len(src)*4 + 64)[:0], shape, t.V2String(), true, func(i int) ([]byte, error) {
		scratch = text(scratch[:0], src[i*t.Size:(i+1)*t.Size])
		return scratch, nil
	})
}

// unicode returns the text of little-endian UTF-32 units, without the zeros at its end.
func unicode(element []byte) string {
	var b []byte
	for len(element) >= 4 {
		b = utf8.AppendRune(b, rune(element[0])|rune(element[1])<<8|rune(element[2])<<16|rune(element[3])<<24)
		element = element[4:]
	}
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return string(b)
}

// appendNumber appends a number as Python writes it into JSON.
func appendNumber(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	return dtype.AppendRepr(dst, f)
}

// CheckEncode implements codec.EncodeChecker.
func (f *filter) CheckEncode() error { return f.doc.CheckEncode() }

// Encode implements codec.BytesToBytesEncoder.
func (f *filter) Encode(env *codec.Env, src []byte) ([]byte, error) {
	little := env.Buffer(len(src))
	copy(little, src)
	f.typ.ToLittle(little, dtype.None)
	return f.doc.encodeFixed(env, f.typ, f.shape, little)
}

// nested calls open and end around the lists of a shape, and element for their contents. It leaves
// the first list open.
func nested(shape []int, open func(n int), end func(), element func() error) error {
	if len(shape) == 0 {
		return element()
	}
	open(shape[0])
	for range shape[0] {
		if err := nested(shape[1:], open, end, element); err != nil {
			return err
		}
	}
	end()
	return nil
}

// write implements writer like Python's json.dumps with numcodecs' usual arguments: without spaces,
// and with all but ASCII escaped. The texts of objects stay byte for byte, as in reading.
func (jsonText) write(_ *document, dst []byte, shape []int, typ string, ascii bool, element func(i int) ([]byte, error)) ([]byte, error) {
	i := 0
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	dst = append(dst, '[')
	value := func() error {
		text, err := element(i)
		i++
		comma()
		if ascii {
			dst = appendASCII(dst, text)
		} else {
			dst = append(dst, text...)
		}
		return err
	}
	open := func(int) {
		comma()
		dst = append(dst, '[')
		first = true
	}
	end := func() {
		dst = append(dst, ']')
		first = false
	}
	rows := 1 // an element without dimensions is the list's only item
	inner := []int(nil)
	if len(shape) > 0 {
		rows, inner = shape[0], shape[1:]
	}
	for range rows {
		if err := nested(inner, open, end, value); err != nil {
			return nil, err
		}
	}
	comma()
	dst = appendASCII(dst, json.AppendString(nil, typ))
	open(0)
	for _, n := range shape {
		comma()
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, ']', ']'), nil
}

// appendASCII appends JSON text with all non-ASCII characters escaped; only strings have them.
func appendASCII(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	unit := func(u rune) {
		dst = append(dst, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	for len(text) > 0 {
		if c := text[0]; c < 0x7f {
			dst = append(dst, c)
			text = text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r >= 0x10000 {
			r -= 0x10000
			unit(0xd800 + r>>10)
			r = 0xdc00 + r&0x3ff
		}
		unit(r)
	}
	return dst
}
