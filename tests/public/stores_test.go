package public

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestStores reads every array of the other projects' stores, and compares with the values that
// their sources or names define.
func TestStores(t *testing.T) {
	root := filepath.Join(fixtures.Dir(t), "public")
	arrays := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != ".zarray" && d.Name() != "zarr.json" {
			return err
		}
		dir := filepath.Dir(name)
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			h := zarr.New(filestore.New(os.DirFS(dir)), codecs.Full(), zarr.Options{})
			n, err := h.Open(t.Context(), "", zarr.OpenOptions{})
			if strings.HasSuffix(rel, filepath.FromSlash("storage_transformer/exists")) {
				var unsupported *zarr.UnsupportedError
				if !errors.As(err, &unsupported) {
					t.Fatalf("%v, want the storage transformer refused", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a, ok := n.(*zarr.Array)
			if !ok {
				return
			}
			arrays++
			res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
			checkKnown(t, filepath.ToSlash(rel), res)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if arrays < 100 {
		t.Errorf("only %d arrays", arrays)
	}
}

// checkKnown compares with a project's rule for its data.
func checkKnown(t *testing.T, rel string, res *zarr.Result) {
	if !strings.Contains(rel, "manzt+zarrita.js") {
		return
	}
	name := path.Base(rel)
	d := ndarray.DomainOf(res.Type)
	if d == ndarray.DomainNone || strings.Contains(name, "filled") {
		return
	}
	var got []float64
	for i := range res.Len() {
		got = append(got, ndarray.Convert(ndarray.Load(res.Data, i, res.Type), d, ndarray.DomainReal).Float())
	}
	var known []float64
	switch {
	case strings.HasSuffix(name, ".u1"):
		known = []float64{255, 0, 255, 0}
	case strings.HasSuffix(name, ".b1"):
		known = []float64{1, 0, 1, 0}
	case strings.HasSuffix(name, ".f8"):
		known = []float64{1.5, 2.5, 3.5, 4.5}
	case strings.HasSuffix(name, ".f4.le"), strings.HasSuffix(name, ".f4.be"), strings.HasSuffix(name, ".f2.le"), strings.HasSuffix(name, "sharded.f4"):
		known = []float64{-1000.5, 0, 1000.5, 0}
	case strings.HasSuffix(name, ".f4"):
		return // lossy filters
	default: // counts up from 0 or 1, or by tens
		step := 1.0
		if got[0] == 10 {
			step = 10
		} else if got[0] != 0 && got[0] != 1 {
			t.Errorf("%s begins with %v", name, got[0])
		}
		for i := range got {
			known = append(known, got[0]+step*float64(i))
		}
	}
	if len(got) != len(known) {
		t.Fatalf("%s has %d elements, want %d", name, len(got), len(known))
	}
	for i := range got {
		if got[i] != known[i] {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], known[i])
		}
	}
}
