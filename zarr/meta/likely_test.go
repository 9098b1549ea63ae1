package meta_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// TestLikely compares with the list that tests/js/documents.test.mjs compares TypeScript's with.
func TestLikely(t *testing.T) {
	type node struct {
		Format       int      `json:"format"`
		Kind         string   `json:"kind"`
		Consolidated bool     `json:"consolidated"`
		Sparing      bool     `json:"sparing"`
		Names        []string `json:"names"`
	}
	text := must.Get(os.ReadFile("testdata/likely.json"))(t)
	var want []node
	must.Do(t, json.Unmarshal(text, &want))
	i := 0
	for format := range 4 {
		for _, kind := range []string{"", "array", "group"} {
			for _, consolidated := range []bool{true, false} {
				for _, sparing := range []bool{false, true} {
					names := meta.Likely(format, kind, consolidated, sparing)
					node := node{format, kind, consolidated, sparing, names}
					if i >= len(want) || !reflect.DeepEqual(node, want[i]) {
						t.Errorf("%+v", node)
					}
					i++
				}
			}
		}
	}
	if len(want) != i {
		t.Errorf("%d nodes are listed, not %d", len(want), i)
	}
}
