package geo

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Attributes are untrusted input; these functions check all that is read from them.

// textOf returns a string, or "" for a value of another type.
func textOf(v json.Value) string {
	s, _ := v.Text()
	return s
}

// number returns a finite number.
func number(v json.Value) (float64, bool) {
	f, ok := v.Float64()
	return f, ok && finite(f)
}

// numbers returns a list of finite numbers. Its length must be n unless n is negative.
func numbers(v json.Value, n int) ([]float64, bool) {
	if v.Kind() != json.Array || n >= 0 && v.Len() != n {
		return nil, false
	}
	list := make([]float64, 0, v.Len())
	for _, item := range v.Items() {
		f, ok := number(item)
		if !ok {
			return nil, false
		}
		list = append(list, f)
	}
	return list, true
}

// sizes returns a height and a width: two integers, at least 1.
func sizes(v json.Value) (*[2]int64, bool) {
	if v.Kind() != json.Array || v.Len() != 2 {
		return nil, false
	}
	var two [2]int64
	for i, item := range v.Items() {
		n, ok := item.Int64()
		if !ok || n < 1 || n > maxSafe {
			return nil, false
		}
		two[i] = n
	}
	return &two, true
}

// maxSafe is the largest integer below which float64 represents every integer.
const maxSafe = 1<<53 - 1

// shown formats a value for a message.
func shown(v json.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	return short(string(v.Raw()))
}

func shownShape(shape *[2]int64) string {
	if shape == nil {
		return "nothing"
	}
	return fmt.Sprintf("[%d,%d]", shape[0], shape[1])
}

func short(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= 80 {
		return text
	}
	return string([]rune(text)[:77]) + "…"
}
