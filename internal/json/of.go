package json

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The errors of [Of].
var (
	errNoJSON   = errors.New("value has no JSON representation")
	errInfinite = errors.New("NaN and infinity have no JSON representation")
	errText     = errors.New("string is not valid UTF-8")
	errDepth    = errors.New("values are nested too deeply")
)

// Of converts a Go value. It accepts nil, a bool, an integer, a floating-point number, a string and
// a Value. It also accepts slices, and maps with string keys, of these or of any. A map's members
// are sorted by name.
func Of(v any) (Value, error) {
	if v, ok := v.(Value); ok {
		return v, nil
	}
	doc, err := appendValue(nil, v, 128)
	if err != nil {
		return Value{}, err
	}
	return Parse(doc, Limits{Bytes: len(doc) + 1, Depth: 130, Values: math.MaxInt})
}

func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	if depth == 0 {
		return nil, errDepth
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case Value:
		if !v.Exists() {
			return append(dst, "null"...), nil
		}
		return append(dst, v.Raw()...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		if !utf8.ValidString(v) {
			return nil, errText
		}
		return AppendString(dst, v), nil
	case []any:
		return appendList(dst, v, depth)
	case []string:
		return appendList(dst, v, depth)
	case []int:
		return appendList(dst, v, depth)
	case []int64:
		return appendList(dst, v, depth)
	case []float64:
		return appendList(dst, v, depth)
	case []bool:
		return appendList(dst, v, depth)
	case []map[string]any:
		return appendList(dst, v, depth)
	case map[string]any:
		return appendMap(dst, v, depth)
	case map[string]string:
		return appendMap(dst, v, depth)
	}
	if n, ok := signed(v); ok {
		return strconv.AppendInt(dst, n, 10), nil
	}
	if n, ok := unsigned(v); ok {
		return strconv.AppendUint(dst, n, 10), nil
	}
	x, ok := real64(v)
	switch {
	case !ok:
		return nil, errNoJSON
	case math.IsNaN(x) || math.IsInf(x, 0):
		return nil, errInfinite
	}
	return appendFloat(dst, x), nil
}

// appendFloat appends a finite number in the shortest form that parses to the same value, with a
// fraction or an exponent.
func appendFloat(dst []byte, x float64) []byte {
	from := len(dst)
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e17) {
		return strconv.AppendFloat(dst, x, 'e', -1, 64)
	}
	dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
	if !slices.Contains(dst[from:], '.') {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendList[T any](dst []byte, list []T, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, v, depth-1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendMap[T any](dst []byte, m map[string]T, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !utf8.ValidString(name) {
			return nil, errText
		}
		dst = append(AppendString(dst, name), ':')
		if dst, err = appendValue(dst, m[name], depth-1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func signed(v any) (int64, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

func unsigned(v any) (uint64, bool) {
	switch v := v.(type) {
	case uint:
		return uint64(v), true
	case uint8:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	}
	return 0, false
}

func real64(v any) (float64, bool) {
	switch v := v.(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
