//go:build !js

package meta_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// nodes calls f with each node of the fixtures that can be read: its folder, and what it has.
func nodes(t *testing.T, f func(name string, n *meta.Node)) {
	dir := fixtures.Dir(t)
	must.Do(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, at)
		for _, format := range []int{3, 2, 1} {
			var docs []meta.Document
			for _, name := range meta.Documents(format) {
				if b, err := os.ReadFile(filepath.Join(at, name)); err == nil {
					docs = append(docs, meta.Document{Name: name, Bytes: b})
				}
			}
			if n, err := meta.Parse(docs, meta.Options{}); err == nil && n != nil && n.Format == format {
				f(filepath.ToSlash(rel), n)
			}
		}
		return nil
	}))
}

// reordered is a document with its members in order, on one line.
func reordered(t testing.TB, doc []byte) string {
	v, err := json.Parse(doc, json.Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return string(json.AppendLaidOut(nil, v.Raw(), json.Layout{Sorted: true}))
}

// different lists fixtures whose documents, written again, have the same meaning in another form,
// with the reason.
var different = map[string]string{
	"v3/shard_hand.zarr/index_crc_only_be":           "a number of another type",
	"v3/shard_hand.zarr/index_double_crc":            "a number of another type",
	"v2/filter.zarr/base64_compressor":               "a filter that was written as the compressor",
	"v2/filter.zarr/crc32_compressor":                "a filter that was written as the compressor",
	"v2/filter.zarr/shuffle_compressor":              "a filter that was written as the compressor",
	"v2/layout.zarr/extra_keys":                      "members that are not known stay in a document that is changed, and are not in a new one",
	"v2/layout.zarr/filters_empty_list":              "no filters are null",
	"v2/stream.zarr/dtype_be_i1":                     "an order of single bytes",
	"v2/stream.zarr/dtype_le_b1":                     "an order of single bytes",
	"v2/stream.zarr/dtype_le_u1":                     "an order of single bytes",
	"v2/fill.zarr/bool_as_int":                       "a number of another type",
	"v2/fill.zarr/float_as_int":                      "a number of another type",
	"v2/fill.zarr/int_as_float":                      "a number of another type",
	"v3/dtype.zarr/bytes_plain":                      "a type of two names",
	"v3/dtype.zarr/bytes_zstd":                       "a type of two names",
	"v3/ext.zarr/structured_old_spelling":            "a type of two names",
	"v3/layout.zarr/dtype_object":                    "a name that stood in an object",
	"v3/layout.zarr/short_hand":                      "names that stood alone",
	"v3/layout.zarr/keys_default_noconfig":           "a separator that was left out",
	"v3/layout.zarr/keys_v2_noconfig":                "a separator that was left out",
	"v3/layout.zarr/extra_must_understand_false":     "members that are not known stay in a document that is changed, and are not in a new one",
	"v3/hand.zarr/transformer_must_understand_false": "a storage transformer that need not be understood",
	"v3/fill.zarr/complex64_hex":                     "a number by its bits",
	"v3/fill.zarr/float16_hex":                       "a number by its bits",
	"v3/fill.zarr/float64_hex_pi":                    "a number by its bits",
	"v3/fill.zarr/float32_int":                       "a number of another type",
	"v3/fill.zarr/float32_tenth":                     "a number with fewer digits than its binary64 has",
}

// TestFixturesWrite writes the documents of the fixtures' nodes again. Their model stays the same.
// For fixtures of zarr-python the documents also stay the same, in their bytes or in their JSON
// values.
func TestFixturesWrite(t *testing.T) {
	same, alike := 0, 0
	found := map[string]bool{}
	nodes(t, func(name string, n *meta.Node) {
		if n.Format == 1 || n.Documents[0].Name == meta.DocumentConsolidated {
			return
		}
		fresh := *n
		fresh.Documents = nil
		docs, err := fresh.Write()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		again, err := meta.Parse(docs, meta.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, docs[0].Bytes)
			return
		}
		if diff := compare(n, again); diff != "" {
			t.Errorf("%s: %s differs\n%s\n%s", name, diff, n.Documents[0].Bytes, docs[0].Bytes)
		}
		for _, d := range docs {
			old := document(n.Documents, d.Name)
			if old == nil {
				t.Errorf("%s: %s was not there", name, d.Name)
				continue
			}
			if d.Name == meta.DocumentV3 && n.Array == nil {
				old = without(t, old, "consolidated_metadata")
			}
			folder, _, _ := strings.Cut(name, "/")
			switch {
			case bytes.Equal(old, d.Bytes):
				same++
			case reordered(t, defaults(t, old)) == reordered(t, defaults(t, d.Bytes)):
				alike++
			case different[name] != "":
				found[name] = true
			case slices.Contains([]string{"v2", "v3", "ome", "xarray", "geno"}, folder):
				t.Errorf("%s/%s: was\n%s\nis\n%s", name, d.Name, reordered(t, old), reordered(t, d.Bytes))
			}
		}
		// An unchanged node has unchanged documents.
		docs, err = n.Write()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, d := range docs {
			if !bytes.Equal(document(n.Documents, d.Name), d.Bytes) {
				t.Errorf("%s: %s changes", name, d.Name)
			}
		}
	})
	for name := range different {
		if !found[name] {
			t.Errorf("%s is not different", name)
		}
	}
	if same < 1000 || alike < 1000 {
		t.Errorf("of %d documents the bytes are the same, of %d the JSON; want 1000 of each", same, alike)
	}
}

// document is the text of the document of that name, or nil.
func document(docs []meta.Document, name string) []byte {
	for _, d := range docs {
		if d.Name == name {
			return d.Bytes
		}
	}
	return nil
}

// defaults is a document of v3 without the members that need not be there, and have nothing in
// them.
func defaults(t *testing.T, doc []byte) []byte {
	for _, m := range []string{"storage_transformers", "attributes"} {
		if v, err := json.Parse(doc, json.Limits{Bytes: 1 << 30}); err == nil && v.Get(m).Exists() && v.Get(m).Len() == 0 {
			doc = without(t, doc, m)
		}
	}
	return doc
}

// without is a document without one of its members.
func without(t *testing.T, doc []byte, name string) []byte {
	v := must.Get(json.Parse(doc, json.Limits{Bytes: 1 << 30}))(t)
	members := slices.DeleteFunc(slices.Clone(v.Members()), func(m json.Member) bool { return m.Name == name })
	return json.AppendLaidOut(nil, json.Make(members...).Raw(), json.LayoutOf(doc))
}

// compare says what of two nodes differs, "" when nothing does.
func compare(a, b *meta.Node) string {
	switch {
	case a.Format != b.Format:
		return "version"
	case (a.Array == nil) != (b.Array == nil):
		return "kind"
	case string(json.AppendLaidOut(nil, a.Attributes.Raw(), json.Layout{})) != string(json.AppendLaidOut(nil, b.Attributes.Raw(), json.Layout{})):
		return "attributes"
	case a.Array == nil:
		return ""
	}
	x, y := a.Array, b.Array
	switch {
	case !slices.Equal(x.Shape, y.Shape):
		return "shape"
	case x.Type.JSName() != y.Type.JSName() || x.Type.V2String() != y.Type.V2String() || x.Type.Size != y.Type.Size:
		return "type"
	case x.Grid.Kind() != y.Grid.Kind() || !slices.Equal(x.Grid.Counts(), y.Grid.Counts()) || !slices.Equal(x.Grid.ChunkShapes(), y.Grid.ChunkShapes()):
		return "grid"
	case x.Keys != y.Keys || x.KeysWritten != y.KeysWritten:
		return "keys"
	case (x.Fill == nil) != (y.Fill == nil) || !bytes.Equal(fillOf(x), fillOf(y)):
		return "fill value"
	case x.FillDefined != y.FillDefined && a.Format == 2:
		return "fill value's being defined"
	case x.Order != y.Order:
		return "order"
	case !slices.Equal(x.DimensionNames, y.DimensionNames):
		return "dimension names"
	case chain(x) != chain(y):
		return "codecs"
	}
	for dim := range x.Grid.Rank() {
		if !slices.Equal(x.Grid.Edges(dim), y.Grid.Edges(dim)) {
			return "grid"
		}
	}
	return ""
}

// fillOf is the fill value; of an object, however its text is laid out.
func fillOf(a *meta.Array) []byte {
	if a.Type.Kind == dtype.Object && a.Fill != nil {
		return json.AppendLaidOut(nil, a.Fill, json.Layout{})
	}
	return a.Fill
}

func chain(a *meta.Array) string {
	s := ""
	for _, c := range a.Codecs {
		s += c.Name
		if c.Config.Exists() {
			s += string(json.AppendLaidOut(nil, c.Config.Raw(), json.Layout{Sorted: true}))
		}
		s += ";"
	}
	return s
}
