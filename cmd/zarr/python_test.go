package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	zarrpython "github.com/zarr-wasm/zarr-wasm/tests/python"
)

// comparing prints what zarr-python finds in an array and its copy. Each line of its input file has
// a store, its kind, the array and the copy. For an array without a fill value, or too large for
// memory, it compares only the elements of stored chunks.
const comparing = `
import hashlib, json, re, sys, warnings
import numpy as np
import zarr
warnings.simplefilter("ignore")

def chunks(a):
    key = re.compile(re.escape(a._key_prefix) + r"\d+([./]\d+)*$")
    keys = (k[len(a._key_prefix):] for k in a.chunk_store.keys() if key.match(k))
    all = (tuple(map(int, re.split("[./]", k))) for k in keys)
    return sorted(c for c in all if len(c) == max(1, a.ndim) and all_less(c, a.cdata_shape))

def all_less(c, counts):
    return not counts or all(i < n for i, n in zip(c, counts))

def digest(v):
    if v.dtype.hasobject:
        return repr(v.tolist())
    return hashlib.sha256(np.ascontiguousarray(v).tobytes()).hexdigest()

def describe(a, stored):
    said = [a.shape, a.chunks, str(a.dtype), a.order, repr(a.fill_value), repr(a.filters), repr(a.compressor), a.attrs.asdict()]
    if a.size > 1 << 24 or a.fill_value is None:
        boxes = [tuple(slice(i * n, (i + 1) * n) for i, n in zip(c, a.chunks)) for c in stored]
        return repr(said + [digest(a[b if a.ndim else ()]) for b in boxes])
    return repr(said + [digest(a[...])])

def source(store, kind, array, consolidated):
    if consolidated == "true":
        return zarr.open_consolidated(store)[array]
    if kind == "zip":
        store = zarr.ZipStore(store, mode="r")
    return zarr.open_array(store, path=array, mode="r")

for line in open(sys.argv[1]):
    store, kind, array, consolidated, copy = line.rstrip("\n").split("\t")
    out = {}
    try:
        a = source(store, kind, array, consolidated)
        out["chunks"] = str(chunks(a))
        out["is"] = describe(a, chunks(a))
        b = zarr.open_array(copy, mode="r")
        out["chunks copied"] = str(chunks(b))
        out["copied"] = describe(b, chunks(a))
    except Exception as e:
        out["error"] = repr(e)
    print(json.dumps(out))
`

// TestZarrPythonReadsCopies copies every version 2 array of the fixtures, as bytes and decoded. In
// the copy, zarr-python must find the same shape, type, codecs, fill value, attributes and
// elements. A copy as bytes has the same chunks.
func TestZarrPythonReadsCopies(t *testing.T) {
	dir, cases := manifest(t)
	work := t.TempDir()
	var lines, names []string
	for _, c := range cases {
		if c.Format != 2 || len(c.Fails) > 4 || c.Kind != "dir" && c.Kind != "zip" {
			continue
		}
		from := filepath.Join(dir, filepath.FromSlash(c.Store))
		for _, recode := range []bool{false, true} {
			to := filepath.Join(work, fmt.Sprint(len(lines)))
			args := []string{"copy", from, to, "--node", c.Array}
			if recode {
				switch c.ID {
				case "v2.huge_sparse": // its one stored chunk would cost reading all 600 million
					continue
				// absent chunks have the metadata's fill value; zarr-python computes another number
				case "v2.fill.c16_nan":
					continue
				}
				args = append(args, "--recode")
			}
			if r := zarrs(t, args...); r.status != done {
				if t.Logf("%q: %s", args[4:], r.errs); !recode || !strings.Contains(r.errs, "invalid value") {
					t.Errorf("%s: not copied", c.ID)
				}
				continue
			}
			consolidated := slices.Contains(c.Features, "consolidated-only")
			lines = append(lines, strings.Join([]string{from, c.Kind, c.Array, fmt.Sprint(consolidated), to}, "\t"))
			names = append(names, fmt.Sprintf("%s, decoded: %v", c.ID, recode))
		}
	}
	file := filepath.Join(work, "arrays")
	must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666))
	answers := bytes.Split(bytes.TrimSpace(zarrpython.Zarr(t, comparing, file)), []byte("\n"))
	if len(answers) != len(lines) {
		t.Fatalf("%d answers for %d copies", len(answers), len(lines))
	}
	read := 0
	for i, answer := range answers {
		found := map[string]string{}
		must.Do(t, json.Unmarshal(answer, &found))
		if found["is"] == "" {
			t.Logf("%s: zarr-python does not read the original: %s", names[i], found["error"])
			continue
		}
		if read++; found["copied"] != found["is"] {
			t.Errorf("%s: zarr-python finds another array: %s", names[i], answer)
		}
		if strings.HasSuffix(names[i], "false") && found["chunks copied"] != found["chunks"] {
			t.Errorf("%s: the chunks are %s, want %s", names[i], found["chunks copied"], found["chunks"])
		}
	}
	t.Logf("zarr-python compared %d of %d copies", read, len(lines))
	if read < 1000 {
		t.Error("so few")
	}
}
