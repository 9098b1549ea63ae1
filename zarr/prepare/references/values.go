package references

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Text returns a text of a file. Bytes that are not UTF-8 are read as Latin-1.
func Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

// Fill returns a number as a fill value: NaN and infinities are texts, unlike those of attributes.
func Fill(v any) any {
	x, ok := v.(float64)
	if small, is := v.(float32); is {
		x, ok = float64(small), true
	}
	switch {
	case !ok:
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return v
}

// AppendJSON appends a value as JSON. It accepts nil, bool, int64, uint64, float32, float64,
// string, []int64, []any and map[string]any. As in Python, NaN and infinities are bare words.
// Text is ASCII, because zarr-python 2.13 reads documents as ASCII.
func AppendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case uint64:
		return strconv.AppendUint(dst, v, 10)
	case float32:
		return appendFloat(dst, float64(v), 32)
	case float64:
		return appendFloat(dst, v, 64)
	case string:
		return json.AppendASCII(dst, v)
	case []int64:
		dst = append(dst, '[')
		for i, n := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, n, 10)
		}
		return append(dst, ']')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range sorted(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(json.AppendASCII(dst, name), ':')
			dst = AppendJSON(dst, v[name])
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func appendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e17) {
		format = 'e'
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, format, -1, bits)
	for _, c := range dst[from:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
