package zstdk

import "testing"

func TestPredefinedTablesAreWhole(t *testing.T) {
	for i, k := range kinds {
		sum := 0
		for _, n := range k.counts.of[:k.counts.n] {
			sum += max(int(n), -int(n))
		}
		if sum != 1<<k.counts.log || k.counts.n > len(k.codes) {
			t.Errorf("%d: %d of %d", i, sum, 1<<k.counts.log)
		}
		// Every code begins at the end of the previous one.
		if Kind(i) == offsetCodes {
			continue
		}
		next := k.codes[0] >> valueAt
		for s, e := range k.codes {
			if e>>valueAt != next {
				t.Errorf("%d: code %d begins at %d, not %d", i, s, e>>valueAt, next)
			}
			next += 1 << (e >> extraAt & 255)
		}
	}
}
