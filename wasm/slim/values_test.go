//go:build !js

package main

import (
	"math/rand/v2"
	"testing"
)

func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v := make(values, 1+r.IntN(12))
		for i := range v {
			if v[i] = int32(r.IntN(6)) - 2; r.IntN(20) == 0 {
				v[i] = r.Int32()
			}
		}
		got := readValues(v.write())
		if len(got) != counterMost+1 {
			t.Fatalf("%v has become %d counters", v, len(got))
		}
		last := int32(anyValue)
		for i, want := range v {
			if want != anyValue && got.at(int64(i)) != want {
				t.Fatalf("%v has become %v", v, got[:len(v)])
			}
			if want != anyValue {
				last = want
			}
		}
		if last != anyValue && got.at(1<<40) != last {
			t.Fatalf("%v ends with %d", v, got.at(1<<40))
		}
	}
	if v := readValues(noValues); v.at(0) != -1 || len(v) != 1 {
		t.Error("no values are ", v)
	}
	if v := readValues(nil); v.at(3) != -1 {
		t.Error("nothing has values: ", v)
	}
}
