package kernel

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

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
