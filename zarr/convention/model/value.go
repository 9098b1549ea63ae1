package model

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// Value is a JSON value. A model is an object.
type Value = json.Value

// Parse parses JSON as in Zarr's documents: bare NaN and Infinity are numbers.
func Parse(text []byte) (Value, error) { return json.Parse(text, json.Limits{Bytes: 256 << 20}) }

// maxDepth bounds the nesting of values.
const maxDepth = 500

// checkDepth returns an error beyond maxDepth.
func checkDepth(depth int) error {
	if depth > maxDepth {
		return &zarr.LimitError{Limit: "depth", Max: maxDepth, Asked: int64(depth), What: "a value"}
	}
	return nil
}

// canonical appends a canonical text of v: equal JSON values have equal texts. The order of members
// and the notation of numbers do not matter.
func canonical(dst []byte, v Value) []byte {
	switch v.Kind() {
	case json.Array:
		dst = append(dst, '[')
		for i, one := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = canonical(dst, one)
		}
		return append(dst, ']')
	case json.Object:
		dst = append(dst, '{')
		members := slices.Clone(v.Members())
		slices.SortFunc(members, func(a, b json.Member) int { return strings.Compare(a.Name, b.Name) })
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = canonical(append(json.AppendString(dst, m.Name), ':'), m.Value)
		}
		return append(dst, '}')
	case json.String:
		text, _ := v.Text()
		return json.AppendString(dst, text)
	case json.Number:
		n, _ := numberOf(v)
		return append(dst, n.text()...)
	}
	return append(dst, v.Raw()...)
}

func equal(a, b Value) bool { return string(canonical(nil, a)) == string(canonical(nil, b)) }

// number is a number as JavaScript's reader sees it. An integer literal beyond binary64's precision
// is exact; every other number is a binary64.
type number struct {
	float   float64
	integer *big.Int // nil for a floating-point number
}

func numberOf(v Value) (number, bool) {
	literal, ok := v.Number()
	if !ok {
		return number{}, false
	}
	if strings.Trim(literal, "-0123456789") == "" && len(literal) > 15 {
		n, _ := new(big.Int).SetString(literal, 10)
		return number{integer: n}, true
	}
	f, _ := v.Float64()
	return number{float: f}, true
}

// whole returns the integer that the number is, or nil.
func (n number) whole() *big.Int {
	if n.integer != nil || math.IsInf(n.float, 0) || n.float != math.Trunc(n.float) {
		return n.integer
	}
	i, _ := new(big.Float).SetFloat64(n.float).Int(nil)
	return i
}

func (n number) text() string {
	if i := n.whole(); i != nil {
		return i.String()
	}
	if math.IsInf(n.float, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(n.float, 'g', -1, 64), "+") + "inity"
	}
	return strconv.FormatFloat(n.float, 'g', -1, 64)
}
