// Package dtype knows Zarr's data types: how v1, v2 and v3 metadata name them,
// how many bytes an element has, where its scalars lie and in which byte order
// they were stored, and which exact bytes a fill value is.
//
// A [Type] is parsed by [ParseV2] from a numpy typestring or list of fields and
// by [ParseV3] from a v3 data_type. A fill value is parsed by [Type.FillV2] or
// [Type.FillV3] into the bytes of one element, exact to the bit.
//
// # Elements in memory
//
// Once a chunk is decoded its elements are packed and little-endian, whatever
// they were on disk: bool one byte 0 or 1; complex real, imaginary; Unicode
// UTF-32 code units, padded with zeros; datetimes int64 counts of the unit; structs their fields
// in order without padding. Types of less than a byte (int4, float6) keep one
// byte an element. An optional element is one byte 0 (absent) or 1, then the inner element's bytes.
// Elements of variable length ([Type.Variable]) are not packed: each is a
// []byte of its own, holding UTF-8 (String), bytes (Bytes), the packed
// little-endian items (Ragged) or a JSON text (Object); nil is a missing object.
package dtype

import (
	"strconv"
	"strings"
)

// Kind is the family of a data type.
type Kind uint8

// The kinds. Size tells the width where a kind has several.
const (
	Bool      Kind = iota + 1
	Int            // signed integer of 1, 2, 4, 8 bytes; int2 and int4 in one byte
	Uint           // unsigned integer; uint2 and uint4 in one byte
	Float          // IEEE binary16, binary32, binary64
	MiniFloat      // bfloat16, float8_*, float6_*, float4_*: Name tells which
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

// Order is the byte order in which scalars are stored.
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
	// Name is the canonical name: the v3 one where there is one ("int32",
	// "numpy.datetime64", "r24", "struct"), else the v2 typestring without its
	// byte order ("U5", "S3", "V6", "O").
	Name string
	// Size is the bytes of one element in memory, 0 for S0, U0 and V0, and 0 for types of variable length.
	Size int
	// Order is the order in which v2 metadata says the scalars are stored. In v3
	// the bytes codec says it and Order is None.
	Order Order
	// Bits is the meaningful bits of a scalar where that is not Size*8 (int2, int4, float4, float6), else 0.
	Bits int
	// Unit and Scale describe datetimes: a count of Scale Units ("s", "D",
	// "generic" for none); Scale is at least 1.
	Unit  string
	Scale int
	// Fields are a Struct's fields, in order.
	Fields []Field
	// Elem is what a Complex, Optional, Sub or Ragged is made of.
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

// Variable is true when elements have no fixed size: String, Bytes, Ragged,
// Object, and an Optional of one of these (whose absent elements are nil, and
// which has no mask byte).
func (t *Type) Variable() bool {
	return t.Kind >= String || t.Kind == Optional && t.Elem != nil && t.Elem.Kind >= String
}

// Limits bound what a data type may ask for. A zero field means the default.
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

// Error says that a data type or fill value is not valid or not known.
type Error struct {
	// Unsupported is true when the type may be valid but is not known here, false when the
	// metadata is wrong.
	Unsupported bool
	// Limit is the field of Limits that refused the type, else "", and Max its value.
	Limit string
	Max   int64
	// Name is the type's name or typestring as the metadata wrote it.
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

// clip keeps what hostile metadata says from filling an error message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
