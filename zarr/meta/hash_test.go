package meta

import (
	"strings"
	"testing"
)

// A hash depends on the contents of the documents, and not on their form.
func TestHash(t *testing.T) {
	const array = `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","fill_value":0,"order":"C","compressor":null,"filters":null}`
	hash := func(docs ...string) uint64 {
		t.Helper()
		return mustParse(t, docs...).Hash()
	}
	same := []uint64{
		hash(".zarray", array),
		hash(".zarray", `{ "shape":[4], "zarr_format":2,"chunks":[ 2 ],"dtype":"<i2","filters":null,"fill_value":0,"order":"C","compressor":null}`),
		hash(".zarray", array, ".zattrs", "{}"),
		hash(".zarray", strings.ReplaceAll(array, "shape", `\u0073hape`), ".zattrs", " { } "),
	}
	for i, h := range same {
		if h != same[0] {
			t.Errorf("document %d has another hash", i)
		}
	}
	group := func(attributes string) uint64 { return hash(".zgroup", `{"zarr_format":2}`, ".zattrs", attributes) }
	if group(`{"a":[1,"]}\"",{}],"b":{"c":NaN}}`) != group(` { "b":{"c" : NaN } , "a" : [ 1,"\u005d}\"", { } ] }`) {
		t.Error("spaces, escapes and the order of members count")
	}
	seen := map[uint64]string{same[0]: "the first"}
	for name, h := range map[string]uint64{
		"attributes":              hash(".zarray", array, ".zattrs", `{"a":1}`),
		"an attribute more":       hash(".zarray", array, ".zattrs", `{"a":1,"b":2}`),
		"values of others":        hash(".zarray", array, ".zattrs", `{"a":2,"b":1}`),
		"nested":                  hash(".zarray", array, ".zattrs", `{"a":{"b":1}}`),
		"a list":                  hash(".zarray", array, ".zattrs", `{"a":[1,2]}`),
		"a list in another order": hash(".zarray", array, ".zattrs", `{"a":[2,1]}`),
		"text":                    hash(".zarray", array, ".zattrs", `{"a":"1"}`),
		"another type":            hash(".zarray", `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<u2","fill_value":0,"order":"C","compressor":null,"filters":null}`),
		"a group":                 hash(".zgroup", `{"zarr_format":2}`),
	} {
		if other := seen[h]; other != "" {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
}
