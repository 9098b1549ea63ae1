package wire

import (
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// BigInt is a JavaScript BigInt: an integer's digits, with a sign.
type BigInt string

// Buffer becomes an ArrayBuffer that is transferred, not copied again.
type Buffer []byte

// Ints converts integers to a list of numbers.
func Ints(v []int) []any {
	list := make([]any, len(v))
	for i, n := range v {
		list[i] = float64(n)
	}
	return list
}

// Integer converts a number or BigInt that is an integer of 64 bits.
func Integer(v any) (int64, bool) {
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

// Number converts an integer to a JavaScript number. Beyond 2^53 it is rounded: users see counts as
// numbers, and arithmetic on them must not meet a BigInt. Values that must be exact there are not
// sent.
func Number(n int64) any { return float64(n) }

// ErrNotInteger reports a value that is not an integer of 64 bits.
var ErrNotInteger = errors.New("an index is not an integer of 64 bits")

// Integers reads a list of integers of 64 bits.
func Integers(v any) ([]int64, error) {
	list, _ := v.([]any)
	out := make([]int64, len(list))
	for i, e := range list {
		n, ok := Integer(e)
		if !ok {
			return nil, ErrNotInteger
		}
		out[i] = n
	}
	return out, nil
}

// IndicesOf reads a list of indices.
func IndicesOf(o Object) ([]int64, bool) {
	b := o.Bytes(Indices)
	if b == nil || len(b)%8 != 0 {
		return nil, false
	}
	list := make([]int64, len(b)/8)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return list, true
}

// MaxExact is JavaScript's MAX_SAFE_INTEGER.
const MaxExact = 1<<53 - 1

// IsExact reports whether a JavaScript number represents an integer exactly and unambiguously.
func IsExact(n int64) bool { return -MaxExact <= n && n <= MaxExact }

// Numbers converts integers to a list of numbers, as Number does.
func Numbers(v []int64) []any {
	list := make([]any, len(v))
	for i, n := range v {
		list[i] = Number(n)
	}
	return list
}

// FromJSON converts a document's value to a message's. Integers that a JavaScript number cannot
// hold become BigInts.
func FromJSON(v json.Value) any { return new(reader).tree(v) }

// reader converts values of a document or of a message. In a message, a number is JavaScript's,
// {bigint: digits} a BigInt, and {bytes: n} the n-th of the bytes.
type reader struct {
	message bool
	bytes   [][]byte
}

func (r *reader) tree(v json.Value) any {
	switch v.Kind() {
	case json.Bool:
		b, _ := v.Bool()
		return b
	case json.Number:
		f, _ := v.Float64()
		if !r.message && f != 0 { // -0 is a number too
			if n, ok := v.Int64(); ok {
				if IsExact(n) {
					return Number(n)
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
			list = append(list, r.tree(item))
		}
		return list
	case json.Object:
		o := make(Object, 0, v.Len())
		for _, m := range v.Members() {
			o = append(o, Field{m.Name, r.tree(m.Value)})
		}
		if !r.message || len(o) != 1 {
			return o
		}
		if digits, ok := o.Get("bigint").(string); ok {
			return BigInt(digits)
		}
		if n, ok := o.Get("bytes").(float64); ok && n >= 0 && int(n) < len(r.bytes) {
			return r.bytes[int(n)]
		}
		return o
	}
	return nil
}
