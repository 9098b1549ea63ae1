package kernel

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSwap(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, width := range []int{2, 4, 8} {
		for n := range 140 {
			for align := range 8 {
				src := noise(r, align+n)[align:]
				before := noise(r, 2*margin+n+align)
				want := bytes.Clone(before)
				out := want[margin+align:][:n]
				copy(out, src)
				for i := 0; i+width <= n; i += width {
					slices.Reverse(out[i : i+width])
				}
				dst := bytes.Clone(before)
				Swap(dst[margin+align:][:n], src, width)
				if !bytes.Equal(dst, want) {
					t.Fatalf("%d bytes in %d's at %d differ", n, width, align)
				}
				Swap(src, src, width)
				if !bytes.Equal(src, out) {
					t.Fatalf("%d bytes in %d's at %d differ in place", n, width, align)
				}
			}
		}
		src := noise(r, 640)
		portable, own := make([]byte, 640), make([]byte, 640)
		map[int]func(dst, src []byte, even, pairs uint64){2: swap2Go, 4: swap4Go, 8: swap8Go}[width](portable, src, even, pairs)
		Swap(own, src, width)
		if !bytes.Equal(portable, own) {
			t.Errorf("the portable form of width %d differs", width)
		}
	}
}

func BenchmarkSwap(b *testing.B) {
	for _, width := range []int{2, 4, 8} {
		b.Run(string(rune('0'+width)), func(b *testing.B) {
			src, dst := make([]byte, 1<<20), make([]byte, 1<<20)
			b.SetBytes(1 << 20)
			for b.Loop() {
				Swap(dst, src, width)
			}
		})
	}
}
