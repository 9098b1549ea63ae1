package json

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string // "" for an error
	}{
		{nil, "null"},
		{true, "true"},
		{int8(-3), "-3"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{1.0, "1.0"},
		{0.1, "0.1"},
		{1e300, "1e+300"},
		{float32(0.5), "0.5"},
		{"a\"\n\u2028é", `"a\"\u000a` + "\u2028é" + `"`},
		{[]any{1, "x", nil}, `[1,"x",null]`},
		{[]string{}, "[]"},
		{map[string]any{"b": []int{1, 2}, "a": map[string]any{}}, `{"a":{},"b":[1,2]}`},
		{Text("t"), `"t"`},
		{map[string]any{"v": EmptyObject()}, `{"v":{}}`},
		{math.NaN(), ""},
		{math.Inf(1), ""},
		{"\xff", ""},
		{map[string]any{"\xff": 1}, ""},
		{make(chan int), ""},
		{[]any{struct{}{}}, ""},
	} {
		v, err := Of(c.v)
		if got := string(v.Raw()); err != nil && c.want != "" || err == nil && got != c.want {
			t.Errorf("%v: %q, %v, want %q", c.v, got, err, c.want)
		}
	}
	deep := any(nil)
	for range 200 {
		deep = []any{deep}
	}
	if _, err := Of(deep); err == nil {
		t.Error("values that are nested 200 deep are a value")
	}
}
