// Package dtype implements Zarr's data types. It knows their names in v1, v2 and v3 metadata, and
// the size of an element. It also knows the places and byte order of stored scalars, and the exact
// bytes of a fill value.
//
// [ParseV2] parses a [Type] from a numpy typestring or list of fields, and [ParseV3] from a v3
// data_type. [Type.FillV2] and [Type.FillV3] parse a fill value into the bytes of one element,
// exact to the bit.
//
// # Elements in memory
//
// The elements of a decoded chunk are packed and little-endian, whatever their stored form:
//
//   - A bool is one byte 0 or 1.
//   - A complex number is its real and its imaginary part.
//   - Unicode is UTF-32 code units, padded with zeros.
//   - A datetime is an int64 count of the unit.
//   - A struct is its fields in order without padding.
//   - Types of less than a byte (int4, float6) take one byte an element.
//   - An optional element is one byte 0 (absent) or 1, then the inner element's bytes.
//
// Elements of variable length ([Type.Variable]) are not packed: each is a separate []byte. It holds
// UTF-8 (String), bytes (Bytes), the packed little-endian items (Ragged) or a JSON text (Object);
// nil is a missing object.
package dtype

import (
	"strconv"
	"strings"
)

// Kind is the family of a data type.
type Kind uint8

// The kinds. If a kind has several widths, Size distinguishes them.
const (
	Bool      Kind = iota + 1
	Int            // signed integer of 1, 2, 4, 8 bytes; int2 and int4 in one byte
	Uint           // unsigned integer; uint2 and uint4 in one byte
	Float          // IEEE binary16, binary32, binary64
	MiniFloat      // bfloat16, float8_*, float6_*, float4_*: by Name
	Complex        // two of Elem: real, imaginary
	Char           // fixed number of bytes, NUL padded: S, null_terminated_bytes
	Unicode        // fixed number of UCS-4 units, NUL padded: U, fixed_length_utf32
	Raw            // fixed number of opaque bytes: V, r<N>, raw_bytes
	DateTime       // int64 count of Unit since 1970
	TimeDelta      // int64 count of Unit
	Struct         // Fields, packed
	Optional       // mask byte, then Elem
	Sub            // sub-array of Shape of Elem: a struct's field only
	String         // variable length: UTF-8
	Bytes          // variable length: bytes
	Ragged         // variable length: items of Elem (vlen-array)
	Object         // variable length: a JSON value each (v2 "|O")
)

// Order is the byte order of stored scalars.
type Order uint8

// Byte orders. None is for types whose scalars are single bytes.
const (
	None Order = iota
	Little
	Big
)

// Type is one data type. It is immutable once parsed.
type Type struct {
	Kind Kind
	// Name is the canonical name. It is the v3 name if there is one ("int32", "numpy.datetime64",
	// "r24", "struct"), else the v2 typestring without its byte order ("U5", "S3", "V6", "O").
	Name string
	// Size is the size of one element in memory, in bytes. It is 0 for S0, U0 and V0, and for types
	// of variable length.
	Size int
	// Order is the order of stored scalars in v2 metadata. In v3 the bytes codec determines it, and
	// Order is None.
	Order Order
	// Bits is the number of meaningful bits of a scalar if it is not Size*8 (int2, int4, float4,
	// float6), else 0.
	Bits int
	// Unit and Scale describe datetimes: a count of Scale Units ("s", "D",
	// "generic" for none); Scale is at least 1.
	Unit  string
	Scale int
	// Fields are a Struct's fields, in order.
	Fields []Field
	// Elem is the element type of a Complex, Optional, Sub or Ragged.
	Elem *Type
	// Shape is a Sub's shape.
	Shape []int
}

// Field is one field of a struct.
type Field struct {
	Name   string
	Offset int // from the start of the packed element
	Type   *Type
}

// Variable reports whether elements have no fixed size: String, Bytes, Ragged, Object, and an
// Optional of one of these. Such an Optional has nil for absent elements, and no mask byte.
func (t *Type) Variable() bool {
	return t.Kind >= String || t.Kind == Optional && t.Elem != nil && t.Elem.Kind >= String
}

// Limits bound the complexity of a data type. A zero field means the default.
type Limits struct {
	ItemBytes int64 // bytes of one element; default 1 MiB
	Depth     int   // structs inside of structs; default 16
	Fields    int   // fields of all structs together; default 10,000
}

func (l Limits) withDefaults() Limits {
	if l.ItemBytes == 0 {
		l.ItemBytes = 1 << 20
	}
	if l.Depth == 0 {
		l.Depth = 16
	}
	if l.Fields == 0 {
		l.Fields = 10_000
	}
	return l
}

// Error reports that a data type or fill value is invalid or unknown.
type Error struct {
	// Unsupported is true if the type may be valid but is unknown, and false if the metadata is
	// wrong.
	Unsupported bool
	// Limit is the field of Limits that the type exceeds, else "", and Max is its value.
	Limit string
	Max   int64
	// Name is the type's name or typestring in the metadata.
	Name string
	Msg  string
}

func (e *Error) Error() string { return "data type " + e.Name + ": " + e.Msg }

func invalid(name, msg string) *Error { return &Error{Name: clip(name), Msg: msg} }

func unsupported(name, msg string) *Error {
	return &Error{Unsupported: true, Name: clip(name), Msg: msg}
}

func refused(name, limit string, max int64, what string) *Error {
	return &Error{
		Unsupported: true, Limit: limit, Max: max, Name: clip(name),
		Msg: what + " than the limit " + limit + " of " + strconv.FormatInt(max, 10),
	}
}

// clip shortens hostile metadata in error messages.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
