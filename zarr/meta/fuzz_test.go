package meta

import (
	"errors"
	"testing"
)

// FuzzParse reads any bytes as each of the documents. The result is a node, an *Error, or nothing.
// Every path in a hierarchy can be requested.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		v2Array, v3Array, oneLine, oneLine3, `{"zarr_format":2}`, `{"_ARRAY_DIMENSIONS":["y","x"]}`,
		`{"zarr_format":1,"shape":[10,9],"chunks":[4,5],"dtype":"<U3","fill_value":null,"order":"F","compression":"blosc","compression_opts":{"shuffle":1}}`,
		`{"zarr_format":2,"shape":[0],"chunks":[0],"dtype":"|O","compressor":null,"fill_value":0,"order":"F","filters":[{"id":"vlen-array","dtype":"<i4"}]}`,
		`{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":` + oneLine + `,"b/c/.zattrs":null}}`,
		group3(inline(`{"/g":` + group3(inline(`{"a":`+oneLine3+`}`)) + `,"b":null}`)), group3(`null`),
		`{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, format := range []int{0, 1} {
			for _, name := range Documents(format) {
				list := []Document{{name, doc}}
				if name == DocumentAttributes || name == DocumentConsolidated {
					list = append(list, Document{DocumentGroup, []byte(`{"zarr_format":2}`)})
				}
				check(t, list)
			}
		}
	})
}

func check(t *testing.T, list []Document) {
	n, err := Parse(list, Options{})
	var e *Error
	if err != nil {
		if !errors.As(err, &e) || e.Document == "" || n != nil {
			t.Fatalf("node %v, error %v", n, err)
		}
		return
	}
	if n == nil {
		return
	}
	if a := n.Array; a != nil {
		if a.Type == nil || a.Grid == nil || a.Grid.Rank() != len(a.Shape) ||
			a.DimensionNames != nil && len(a.DimensionNames) != len(a.Shape) ||
			!a.Type.Variable() && len(a.Fill) != a.Type.Size {
			t.Fatalf("%+v", a)
		}
	}
	c := n.Consolidated
	if c == nil {
		return
	}
	seen := walk(c, "")
	for _, path := range c.Paths {
		if !seen[path] {
			t.Fatalf("%q is a path that is not a group's child", path)
		}
		if n, err := c.Node(path); n == nil && !errors.As(err, &e) {
			t.Fatalf("%q: no node, error %v", path, err)
		}
	}
}

func walk(c *Consolidated, path string) map[string]bool {
	seen := map[string]bool{}
	for _, child := range c.Children(path) {
		full := child.Name
		if path != "" {
			full = path + "/" + child.Name
		}
		seen[full] = true
		for below := range walk(c, full) {
			seen[below] = true
		}
	}
	return seen
}
