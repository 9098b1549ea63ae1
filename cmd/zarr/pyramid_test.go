package main

import (
	"bytes"
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
	if text := output(t, append(args, "--plan")...); !strings.Contains(text, "level 3: [40 38 39]") {
		t.Error(text)
	}
	output(t, args...)
	if text := output(t, "validate", to, "--data"); !strings.Contains(text, " 0 errors") {
		t.Error(text)
	}
	if want, got := output(t, "cat", from, "--as", "raw"), output(t, "cat", to, "0", "--as", "raw"); want != got {
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
	output(t, args...)
	output(t, "pyramid", args[2])
	if want, got := output(t, "cat", to, "3", "--as", "raw"), output(t, "cat", args[2], "3", "--as", "raw"); want != got {
		t.Error("other elements in place")
	}
	if r := zarrs(t, "pyramid", args[2]); r.status != failed || !strings.Contains(r.errs, "already") {
		t.Errorf("%+v", r)
	}
	if r := zarrs(t, "pyramid", from); r.status == done {
		t.Error("an array in place is accepted")
	}
}

// numpy computes levels by numpy, and compares them with those of pyramids.
const numpy = `
import json, sys
import numpy as np
import zarr
missing = 7

def halve(a, method):
    parts, n = [], a.shape
    valid = (np.ones(n, bool) if a.dtype.kind in "iu" else ~np.isnan(a)) & (a != missing)
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

for path, method in json.loads(sys.argv[1]):
    levels = zarr.open_group(path, mode="r")
    want, same = levels["0"][...], True
    for k in range(1, len(list(levels.array_keys()))):
        want = halve(want, method)
        got = levels[str(k)][...]
        same &= want.dtype.newbyteorder("=") == got.dtype.newbyteorder("=") and want.shape == got.shape and np.array_equal(want, got, equal_nan=want.dtype.kind == "f")
    print(json.dumps({"levels": k + 1, "same": bool(same)}))
`

// writeRandom writes random arrays for pyramids.
const writeRandom = `
import json, sys
import numpy as np
import zarr
for seed, (path, dtype) in enumerate(json.loads(sys.argv[1])):
    r = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    shape = tuple(int(n) for n in r.integers(1, 90, int(r.integers(2, 4))))
    a = r.integers(0, 50, shape).astype(dtype)
    if dtype.kind == "f":
        a = (a + r.random(shape)).astype(dtype)
        a[r.random(shape) < 0.2] = np.nan
    z = zarr.open_array(path, mode="w", shape=shape, chunks=tuple(int(n) for n in r.integers(5, 40, len(shape))), dtype=dtype, order="CF"[int(r.integers(2))], fill_value=0)
    z[...] = a
    z.attrs["missing_value"] = 7
`

// TestNumpyComputesTheSameLevels lets zarr-python write random arrays and numpy compute their
// levels.
func TestNumpyComputesTheSameLevels(t *testing.T) {
	dir := t.TempDir()
	var sources, pyramids [][2]string // with the type, and with the method
	for i, dtype := range []string{"|i1", "<u2", ">i4", "<u4", "<f4", ">f8", "<f2", ">u2"} {
		sources = append(sources, [2]string{filepath.Join(dir, strconv.Itoa(i)), dtype})
		pyramids = append(pyramids, [2]string{filepath.Join(dir, "to"+strconv.Itoa(i)), []string{"mean", "max"}[i%2]})
	}
	zarrpython.Zarr(t, writeRandom, listed(t, sources))
	for i, to := range pyramids {
		output(t, "pyramid", sources[i][0], to[0], "--method", to[1], "--levels", "4")
	}
	answers := bytes.Split(bytes.TrimSpace(zarrpython.Zarr(t, numpy, listed(t, pyramids))), []byte("\n"))
	if len(answers) != len(pyramids) {
		t.Fatalf("%d answers for %d pyramids", len(answers), len(pyramids))
	}
	for i, answer := range answers {
		var found struct {
			Levels int
			Same   bool
		}
		if err := json.Unmarshal(answer, &found); err != nil {
			t.Fatal(err)
		}
		if !found.Same || found.Levels < 2 {
			t.Errorf("%s, %s: %+v", sources[i][1], pyramids[i][1], found)
		}
	}
}

// listed returns pairs as the argument of a program.
func listed(t *testing.T, pairs [][2]string) string {
	t.Helper()
	text, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
