package model_test

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/convention/model"
)

// FuzzFlatten flattens arbitrary JSON. Unflattening and flattening the result again changes
// nothing.
func FuzzFlatten(f *testing.F) {
	f.Add([]byte(exampleV2))
	f.Add([]byte(exampleV3))
	f.Add([]byte(`{"zarr_format":2,"members":{"a":{"members":{"b":{"shape":[1],"x":[1,2.5,null,true,NaN]}}},"c":{"node_type":"array"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := model.Parse(text)
		if err != nil {
			return
		}
		if !model.EqualStructure(v, v) || !model.EqualIgnoringAttributes(v, v) || !model.EqualLayout(v, v) {
			t.Error("it does not equal itself")
		}
		flat, err := model.Flatten(v)
		if err != nil {
			return
		}
		back, err := model.Unflatten(flat)
		if err != nil {
			t.Fatalf("%v of %s", err, flat.Raw())
		}
		again, err := model.Flatten(back)
		if err != nil || !model.EqualStructure(again, flat) {
			t.Errorf("%s, %v, and not %s", again.Raw(), err, flat.Raw())
		}
	})
}
