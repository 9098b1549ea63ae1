//go:build !js

package meta_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/python"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// describing prints what zarr-python makes of the nodes in folders, one a line: their arguments,
// but the first, are the names of these.
const describing = `
import json, os, sys, warnings
import numpy as np
import zarr
warnings.simplefilter("ignore")

def plain(x):
    return x.hex() if isinstance(x, bytes) else repr(x)

def describe(path):
    try:
        n = zarr.open(path, mode="r")
        if isinstance(n, zarr.Group):
            return {"attrs": n.attrs.asdict()}
        fill = n.fill_value
        if fill is not None and n.dtype.kind != "O":
            fill = np.asarray(fill, n.dtype).tobytes()
        return {
            "shape": n.shape, "chunks": n.chunks, "dtype": repr(n.dtype), "order": n.order, "fill": plain(fill),
            "codecs": [c.get_config() for c in list(n.filters or []) + ([n.compressor] if n.compressor else [])],
            "separator": n._dimension_separator, "attrs": n.attrs.asdict(),
        }
    except Exception as e:
        return {"error": type(e).__name__}

with open(os.path.join(sys.argv[1], "names")) as f:
    for name in f.read().split():
        print(json.dumps([describe(os.path.join(sys.argv[1], kind, name)) for kind in sys.argv[2:]], sort_keys=True))
`

// put writes documents into a folder.
func put(t *testing.T, dir string, docs []meta.Document) {
	t.Helper()
	must.Do(t, os.MkdirAll(dir, 0o777))
	for _, d := range docs {
		must.Do(t, os.WriteFile(filepath.Join(dir, d.Name), d.Bytes, 0o666))
	}
}

// TestPythonReads reads the documents of all fixtures' nodes with zarr-python, as they were and
// written again. Both readings agree. This release cannot read nodes of version 3; it reads their
// conversion to version 2.
func TestPythonReads(t *testing.T) {
	dir := t.TempDir()
	var names, paths []string
	var arrays []*meta.Array
	nodes(t, func(name string, n *meta.Node) {
		folder, _, _ := strings.Cut(name, "/")
		if !slices.Contains([]string{"v2", "v3", "xarray", "ome", "geno"}, folder) || n.Documents[0].Name == meta.DocumentConsolidated {
			return
		}
		fresh, err := n.To(2)
		if err != nil {
			return
		}
		docs, err := fresh.Write()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		id := strconv.Itoa(len(names))
		names, paths, arrays = append(names, id), append(paths, name), append(arrays, fresh.Array)
		put(t, filepath.Join(dir, "is", id), docs)
		if n.Format == 2 {
			docs = n.Documents
		}
		put(t, filepath.Join(dir, "was", id), docs)
	})
	put(t, dir, []meta.Document{{Name: "names", Bytes: []byte(strings.Join(names, " "))}})
	lines := strings.Split(strings.TrimSpace(string(python.Zarr(t, describing, dir, "was", "is"))), "\n")
	if len(lines) != len(names) {
		t.Fatalf("%d answers of %d nodes", len(lines), len(names))
	}
	read := 0
	for i, line := range lines {
		v := must.Get(json.Parse([]byte(line), json.Limits{}))(t)
		was, is := v.Items()[0], v.Items()[1]
		if string(was.Raw()) != string(is.Raw()) && !was.Get("error").Exists() {
			t.Errorf("%s: was %s\nis %s", paths[i], was.Raw(), is.Raw())
		}
		a := arrays[i]
		if is.Get("error").Exists() || a == nil {
			continue
		}
		read++
		// Python computes complex numbers as real + imaginary * 1j, which turns infinities into
		// NaN.
		exact := a.Type.Kind != dtype.Complex || !strings.HasPrefix(paths[i], "v2/fill.zarr/c16_nan") && !strings.HasPrefix(paths[i], "v3/fill.zarr/complex")
		if fill, _ := is.Get("fill").Text(); exact && a.FillDefined && !a.Type.Variable() && a.Type.Kind != dtype.Object {
			stored := append([]byte{}, a.Fill...)
			a.Type.ToLittle(stored, dtype.None)
			if fill != hex.EncodeToString(stored) {
				t.Errorf("%s: the fill value is %s, want % x", paths[i], fill, stored)
			}
		}
	}
	if read < 700 {
		t.Errorf("zarr-python reads %d arrays", read)
	}
}
