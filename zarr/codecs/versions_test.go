//go:build !js

package codecs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// TestOtherVersionReads puts the unchanged chunks of the fixtures' arrays beside documents of the
// other version. The elements stay the same.
func TestOtherVersionReads(t *testing.T) {
	dir := fixtures.Dir(t)
	full := codecs.Full()
	read := 0
	must.Do(t, filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, at)
		if folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); folder != "." && !slices.Contains([]string{"v1", "v2", "v3"}, folder) {
			return filepath.SkipDir
		}
		h := zarr.New(filestore.New(os.DirFS(at)), full, zarr.Options{})
		defer h.Close()
		a, err := h.OpenArray(t.Context(), "")
		if err != nil {
			return nil
		}
		n := a.Metadata()
		format := 3
		if n.Format == 3 {
			format = 2
		}
		other, err := n.To(format)
		if err != nil {
			return nil // see the tests of package meta
		}
		want, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil || len(want.Data) > 1<<20 {
			return nil // a fixture that cannot be read, or a large one
		}
		docs, err := other.Write()
		if err != nil {
			t.Errorf("%s: %v", rel, err)
			return nil
		}
		objects := map[string][]byte{}
		for _, d := range docs {
			objects[d.Name] = d.Bytes
		}
		counts := n.Array.Grid.Counts()
		if total, ok := n.Array.Grid.Total(); !ok || total > 10_000 {
			return nil
		}
		for coords := make([]int64, len(counts)); coords != nil; coords = next(coords, counts) {
			if b, err := os.ReadFile(filepath.Join(at, filepath.FromSlash(n.Array.Keys.Key(coords)))); err == nil {
				objects[other.Array.Keys.Key(coords)] = b
			}
		}
		made := zarr.New(memstore.New(objects), full, zarr.Options{})
		defer made.Close()
		b, err := made.OpenArray(t.Context(), "")
		if err != nil {
			t.Errorf("%s as version %d: %v\n%s", rel, format, err, docs[0].Bytes)
			return nil
		}
		got, err := b.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil || !bytes.Equal(got.Data, want.Data) || !slices.EqualFunc(got.Items, want.Items, bytes.Equal) || !slices.Equal(got.Shape, want.Shape) {
			t.Errorf("%s as version %d: other elements, %v\n%s", rel, format, err, docs[0].Bytes)
		}
		read++
		return nil
	}))
	if read < 700 {
		t.Errorf("%d arrays were read", read)
	}
}

// next returns the chunk after another one, nil after the last.
func next(coords, counts []int64) []int64 {
	for i := len(coords) - 1; i >= 0; i-- {
		if coords[i]++; coords[i] < counts[i] {
			return coords
		}
		coords[i] = 0
	}
	return nil
}
