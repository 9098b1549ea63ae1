package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/naive"
)

// Both shuffles stay between guards, for every size of elements up to 255 and around the loops'
// iterations, at every alignment.
func TestShuffleStaysInItsSlices(t *testing.T) {
	data := make([]byte, 256*70)
	random(2)(data)
	align := 0
	for size := 1; size <= 255; size++ {
		for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65} {
			for _, tail := range []int{0, size / 2, size - 1} {
				align = (align + 1) % 16
				from := data[:n*size+tail]
				for _, c := range []struct {
					name     string
					shuffle  func(dst, src []byte, size int)
					expected func([]byte, int) []byte
				}{{"bytes", Shuffle, naive.Shuffle}, {"bits", BitShuffle, naive.BitShuffle}} {
					what := fmt.Sprintf("%s: %d elements of %d bytes and %d more, alignment %d", c.name, n, size, tail, align)
					src := guard(len(from), 15-align, func(b []byte) { copy(b, from) })
					dst := guard(len(from), align, nil)
					c.shuffle(dst.Bytes, src.Bytes, size)
					src.check(t, false, what)
					dst.check(t, true, what)
					if !bytes.Equal(dst.Bytes, c.expected(from, size)) {
						t.Fatalf("%s: wrong", what)
					}
				}
			}
		}
	}
}

// Shuffling moves byte b of element i to place b*n+i, and unshuffling restores it, for every
// element size and length.
func TestShuffleRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		size, n := 1+r.IntN(20), r.IntN(700)
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		mixed, back := make([]byte, n), make([]byte, n)
		Shuffle(mixed, src, size)
		for at, c := range src {
			if whole := n / size; at < whole*size { // a partial element stays
				at = at%size*whole + at/size
			}
			if mixed[at] != c {
				t.Fatalf("%d bytes of elements of %d: byte %d of the shuffled ones is wrong", n, size, at)
			}
		}
		Unshuffle(back, mixed, size)
		if !bytes.Equal(back, src) {
			t.Fatalf("%d bytes of elements of %d: not what was shuffled", n, size)
		}
		clear(back)
		BitShuffle(mixed, src, size)
		BitUnshuffle(back, mixed, size)
		if !bytes.Equal(back, src) {
			t.Fatalf("%d bytes of elements of %d: not what was shuffled by bits", n, size)
		}
	}
}
