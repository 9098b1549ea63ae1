package nczarr_test

import (
	"testing"

	ours "github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
)

// FuzzAttributes opens a hierarchy with arbitrary attributes. Invalid ones are reported, and a
// variable has names for all of its dimensions or for none.
func FuzzAttributes(f *testing.F) {
	const array = `{"units":"K","_nczarr_array":{"dimension_references":["/x","/y"],"storage":"chunked"},"_nczarr_attr":{"types":{"units":">S1"}}}`
	f.Add(`{"_nczarr_superblock":{"version":"2.0.0"},"_nczarr_group":{"dimensions":{"x":2,"y":{"size":3,"unlimited":1}},"arrays":["a"],"groups":[]}}`, array)
	f.Add(`{"_nczarr_group":{"dimensions":[{"name":"x","size":2},{"name":"y","size":3}],"arrays":["a"],"groups":["a",".."]}}`, array)
	f.Add(`{"_NCProperties":"v","_NCZARR_GROUP":{"dims":{"x":2,"y":3},"vars":["a"]}}`, `{"_NCZARR_ARRAY":{"dimrefs":["/x","/y"]},"_ARRAY_DIMENSIONS":["x","y"]}`)
	f.Fuzz(func(t *testing.T, group, array string) {
		for _, text := range []string{group, array} {
			if v, err := ours.Parse([]byte(text), ours.Limits{}); err != nil || v.Kind() != ours.Object || len(text) > 1<<14 {
				return
			}
		}
		found := open(t, group, array)
		for name, v := range found.Variables {
			if len(v.Dims) != 2 || len(v.Names) != 2 || (v.Names[0] == "") != (v.Names[1] == "") {
				t.Errorf("%q: %+v", name, v)
			}
		}
		for _, name := range nczarr.MemberNames([]string{group, array, "a"}) {
			_ = nczarr.NameOf(name)
		}
	})
}
