package rpc

import (
	"strconv"

	"zarr-wasm/internal/json"
)

// Values of messages are: nil, bool, float64, string, [BigInt], []byte (a
// Uint8Array), [Buffer], []any and [Object].

// Object is a JavaScript object, its members in order.
type Object []Field

// Field is one member of an Object.
type Field struct {
	Name  string
	Value any
}

// BigInt is a JavaScript BigInt: the digits of an integer, with a sign.
type BigInt string

// Buffer becomes an ArrayBuffer that is transferred, not copied again.
type Buffer []byte

// Get returns the member of that name, or nil.
func (o Object) Get(name string) any {
	for _, f := range o {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// The getters and adders stay out of line: inlined in a hundred places they would be
// 50 KB of the wasm.

//go:noinline
func (o Object) text(name string) string {
	s, _ := o.Get(name).(string)
	return s
}

//go:noinline
func (o Object) number(name string) int {
	f, _ := o.Get(name).(float64)
	return int(f)
}

//go:noinline
func (o Object) flag(name string) bool {
	b, _ := o.Get(name).(bool)
	return b
}

// object is a member that is an object; nil where there is none.
//
//go:noinline
func (o Object) object(name string) Object {
	inner, _ := o.Get(name).(Object)
	return inner
}

// memory is a member that is memory of JavaScript's; nil where there is none.
//
//go:noinline
func (o Object) memory(name string) Memory {
	m, _ := o.Get(name).(Memory)
	return m
}

// ints are the integers of a list; what is none counts as 0.
func (o Object) ints(name string) []int {
	list, _ := o.Get(name).([]any)
	out := make([]int, len(list))
	for i, v := range list {
		f, _ := v.(float64)
		out[i] = int(f)
	}
	return out
}

//go:noinline
func (o *Object) add(name string, v any) { *o = append(*o, Field{name, v}) }

//go:noinline
func (o *Object) addText(name, text string) { o.add(name, text) }

//go:noinline
func (o *Object) addInt(name string, n int) { o.add(name, float64(n)) }

//go:noinline
func (o *Object) addInts(name string, v []int) { o.add(name, ints(v)) }

func ints(v []int) []any {
	list := make([]any, len(v))
	for i, n := range v {
		list[i] = float64(n)
	}
	return list
}

// integer reads a number or BigInt that is an integer of 64 bits.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case float64:
		n := int64(v)
		return n, float64(n) == v && v < 1<<63
	case BigInt:
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// number makes a JavaScript number of an integer. Beyond 2^53 it is rounded: what the protocol
// counts is told to users as numbers, and code that calculates with it must not meet a BigInt. What has to be exact
// there is not sent.
func number(n int64) any { return float64(n) }

// integers reads a list of integers of 64 bits.
func integers(v any) ([]int64, error) {
	list, _ := v.([]any)
	out := make([]int64, len(list))
	for i, e := range list {
		n, ok := integer(e)
		if !ok {
			return nil, errNotInteger
		}
		out[i] = n
	}
	return out, nil
}

// mostExact is JavaScript's MAX_SAFE_INTEGER.
const mostExact = 1<<53 - 1

// isExact tells whether a JavaScript number holds an integer and no other that is close.
func isExact(n int64) bool { return -mostExact <= n && n <= mostExact }

func numbers(v []int64) []any {
	list := make([]any, len(v))
	for i, n := range v {
		list[i] = number(n)
	}
	return list
}

// fromJSON turns a document's value into a message's. Integers that a
// JavaScript number cannot hold become BigInts.
func fromJSON(v json.Value) any { return tree(v, false) }

// tree is fromJSON, or of a message as JavaScript writes it: there a number is what it is to JavaScript, and
// {bigint: digits} a BigInt.
func tree(v json.Value, message bool) any {
	switch v.Kind() {
	case json.Bool:
		b, _ := v.Bool()
		return b
	case json.Number:
		f, _ := v.Float64()
		if !message && f != 0 { // -0 is a number too
			if n, ok := v.Int64(); ok {
				if isExact(n) {
					return number(n)
				}
				return BigInt(strconv.FormatInt(n, 10))
			}
			if n, ok := v.Uint64(); ok {
				return BigInt(strconv.FormatUint(n, 10))
			}
		}
		return f
	case json.String:
		s, _ := v.Text()
		return s
	case json.Array:
		list := make([]any, 0, v.Len())
		for _, item := range v.Items() {
			list = append(list, tree(item, message))
		}
		return list
	case json.Object:
		o := make(Object, 0, v.Len())
		for _, m := range v.Members() {
			o = append(o, Field{m.Name, tree(m.Value, message)})
		}
		if digits, ok := o.Get("bigint").(string); message && ok && len(o) == 1 {
			return BigInt(digits)
		}
		return o
	}
	return nil
}
