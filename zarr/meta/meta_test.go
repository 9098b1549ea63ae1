package meta

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// docs makes documents of names and texts in turn.
func docs(pairs ...string) []Document {
	var list []Document
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Document{pairs[i], []byte(pairs[i+1])})
	}
	return list
}

func mustParse(t *testing.T, pairs ...string) *Node {
	t.Helper()
	n := must.Get(Parse(docs(pairs...), Options{}))(t)
	if n == nil {
		t.Fatal("no node")
	}
	return n
}

func mustArray(t *testing.T, pairs ...string) *Array {
	t.Helper()
	n := mustParse(t, pairs...)
	if n.Array == nil {
		t.Fatal("not an array")
	}
	return n.Array
}

// wantError demands an *Error in the document's member, of the kind given.
func wantError(t *testing.T, err error, document, field string, unsupported bool) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, not a *meta.Error", err)
	}
	if e.Document != document || e.Field != field || e.Unsupported != unsupported {
		t.Errorf("error %q: document %q, field %q, unsupported %v; want %q, %q, %v",
			err, e.Document, e.Field, e.Unsupported, document, field, unsupported)
	}
	if e.Msg == "" && e.Err == nil {
		t.Errorf("error %q says nothing", err)
	}
}

// without returns a document that lacks one line: the one that holds the text.
func without(doc, text string) string {
	lines := strings.Split(doc, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, text) })
	return strings.Join(lines, "\n")
}

// chain writes codecs as "name{config} name".
func chain(a *Array) string {
	var parts []string
	for _, c := range a.Codecs {
		s := c.Name + string(c.Config.Raw())
		if c.Optional {
			s += "?"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestDocuments(t *testing.T) {
	for format, want := range map[int]string{
		0: "zarr.json .zarray .zgroup .zattrs .zmetadata",
		1: "meta attrs",
		2: ".zarray .zgroup .zattrs .zmetadata",
		3: "zarr.json",
		4: "",
	} {
		if got := strings.Join(Documents(format), " "); got != want {
			t.Errorf("format %d: %q, want %q", format, got, want)
		}
	}
}

func TestWhatIsANode(t *testing.T) {
	const (
		v3group = `{"zarr_format":3,"node_type":"group"}`
		v2group = `{"zarr_format":2}`
		v1array = `{"zarr_format":1,"shape":[],"chunks":[],"dtype":"<i4","compression":"none","compression_opts":null,"fill_value":0,"order":"C"}`
		v2array = `{"zarr_format":2,"shape":[],"chunks":[],"dtype":"<i4","compressor":null,"filters":null,"fill_value":0,"order":"C"}`
		zmeta   = `{"zarr_consolidated_format":1,"metadata":{}}`
	)
	for _, c := range []struct {
		name   string
		docs   []Document
		format int // 0: no node
		array  bool
		used   string
	}{
		{"nothing", nil, 0, false, ""},
		{"attributes alone", docs(".zattrs", `{"a":1}`), 0, false, ""},
		{"v3 first", docs(".zarray", v2array, ".zgroup", v2group, "zarr.json", v3group, ".zattrs", "{}"), 3, false, "zarr.json"},
		{"v2 array before group", docs(".zgroup", v2group, ".zarray", v2array, ".zmetadata", zmeta), 2, true, ".zarray"},
		{"v2 group", docs(".zmetadata", zmeta, ".zgroup", v2group, ".zattrs", "{}"), 2, false, ".zgroup .zattrs .zmetadata"},
		{"consolidated only", docs(".zmetadata", zmeta), 2, false, ".zmetadata"},
		{"v1", docs("meta", v1array, "attrs", "{}"), 1, true, "meta attrs"},
	} {
		n, err := Parse(c.docs, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n == nil {
			if c.format != 0 {
				t.Errorf("%s: no node", c.name)
			}
			continue
		}
		var used []string
		for _, d := range n.Documents {
			used = append(used, d.Name)
		}
		if n.Format != c.format || (n.Array != nil) != c.array || strings.Join(used, " ") != c.used {
			t.Errorf("%s: format %d, array %v, documents %v", c.name, n.Format, n.Array != nil, used)
		}
	}
}

func TestBrokenDocuments(t *testing.T) {
	const group = `{"zarr_format":2}`
	for _, c := range []struct {
		docs     []Document
		document string
	}{
		{docs(".zarray", `{"zarr_format": 2, "shape": [6`), ".zarray"},
		{docs(".zarray", ``), ".zarray"},
		{docs(".zarray", `[1, 2]`), ".zarray"},
		{docs(".zarray", `<!doctype html>`), ".zarray"},
		{docs("zarr.json", `{"zarr_format": 3, "node_type": "arr`), "zarr.json"},
		{docs("zarr.json", `null`), "zarr.json"},
		{docs(".zgroup", ``), ".zgroup"},
		{docs(".zgroup", group, ".zattrs", `{`), ".zattrs"},
		{docs(".zgroup", group, ".zattrs", `[]`), ".zattrs"},
		{docs(".zgroup", group, ".zmetadata", `{`), ".zmetadata"},
		{docs("meta", `{`), "meta"},
	} {
		n, err := Parse(c.docs, Options{})
		if n != nil {
			t.Errorf("%s: a node and %v", c.docs, err)
		}
		wantError(t, err, c.document, "", false)
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse(docs(".zarray", `{"zarr_format":2,"shape":[6],"chunks":["x"]}`), Options{})
	if got, want := err.Error(), `.zarray: chunks: item 0 is "x", not an integer of at least 0`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	_, err = Parse(docs(".zarray", `{"zarr_format":2,"shape":"`+strings.Repeat("x", 1000)+`"}`), Options{})
	if len(err.Error()) > 200 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// Leniency: attributes of null are none.
func TestNullAttributes(t *testing.T) {
	for _, n := range []*Node{
		mustParse(t, ".zgroup", `{"zarr_format":2}`, ".zattrs", `null`),
		mustParse(t, "zarr.json", `{"zarr_format":3,"node_type":"group","attributes":null}`),
		mustParse(t, "zarr.json", `{"zarr_format":3,"node_type":"group"}`),
	} {
		if got := string(n.Attributes.Raw()); got != "{}" {
			t.Errorf("attributes %s", got)
		}
	}
}

func TestAttributesKeepTheirText(t *testing.T) {
	n := mustParse(t, ".zgroup", `{"zarr_format":2}`, ".zattrs", `{"b": 9007199254740993, "a": [0.,NaN]}`)
	if got := string(n.Attributes.Raw()); got != `{"b": 9007199254740993, "a": [0.,NaN]}` {
		t.Errorf("attributes %s", got)
	}
}
