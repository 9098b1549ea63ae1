package anndata_test

import (
	"encoding/json"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/convention/anndata"
)

// FuzzAttributes reads a hierarchy of which one node has any attributes: it is read, or refused by name.
func FuzzAttributes(f *testing.F) {
	tree := small()
	for i, n := range tree.all() {
		if text, err := json.Marshal(n.attrs); err == nil && len(n.attrs) > 0 {
			f.Add(uint8(i), string(text))
		}
	}
	f.Add(uint8(0), `{"encoding-type":"MuData","encoding-version":"0.1.0","spatialdata_attrs":{"version":"0.1"},"axis":0}`)
	f.Add(uint8(1), `{"h5sparse_format":"csc","h5sparse_shape":[2,3],"column-order":["a","a"],"_index":"../x"}`)
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		var attrs attributes
		if len(text) > 1<<14 || json.Unmarshal([]byte(text), &attrs) != nil {
			return
		}
		tree := small()
		nodes := tree.all()
		nodes[int(which)%len(nodes)].attrs = attrs
		root := tree.open(t, which&128 != 0)
		check := func(err error) {
			if err == nil {
				return
			}
			if name, ok := named(err); !ok {
				t.Errorf("%s %v", name, err)
			}
		}
		check(readAll(t, root))
		_, err := anndata.OpenMuData(t.Context(), root)
		check(err)
		_, err = anndata.OpenSpatialData(t.Context(), root)
		check(err)
	})
}
