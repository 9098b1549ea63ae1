//go:build !js

package meta_test

import (
	"path"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// below are the nodes of the fixtures below a folder.
func below(t *testing.T, root string, format int) (group *meta.Node, list []meta.Entry) {
	nodes(t, func(name string, n *meta.Node) {
		switch rest, inside := strings.CutPrefix(name, root+"/"); {
		case n.Format != format:
		case name == root:
			group = n
		case inside:
			list = append(list, meta.Entry{Path: rest, Node: n})
		}
	})
	if group == nil || len(list) == 0 {
		t.Fatalf("%s has %d nodes below %v", root, len(list), group)
	}
	return group, list
}

// TestConsolidate consolidates what zarr-python has consolidated, and gets its bytes.
func TestConsolidate(t *testing.T) {
	for root, format := range map[string]int{"v2/consolidated.zarr": 2, "v3/consolidated.zarr": 3} {
		group, list := below(t, root, format)
		name := meta.DocumentV3
		if format == 2 {
			name = meta.DocumentConsolidated
		}
		want := document(group.Documents, name)
		fresh := *group
		fresh.Documents = nil
		for i := range list {
			n := *list[i].Node
			n.Documents = nil
			list[i].Node = &n
		}
		for kind, n := range map[string]*meta.Node{"new": &fresh, "changed": group} {
			got := must.Get(n.Consolidate(list))(t)
			if path.Base(got.Name) != name || string(got.Bytes) != string(want) {
				t.Errorf("%s, %s: %s\nwant %s", root, kind, got.Bytes, want)
			}
		}
		if format == 2 {
			continue
		}
		d := must.Get(group.Unconsolidated())(t)
		if n, err := meta.Parse([]meta.Document{d}, meta.Options{}); err != nil || n.Consolidated != nil || compare(n, group) != "" {
			t.Errorf("%s without consolidated metadata: %v, %v", root, n, err)
		}
	}
}
