package rounds_test

import (
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
)

func TestAFullRunTakesAllRoundsAndOthersTakeSome(t *testing.T) {
	for n := range 100 {
		t.Setenv("FULL", "")
		some := slices.Collect(rounds.Each(n))
		if most := rounds.Of(n); len(some) > most || len(some) < most-1 || n > 0 && len(some) == 0 || n > 4 && most >= n {
			t.Errorf("of %d rounds a run takes %d, and %v", n, most, some)
		}
		t.Setenv("FULL", "1")
		all := slices.Collect(rounds.Each(n))
		if len(all) != n || rounds.Of(n) != n || !slices.IsSorted(all) {
			t.Errorf("of %d rounds a full run takes %d, and %v", n, rounds.Of(n), all)
		}
		for _, i := range some {
			if !slices.Contains(all, i) {
				t.Errorf("%d is no round of %d", i, n)
			}
		}
	}
}
