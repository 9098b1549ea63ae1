package edgecases

import (
	"fmt"
	"slices"
	"testing"
)

// edgeCase is one case, by its number in the list.
type edgeCase struct {
	n    int
	what string
	test func(t *testing.T)
}

const cases = 88

func TestEdgeCases(t *testing.T) {
	all := slices.Concat(compressionCases, layoutCases, shardCases, metadataCases, valueCases, filterCases, httpCases)
	slices.SortStableFunc(all, func(a, b edgeCase) int { return a.n - b.n })
	for i, c := range all {
		if c.n != i+1 {
			t.Errorf("case %d is missing or there twice", i+1)
			break
		}
	}
	if len(all) != cases {
		t.Errorf("%d cases, want %d", len(all), cases)
	}
	for _, c := range all {
		t.Run(fmt.Sprintf("%02d %s", c.n, c.what), c.test)
	}
}
