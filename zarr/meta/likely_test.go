package meta_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"zarr-wasm/zarr/meta"
)

// TestLikely compares with the list that tests/js/documents.test.mjs compares TypeScript's with.
func TestLikely(t *testing.T) {
	type node struct {
		Format       int      `json:"format"`
		Kind         string   `json:"kind"`
		Consolidated bool     `json:"consolidated"`
		Names        []string `json:"names"`
	}
	text, err := os.ReadFile("testdata/likely.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []node
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	i := 0
	for format := range 4 {
		for _, kind := range []string{"", "array", "group"} {
			for _, consolidated := range []bool{true, false} {
				names := meta.Likely(format, kind, consolidated)
				if i >= len(want) || want[i].Format != format || want[i].Kind != kind || want[i].Consolidated != consolidated || !slices.Equal(names, want[i].Names) {
					t.Errorf("format %d, kind %q, consolidated %v: %q", format, kind, consolidated, names)
				}
				i++
			}
		}
	}
	if len(want) != i {
		t.Errorf("%d nodes are listed, not %d", len(want), i)
	}
}
