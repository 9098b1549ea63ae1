package zarr_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

func TestConsolidateMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		for _, format := range []int{2, 3} {
			h := family(t, format)
			g := must.Get(h.ConsolidateMetadata(ctx, ""))(t)
			if g.Metadata().Consolidated == nil {
				t.Fatalf("version %d: nothing is consolidated", format)
			}
			// Reading it needs no other request.
			st, fresh := writable(t)
			must.Get(zarr.CopyStore(ctx, h, "", fresh, "", zarr.CopyStoreOptions{}))(t)
			all := must.Get(zarr.New(st, writing.Codecs(), zarr.Options{}).OpenGroup(ctx, ""))(t)
			paths := slices.Sorted(slices.Values(all.Metadata().Consolidated.Paths))
			if !slices.Equal(paths, []string{"a", "g", "g/b", "g/h", "g/h/c"}) {
				t.Errorf("version %d: %v", format, paths)
			}
			w := &watched{Source: st}
			reader := zarr.New(w, writing.Codecs(), zarr.Options{})
			must.Get(reader.OpenGroup(ctx, ""))(t)
			asked := len(w.asked())
			same(t, reader, "", family(t, format), format)
			for _, key := range w.asked()[asked:] {
				if slices.Contains([]string{"a/zarr.json", "a/.zarray", "g/zarr.json", "g/h/c/.zarray", "g/h/c/zarr.json"}, key) {
					t.Errorf("version %d: %s was asked for", format, key)
				}
			}
			// The hierarchy that makes a change sees it; others see it after another consolidation.
			a := must.Get(h.OpenArray(ctx, "a"))(t)
			must.Get(a.Resize(ctx, 9, 9))(t)
			if again := must.Get(h.OpenArray(ctx, "a"))(t); !slices.Equal(again.Shape, []int64{9, 9}) {
				t.Errorf("version %d: shape %v", format, again.Shape)
			}
			// Consolidated metadata still exists and is reported, in either version.
			if root := must.Get(zarr.UpdateAttributes(ctx, must.Get(h.OpenGroup(ctx, ""))(t), map[string]any{"x": 1}))(t); root.Metadata().Consolidated == nil {
				t.Errorf("version %d: consolidated metadata that are there are not told of", format)
			}
			if root := must.Get(h.OpenGroup(ctx, ""))(t); root.Metadata().Consolidated == nil {
				t.Errorf("version %d: consolidated metadata are not told of when the group is opened again", format)
			}
			must.Get(h.Create(ctx, "g/new", zarr.ArraySpec{Shape: []int64{1}, Codecs: quick}))(t)
			if got := must.Get(h.ConsolidateMetadata(ctx, ""))(t).Metadata().Consolidated.Paths; len(got) != 6 {
				t.Errorf("version %d: %v", format, got)
			}
		}
	})
}
