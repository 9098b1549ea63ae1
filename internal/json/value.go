// Package json parses JSON the way Zarr's files need it.
//
//	v, err := json.Parse(doc, json.Limits{})
//	n, ok := v.Get("zarr_format").Int64()
//
// Unlike encoding/json, it keeps all digits of integers, the order of an object's members, and the
// source text of every value. Its errors have a line and a column. NaN, Infinity and -Infinity,
// which Python writes, are numbers. encoding/json would add 120 KB to the wasm.
//
// # Leniencies
//
// Beyond RFC 8259 the parser accepts exactly these forms, each tested by name:
//
//   - a UTF-8 byte order mark before the document
//   - bare NaN, Infinity, -Infinity and +Infinity as numbers
//   - a number that ends in its decimal point ("0."), as netCDF-C writes
//   - duplicate member names: the last one wins, as in Python and JavaScript
//
// Trailing commas, comments and single quotes are errors.
//
// [Limits] bounds a document's size, depth and number of values.
//
// Parse checks the whole document, but builds values lazily: a large array or object remains text
// until its items or members are accessed.
package json

import (
	"math"
	"strconv"
	"sync/atomic"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of JSON values. The zero Value, which a failed look-up returns, has the kind Invalid.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind's name as error messages use it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "nothing"
}

// Value is a JSON value. It is immutable and cheap to copy. It refers to the document that it was
// parsed from.
type Value struct {
	// The field is a pointer because values are passed often, and Go's wasm has no registers for
	// arguments. nil is the zero Value.
	n *node
}

type node struct {
	kind    Kind
	truth   bool
	raw     []byte                  // the value's own source text
	text    string                  // String: the decoded text
	content atomic.Pointer[content] // of an array or object that has been accessed
}

// content holds the items or members of an array or object.
type content struct {
	items   []Value
	members []Member
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Invalid
	}
	return v.n.kind
}

// Exists returns false for the zero Value.
func (v Value) Exists() bool { return v.n != nil }

// IsNull reports whether v is null or the zero Value. Readers of metadata usually treat a null
// member as absent.
func (v Value) IsNull() bool { return v.n == nil || v.n.kind == Null }

// Raw returns the value's source text, byte for byte. It must not be modified.
func (v Value) Raw() []byte {
	if v.n == nil {
		return nil
	}
	return v.n.raw
}

// Bool returns the boolean, and whether v is one.
func (v Value) Bool() (b, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.n.truth, true
}

// Text returns the decoded string, and whether v is one.
func (v Value) Text() (string, bool) {
	if v.Kind() != String {
		return "", false
	}
	return v.n.text, true
}

// Number returns the number's literal as written, and whether v is one. NaN,
// Infinity and -Infinity are numbers.
func (v Value) Number() (string, bool) {
	if v.Kind() != Number {
		return "", false
	}
	return string(v.n.raw), true
}

// Int64 returns the number exactly. It returns false unless v is an integer of 64 bits. Below 2^53
// it accepts a fraction of zeros ("3.0") and an exponent that leaves an integer ("1e3").
func (v Value) Int64() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v.n.raw), 10, 64); err == nil {
		return n, true
	}
	f, ok := v.Float64()
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Uint64 is [Value.Int64] for unsigned integers.
func (v Value) Uint64() (uint64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if n, err := strconv.ParseUint(string(v.n.raw), 10, 64); err == nil {
		return n, true
	}
	n, ok := v.Int64()
	return uint64(n), ok && n >= 0
}

// Float64 returns the number rounded to the nearest binary64, and whether v is a number. Literals
// beyond the range return ±Inf.
func (v Value) Float64() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	switch string(v.n.raw) {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "+Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	// ParseFloat returns ±Inf together with its range error.
	f, _ := strconv.ParseFloat(string(v.n.raw), 64)
	return f, true
}

// Len returns the number of items of an array or members of an object, else 0. It builds no items.
func (v Value) Len() int {
	if v.Kind() == Array && v.n.content.Load() == nil {
		p := v.parser()
		p.skip = true
		_ = p.array(&p.none, 0)
		return p.length
	}
	return len(v.Members()) + len(v.Items())
}

// parser returns a parser for the value's text, which has passed the checks and limits.
func (v Value) parser() *parser {
	return &parser{doc: v.n.raw, lim: Limits{Depth: math.MaxInt, Values: math.MaxInt}}
}

// Items returns the items of an array, else nil. The slice must not be modified.
func (v Value) Items() []Value {
	if v.Kind() != Array {
		return nil
	}
	return v.content().items
}

// content returns the items or members of an array or object.
func (v Value) content() *content {
	if c := v.n.content.Load(); c != nil {
		return c
	}
	c, _ := v.parser().composite(v.n.kind, 0)
	v.n.content.Store(c)
	return c
}

// Forgetful returns a copy of the value without its cached items or members. Anything built from
// the copy lives no longer than the copy.
func (v Value) Forgetful() Value {
	if k := v.Kind(); k != Array && k != Object {
		return v
	}
	return Value{&node{kind: v.n.kind, raw: v.n.raw}}
}

// Members returns the members of an object in the order of the document, else nil. The last of
// duplicate names wins. The slice must not be modified.
func (v Value) Members() []Member {
	if v.Kind() != Object {
		return nil
	}
	return v.content().members
}

// Get returns the member of that name, or the zero Value.
func (v Value) Get(name string) Value {
	for _, m := range v.Members() {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// Peek returns a member like [Value.Get] but caches nothing. It serves single look-ups in large
// objects.
func (v Value) Peek(name string) Value {
	if v.Kind() != Object || v.n.content.Load() != nil {
		return v.Get(name)
	}
	var found Value
	all := Limits{Bytes: math.MaxInt, Depth: math.MaxInt, Values: math.MaxInt}
	_ = Walk(v.n.raw, all, func(at int, other, _ []byte) error {
		if string(other) == name {
			found = ValueAt(v.n.raw, at)
		}
		return nil
	})
	return found
}

// Text returns a string value.
func Text(s string) Value {
	return Value{&node{kind: String, text: s, raw: AppendString(nil, s)}}
}

// EmptyObject returns the value of the document {}.
func EmptyObject() Value { return Value{&node{kind: Object, raw: []byte("{}")}} }

// Make returns an object value with these members, in order.
func Make(members ...Member) Value {
	raw := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = AppendString(raw, m.Name)
		raw = append(raw, ':')
		raw = append(raw, m.Value.Raw()...)
	}
	n := &node{kind: Object, raw: append(raw, '}')}
	n.content.Store(&content{members: members})
	return Value{n}
}

// AppendString appends s as a JSON string literal.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
