package doctor_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/doctor"
)

// consolidated makes groups and arrays with consolidated metadata at the root.
func (n *nodes) consolidated(format int) {
	n.Helper()
	for _, path := range []string{"", "g", "g/h"} {
		if _, err := n.CreateGroup(n.Context(), path, zarr.GroupSpec{Format: format, Attributes: map[string]any{"b": 1.5, "a": []any{path, "é"}}}); err != nil {
			n.Fatal(err)
		}
	}
	for _, path := range []string{"a", "g/b", "g/h/c"} {
		s := zarr.ArraySpec{Format: format, DType: "<f4", Shape: ints(40, 40), Chunks: ints(40, 40), DimensionNames: []string{"y", "x"}}
		if format == 3 {
			s.DType = "float32"
		}
		n.array(path, 50_000, s)
	}
	if _, err := n.ConsolidateMetadata(n.Context(), ""); err != nil {
		n.Fatal(err)
	}
}

// change changes a node by its own documents.
func (n *nodes) change(f func(context.Context, zarr.Node, map[string]any) (zarr.Node, error)) {
	n.Helper()
	h := zarr.New(n.Store, writing.Codecs(), zarr.Options{IgnoreConsolidated: true})
	node, err := h.Open(n.Context(), "g/b", zarr.OpenOptions{})
	if err == nil {
		_, err = f(n.Context(), node, map[string]any{"new": 1})
	}
	if err != nil {
		n.Fatal(err)
	}
}

// Consolidated metadata of versions 2 and 3 becomes stale by each kind of change, and is found. It
// is not stale before.
func TestStaleConsolidatedMetadataIsFoundWhateverChanges(t *testing.T) {
	array := func(format int) zarr.ArraySpec { return zarr.ArraySpec{Format: format, Shape: ints(4), DType: "<i2"} }
	for name, change := range map[string]struct {
		do   func(n *nodes, format int)
		want string
	}{
		"nothing":    {func(*nodes, int) {}, ""},
		"attributes": {func(n *nodes, _ int) { n.change(zarr.UpdateAttributes[zarr.Node]) }, "/g/b has other attributes or names"},
		"the shape": {func(n *nodes, _ int) {
			n.change(func(ctx context.Context, node zarr.Node, _ map[string]any) (zarr.Node, error) {
				return node.(*zarr.Array).Resize(ctx, 50, 40)
			})
		}, "/g/b has the shape 50,40, not 40,40"},
		"a missing node": {func(n *nodes, _ int) {
			if err := n.Store.DeleteAll(n.Context(), "g/h/c"); err != nil {
				n.Fatal(err)
			}
		}, "/g/h/c has no metadata of its own"},
		"an added node": {func(n *nodes, format int) {
			h := zarr.New(n.Store, writing.Codecs(), zarr.Options{IgnoreConsolidated: true})
			if _, err := h.Create(n.Context(), "g/h/new", array(format)); err != nil {
				n.Fatal(err)
			}
		}, "/g/h/new is not described"},
		"another kind": {func(n *nodes, format int) {
			if err := n.Store.DeleteAll(n.Context(), "g/h"); err != nil {
				n.Fatal(err)
			}
			h := zarr.New(n.Store, writing.Codecs(), zarr.Options{IgnoreConsolidated: true})
			if _, err := h.Create(n.Context(), "g/h", array(format)); err != nil {
				n.Fatal(err)
			}
		}, "/g/h is of another kind"},
	} {
		for _, format := range []int{2, 3} {
			n := newNodes(t)
			n.consolidated(format)
			change.do(n, format)
			found := n.findings()
			i := slices.IndexFunc(found, func(f doctor.Finding) bool { return f.Rule == "consolidated-stale" })
			if change.want == "" {
				if i >= 0 {
					t.Errorf("version %d, %s: %+v", format, name, found[i])
				}
				continue
			}
			if i < 0 || !strings.Contains(found[i].Text, ": "+change.want+" (1 in all)") {
				t.Errorf("version %d, %s: want %q in %+v", format, name, change.want, found)
			}
		}
	}
}

// In version 2 the root has documents of its own, which its consolidated metadata copies.
func TestStaleAttributesOfTheRootAreFound(t *testing.T) {
	n := newNodes(t)
	n.consolidated(2)
	n.document(".zattrs", `{"a":1}`)
	if found := n.findings(); len(found) != 1 || !strings.Contains(found[0].Text, ": / has other attributes or names") {
		t.Errorf("%+v", found)
	}
	if _, err := n.ConsolidateMetadata(n.Context(), "g"); err != nil {
		t.Fatal(err)
	}
	n.document("g/.zattrs", `{"a":1}`)
	h := zarr.New(n.Store, writing.Codecs(), zarr.Options{})
	report, err := doctor.Examine(t.Context(), func(ctx context.Context) (zarr.Node, error) { return h.Open(ctx, "g", zarr.OpenOptions{}) }, doctor.Options{})
	if err != nil || len(report.Findings) != 1 || !strings.Contains(report.Findings[0].Text, ": /g has other attributes or names") {
		t.Errorf("%+v, %v", report, err)
	}
}

// Other writers order and space their documents otherwise.
func TestConsolidatedMetadataOfOtherWritersIsNotStale(t *testing.T) {
	count := 0
	err := filepath.WalkDir(fixtures.Dir(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != ".zmetadata" && d.Name() != "zarr.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || d.Name() == "zarr.json" && !strings.Contains(string(text), `"consolidated_metadata":`) {
			return err
		}
		st, err := filestore.OpenDir(filepath.Dir(path), filestore.DirOptions{})
		if err != nil {
			return err
		}
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		report, err := doctor.Examine(t.Context(), func(ctx context.Context) (zarr.Node, error) { return h.Open(ctx, "", zarr.OpenOptions{}) }, doctor.Options{})
		if err != nil {
			t.Logf("%s: %v", path, err)
			return nil
		}
		count++
		for _, f := range report.Findings {
			if f.Rule == "consolidated-stale" {
				t.Errorf("%s: %s", path, f.Text)
			}
		}
		return nil
	})
	if err != nil || count < 10 {
		t.Errorf("%d groups, %v", count, err)
	}
}
