package meta

import (
	"strconv"
	"strings"
	"testing"
)

// tree lists all that a consolidated hierarchy says there is.
func tree(c *Consolidated, path string) string {
	var parts []string
	for _, child := range c.Children(path) {
		full := strings.TrimPrefix(path+"/"+child.Name, "/")
		s := full
		if child.IsArray {
			s += "[]"
		}
		if child.Implicit {
			s += "?"
		}
		parts = append(parts, s)
		if below := tree(c, full); below != "" {
			parts = append(parts, below)
		}
	}
	return strings.Join(parts, " ")
}

const oneLine = `{"zarr_format":2,"shape":[6],"chunks":[3],"dtype":"<i4","compressor":null,"fill_value":0,"order":"C","filters":null}`
const oneLine3 = `{"zarr_format":3,"node_type":"array","shape":[6],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}`

func TestZmetadata(t *testing.T) {
	n := mustParse(t, ".zgroup", `{"zarr_format":2}`, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{
		".zattrs":{"title":"x"},".zgroup":{"zarr_format":2},
		"b/.zgroup":{"zarr_format":2,"consolidated_metadata":{"kind":"inline"}},
		"b/deep/er/.zarray":`+oneLine+`,
		"a/.zarray":`+oneLine+`,"a/.zattrs":{"_ARRAY_DIMENSIONS":["x"]},
		"/c//.zattrs":{"late":1},"c/.zgroup":{"zarr_format":2},
		"broken/.zarray":{"zarr_format":2},"text/.zarray":"{}","a/.nczarray":{},".nczgroup":{}}}`)
	c := n.Consolidated
	if c == nil {
		t.Fatal("not consolidated")
	}
	if got, want := tree(c, ""), "b b/deep? b/deep/er[] a[] c broken[] text[]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := strings.Join(c.Paths, " "), "b b/deep/er a c broken text"; got != want {
		t.Errorf("paths %s, want %s", got, want)
	}
	if got := string(n.Attributes.Raw()); got != `{"title":"x"}` {
		t.Errorf("attributes %s: the copy is what there is without .zattrs", got)
	}
	a, err := c.Node("a")
	if err != nil || a.Array == nil || a.Array.DimensionNames[0].Text != "x" || len(a.Documents) != 2 || string(a.Documents[0].Bytes) != oneLine {
		t.Errorf("%+v %v", a, err)
	}
	er, err := c.Node("b/deep/er")
	if err != nil || er.Array == nil || string(er.Attributes.Raw()) != "{}" {
		t.Errorf("%+v %v", er, err)
	}
	deep, err := c.Node("b/deep")
	if err != nil || deep.Format != 2 || deep.Array != nil || deep.Documents != nil {
		t.Errorf("%+v %v", deep, err)
	}
	cc, err := c.Node("c")
	if err != nil || string(cc.Attributes.Raw()) != `{"late":1}` {
		t.Errorf("%+v %v", cc, err)
	}
	if root, err := c.Node(""); err != nil || root == nil || root.Array != nil {
		t.Errorf("root %v %v", root, err)
	}
	for _, path := range []string{"x", "a/x", "/a", "a/"} {
		if n, err := c.Node(path); n != nil || err != nil || c.Children(path) != nil {
			t.Errorf("%q: %v %v", path, n, err)
		}
	}
	_, err = c.Node("broken") // only now
	wantError(t, err, ".zarray", "shape", false)
	_, err = c.Node("text")
	wantError(t, err, ".zarray", "", false)
}

func TestZmetadataWithAttributes(t *testing.T) {
	n := mustParse(t, ".zgroup", `{"zarr_format":2}`, ".zattrs", `{"new":1}`, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zattrs":{"old":1}}}`)
	if got := string(n.Attributes.Raw()); got != `{"new":1}` {
		t.Errorf("attributes %s: the document itself wins over its copy", got)
	}
}

func TestZmetadataAlone(t *testing.T) {
	group := mustParse(t, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zattrs":{"t":1},"a/.zarray":`+oneLine+`}}`)
	if group.Array != nil || group.Consolidated == nil || string(group.Attributes.Raw()) != `{"t":1}` || tree(group.Consolidated, "") != "a[]" {
		t.Errorf("%+v", group)
	}
	array := mustParse(t, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zattrs":{"t":1},".zarray":`+oneLine+`}}`)
	if array.Array == nil || array.Consolidated != nil || string(array.Attributes.Raw()) != `{"t":1}` {
		t.Errorf("%+v", array)
	}
	n, err := Parse(docs(".zmetadata", `{"metadata":{}}`), Options{IgnoreConsolidated: true})
	if n != nil || err != nil {
		t.Errorf("%v %v", n, err)
	}
}

// Leniency: the format of .zmetadata may be missing, as in reference sets.
func TestZmetadataWithoutFormat(t *testing.T) {
	n := mustParse(t, ".zmetadata", `{"metadata":{"a/.zarray":`+oneLine+`},"record_size":10000}`)
	if got := tree(n.Consolidated, ""); got != "a[]" || !n.Consolidated.References {
		t.Error(got)
	}
}

func TestZmetadataErrors(t *testing.T) {
	for _, c := range []struct {
		doc, field  string
		unsupported bool
	}{
		{`{"zarr_consolidated_format":2,"metadata":{}}`, "zarr_consolidated_format", true},
		{`{"zarr_consolidated_format":1}`, "metadata", false},
		{`{"zarr_consolidated_format":1,"metadata":[]}`, "metadata", false},
	} {
		pairs := docs(".zgroup", `{"zarr_format":2}`, ".zmetadata", c.doc)
		_, err := Parse(pairs, Options{})
		wantError(t, err, ".zmetadata", c.field, c.unsupported)
		if n, err := Parse(pairs, Options{IgnoreConsolidated: true}); n == nil || err != nil || n.Consolidated != nil {
			t.Errorf("ignored, but %v %v", n, err)
		}
	}
}

func group3(consolidated string) string {
	return `{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":` + consolidated + `}`
}

func inline(metadata string) string {
	return `{"kind":"inline","must_understand":false,"metadata":` + metadata + `}`
}

func TestInline(t *testing.T) {
	empty := group3(inline(`{}`))
	for _, c := range []struct{ name, metadata, want string }{
		{"flat", `{"g":` + empty + `,"g/a":` + oneLine3 + `,"b":` + oneLine3 + `}`, "g g/a[] b[]"},
		{"leading slash", `{"/g":` + empty + `,"/g/a":` + oneLine3 + `}`, "g g/a[]"},
		{"no member for the group", `{"g/a":` + oneLine3 + `}`, "g? g/a[]"},
		{"nested", `{"g":` + group3(inline(`{"a":`+oneLine3+`,"h":`+group3(inline(`{"x":`+oneLine3+`}`))+`}`)) + `}`, "g g/a[] g/h g/h/x[]"},
		{"flat and nested", `{"g":` + group3(inline(`{"a":`+oneLine3+`}`)) + `,"g/a":` + oneLine3 + `}`, "g g/a[]"},
		{"null in a group", `{"g":` + group3(`null`) + `,"g/a":` + oneLine3 + `}`, "g g/a[]"},
		{"nothing", `{}`, ""},
	} {
		n := mustParse(t, "zarr.json", group3(inline(c.metadata)))
		if n.Consolidated == nil {
			t.Errorf("%s: not consolidated", c.name)
			continue
		}
		if got := tree(n.Consolidated, ""); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, path := range n.Consolidated.Paths {
			m, err := n.Consolidated.Node(path)
			if err != nil || m.Format != 3 || len(m.Documents) != 1 || m.Consolidated != nil {
				t.Errorf("%s: %s: %+v %v", c.name, path, m, err)
			}
		}
	}
}

func TestInlineOnDemand(t *testing.T) {
	n := mustParse(t, "zarr.json", group3(inline(`{"a":{"zarr_format":3,"node_type":"array"},"b":null,"c":"x","g/x":`+oneLine3+`}`)))
	c := n.Consolidated
	_, err := c.Node("a")
	wantError(t, err, "zarr.json", "shape", false)
	_, err = c.Node("b")
	wantError(t, err, "zarr.json", "", false)
	_, err = c.Node("c")
	wantError(t, err, "zarr.json", "", false)
	if g, err := c.Node("g"); err != nil || g.Format != 3 || g.Array != nil {
		t.Errorf("implicit group: %+v %v", g, err)
	}
	if root, err := c.Node(""); root != nil || err != nil {
		t.Errorf("the group itself: %v %v", root, err)
	}
}

func TestNotConsolidated(t *testing.T) {
	for _, doc := range []string{
		group3(`null`),
		group3(`{"kind":"elsewhere","must_understand":false}`),
		`{"zarr_format":3,"node_type":"group"}`,
	} {
		if n := mustParse(t, "zarr.json", doc); n.Consolidated != nil {
			t.Errorf("%s: consolidated", doc)
		}
	}
	n, err := Parse(docs("zarr.json", group3(`[]`)), Options{IgnoreConsolidated: true})
	if err != nil || n.Consolidated != nil {
		t.Errorf("ignored, but %v %v", n, err)
	}
}

func TestInlineErrors(t *testing.T) {
	for _, c := range []struct {
		member, field string
		unsupported   bool
	}{
		{`[]`, "consolidated_metadata", false},
		{`{"kind":"elsewhere"}`, "consolidated_metadata", true},
		{`{"kind":"inline"}`, "consolidated_metadata.metadata", false},
		{`{"kind":"inline","metadata":[]}`, "consolidated_metadata.metadata", false},
	} {
		_, err := Parse(docs("zarr.json", group3(c.member)), Options{})
		wantError(t, err, "zarr.json", c.field, c.unsupported)
	}
}

// A path that leads elsewhere, or is too long, is the error of that member alone.
func TestPathsOfMembers(t *testing.T) {
	for _, path := range []string{"../x", "a/./x", "a/../b", strings.Repeat("a/", 200) + "x", strings.Repeat("a", 5000)} {
		const array = `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","fill_value":0,"order":"C","compressor":null,"filters":null}`
		for _, n := range []*Node{
			mustParse(t, ".zgroup", `{"zarr_format":2}`, ".zmetadata",
				`{"metadata":{"`+path+`/.zarray":`+array+`,"`+path+`/.zattrs":{},"good/.zarray":`+array+`}}`),
			mustParse(t, "zarr.json", group3(inline(`{"`+path+`":{},"good":`+group3("null")+`}`))),
		} {
			children := n.Consolidated.Children("")
			if len(children) != 2 || children[0].Name != "good" || children[0].Err != nil || children[1].Name != path {
				t.Fatalf("%.20q: %v", path, children)
			}
			wantError(t, children[1].Err, "", "metadata", false)
			if m, err := n.Consolidated.Node("good"); m == nil || err != nil {
				t.Errorf("%.20q: %v, %v", path, m, err)
			}
			if m, err := n.Consolidated.Node(path); m != nil || err != nil {
				t.Errorf("%.20q is a node: %v, %v", path, m, err)
			}
		}
	}
}

// A short document must not make long paths out of nested parts.
func TestInlinePathsAreBounded(t *testing.T) {
	var many strings.Builder
	for i := range 20000 {
		if i > 0 {
			many.WriteByte(',')
		}
		many.WriteString(`"` + strconv.Itoa(i) + `":0`)
	}
	doc := group3(inline(`{"` + strings.Repeat("a", 4000) + `":` + group3(inline(`{`+many.String()+`}`)) + `}`))
	_, err := Parse(docs("zarr.json", doc), Options{})
	wantError(t, err, "zarr.json", "consolidated_metadata", false)
}
