package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBy compares with a stable sort: few and many numbers; keys of one digit, several digits, more
// than 32 bits, and equal keys.
func TestBy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, few, few + 1, 1000, 20_000} {
		for _, most := range []uint64{0, 1, 5, digits - 1, digits, 1 << 22, 1<<32 - 1, 1 << 32, 1<<44 + 7, 1<<64 - 1} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64()
				if most < 1<<64-1 {
					keys[i] %= most + 1
				}
			}
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(keys[i], keys[j]) })
			if got := By(n, most, func(i int) uint64 { return keys[i] }); !slices.Equal(got, want) {
				t.Errorf("%d keys up to %d are not in order", n, most)
			}
		}
	}
}
