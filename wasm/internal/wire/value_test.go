package wire

import (
	"math"
	"testing"
)

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		in   any
		want int64
		ok   bool
	}{
		{3.0, 3, true}, {-3.0, -3, true}, {0.5, 0, false}, {math.NaN(), 0, false}, {math.Inf(1), 0, false},
		{BigInt("9223372036854775807"), math.MaxInt64, true}, {BigInt("9223372036854775808"), 0, false}, {"3", 0, false},
	} {
		got, ok := Integer(c.in)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("Integer(%v) = %d, %v", c.in, got, ok)
		}
	}
}
