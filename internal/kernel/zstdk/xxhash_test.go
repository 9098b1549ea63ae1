package zstdk

import (
	"strings"
	"testing"
)

func TestXXH64(t *testing.T) {
	for _, test := range []struct {
		in   string
		want uint64
	}{
		{"", 0xef46db3751d8e999},
		{"a", 0xd24ec4f1a98c6e5b},
		{"abc", 0x44bc2cf5ad770999},
		{"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2e85470d6fd96},
		{strings.Repeat("0123456789", 10), 0xf80e7b96315afffa},
	} {
		if got := XXH64([]byte(test.in)); got != test.want {
			t.Errorf("%q: %#x, want %#x", test.in, got, test.want)
		}
	}
}
