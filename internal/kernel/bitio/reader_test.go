package bitio

import (
	"testing"
)

func TestReader(t *testing.T) {
	src := []byte{0xb5, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x10, 0x32}
	// The bits one by one, by the plain definition.
	bit := func(i int64) uint64 {
		if i>>3 >= int64(len(src)) {
			return 0
		}
		return uint64(src[i>>3]>>(i&7)) & 1
	}
	for start := range int64(8*len(src) + 3) {
		for n := range uint(65) {
			r := NewReader(src)
			r.Skip(start)
			var want uint64
			for k := range int64(n) {
				want |= bit(start+k) << k
			}
			if got := r.Bits(n); got != want {
				t.Fatalf("%d bits at %d: %x, want %x", n, start, got, want)
			}
			if end := start + int64(n); r.At() != end || r.Left() != int64(8*len(src))-end || r.Past() != (end > int64(8*len(src))) {
				t.Fatalf("%d bits at %d: ends at %d", n, start, r.At())
			}
		}
	}
}

func TestAlign(t *testing.T) {
	r := NewReader([]byte{1, 2, 3})
	r.Align()
	if r.At() != 0 {
		t.Error("aligned what was aligned")
	}
	r.Bits(9)
	r.Align()
	if rest := r.Rest(); len(rest) != 1 || rest[0] != 3 {
		t.Error(rest)
	}
	r.Skip(100)
	r.Align()
	if len(r.Rest()) != 0 || !r.Past() {
		t.Error("bytes behind the end")
	}
}
