package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	zarrpython "github.com/zarr-wasm/zarr-wasm/tests/python"
)

// TestPyramidMakesLevelsAndContinues makes an image of an array and adds levels to it, also while
// it is killed.
func TestPyramidMakesLevelsAndContinues(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	timeSlices(t, from, 40, 300, 310)
	args := []string{"pyramid", from, to, "--ome", "--chunks", "1,64,64"}
	if text := must(t, append(args, "--plan")...); !strings.Contains(text, "level 3: [40 38 39]") {
		t.Error(text)
	}
	must(t, args...)
	if text := must(t, "validate", to, "--data"); !strings.Contains(text, " 0 errors") {
		t.Error(text)
	}
	if want, got := must(t, "cat", from, "--as", "raw"), must(t, "cat", to, "0", "--as", "raw"); want != got {
		t.Error("other elements at the first level")
	}
	want := objects(t, to)
	args[2] = filepath.Join(dir, "killed")
	kills := finishes(t, 200*time.Millisecond, args...)
	if got := objects(t, args[2]); !maps.Equal(want, got) {
		t.Errorf("after %d kills there are %d objects, want %d", kills, len(got), len(want))
	}
	// The same levels in place.
	args = append(args, "--levels", "1")
	args[2] = filepath.Join(dir, "inplace")
	must(t, args...)
	must(t, "pyramid", args[2])
	if want, got := must(t, "cat", to, "3", "--as", "raw"), must(t, "cat", args[2], "3", "--as", "raw"); want != got {
		t.Error("other elements in place")
	}
	if r := zarrs(t, "pyramid", args[2]); r.status != failed || !strings.Contains(r.errs, "already") {
		t.Errorf("%+v", r)
	}
	if r := zarrs(t, "pyramid", from); r.status == done {
		t.Error("an array in place is accepted")
	}
}

// numpy computes levels by numpy, and compares them with those of a pyramid.
const numpy = `
import json, sys
import numpy as np
import zarr
levels = zarr.open_group(sys.argv[1], mode="r")
method, missing = sys.argv[2], json.loads(sys.argv[3])

def halve(a):
    parts, n = [], a.shape
    valid = np.ones(n, bool) if a.dtype.kind in "iu" else ~np.isnan(a)
    if missing is not None:
        valid &= a != missing
    pad = [(0, 0)] * (a.ndim - 2) + [(0, n[-2] % 2), (0, n[-1] % 2)]
    a, ok = np.pad(a, pad, mode="edge"), np.pad(valid, pad)
    values = [a[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]
    oks = [ok[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]
    count = sum(o.astype(np.int64) for o in oks)
    if method == "mean":
        total = sum(np.where(o, v, 0).astype(np.float64) for v, o in zip(values, oks))
        out = total / np.maximum(count, 1)
        if a.dtype.kind in "iu":
            out = np.rint(out)
    else:
        worst = -np.inf if method == "max" else np.inf
        pick = np.maximum if method == "max" else np.minimum
        out = pick.reduce([np.where(o, v.astype(np.float64), worst) for v, o in zip(values, oks)])
    with np.errstate(invalid="ignore"):
        return np.where(count > 0, out.astype(a.dtype), values[0])

want, same = levels["0"][...], True
for k in range(1, len(list(levels.array_keys()))):
    want = halve(want)
    got = levels[str(k)][...]
    same &= want.dtype.newbyteorder("=") == got.dtype.newbyteorder("=") and want.shape == got.shape and np.array_equal(want, got, equal_nan=want.dtype.kind == "f")
print(json.dumps({"levels": k + 1, "same": bool(same)}))
`

// writeRandom writes a random array for a pyramid.
const writeRandom = `
import sys
import numpy as np
import zarr
r = np.random.default_rng(int(sys.argv[3]))
dtype = np.dtype(sys.argv[2])
shape = tuple(int(n) for n in r.integers(1, 90, int(r.integers(2, 4))))
a = r.integers(0, 50, shape).astype(dtype)
if dtype.kind == "f":
    a = (a + r.random(shape)).astype(dtype)
    a[r.random(shape) < 0.2] = np.nan
z = zarr.open_array(sys.argv[1], mode="w", shape=shape, chunks=tuple(int(n) for n in r.integers(5, 40, len(shape))), dtype=dtype, order="CF"[int(r.integers(2))], fill_value=0)
z[...] = a
z.attrs["missing_value"] = 7
`

// TestNumpyComputesTheSameLevels lets zarr-python write random arrays and numpy compute their
// levels.
func TestNumpyComputesTheSameLevels(t *testing.T) {
	dir := t.TempDir()
	for i, dtype := range []string{"|i1", "<u2", ">i4", "<u4", "<f4", ">f8", "<f2", ">u2"} {
		method := []string{"mean", "max"}[i%2]
		from, to := filepath.Join(dir, strconv.Itoa(i)), filepath.Join(dir, "to"+strconv.Itoa(i))
		zarrpython.Zarr(t, writeRandom, from, dtype, strconv.Itoa(i))
		must(t, "pyramid", from, to, "--method", method, "--levels", "4")
		var found struct {
			Levels int
			Same   bool
		}
		if err := json.Unmarshal(zarrpython.Zarr(t, numpy, to, method, "7"), &found); err != nil {
			t.Fatal(err)
		}
		if !found.Same || found.Levels < 2 {
			t.Errorf("%s, %s: %+v", dtype, method, found)
		}
	}
}
