package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// ranks creates a group with arrays of zero to two dimensions.
func ranks(t *testing.T, dir string) {
	t.Helper()
	st := must.Get(filestore.MakeDir(dir, filestore.DirOptions{}))(t)
	t.Cleanup(func() { st.Close() })
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	for name, shape := range map[string][]int64{"none": {}, "one": {9}, "two": {8, 6}} {
		a := must.Get(h.Create(t.Context(), name, zarr.ArraySpec{Shape: shape, Chunks: shape, DType: "int16", DimensionNames: []string{"y", "x"}[:len(shape)]}))(t)
		must.Do(t, a.Set(t.Context(), nil, 7, zarr.WriteOptions{}))
	}
}

// TestChunksOfAnotherRank names the arrays to which --chunks and --shards do not apply.
func TestChunksOfAnotherRank(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	ranks(t, from)
	for _, command := range []string{"copy", "rechunk", "pyramid"} {
		for _, c := range []struct {
			node, chunks string
			status       int
			errs         string
		}{
			{"two", "5", misused, `--chunks 5: the array "/two" has the shape [8 6]: expected a length for each dimension, such as 8,6`},
			{"none", "1", misused, `the array "/none" has the shape [] without dimensions: omit the option`},
			{"", "5,5,5", misused, `--chunks 5,5,5 applies to none of 3 arrays: the array "/two" has the shape [8 6]: expected`},
			{"two", "5,5", done, ""},
			{"", "5,5", done, `--chunks 5,5 does not apply to "/none" of shape [], "/one" of shape [9]`},
		} {
			for _, options := range [][]string{{"--plan"}, nil} {
				if command == "copy" {
					options = nil
				}
				to := filepath.Join(t.TempDir(), "to")
				r := zarrs(t, append([]string{command, from, to, "--node", c.node, "--chunks", c.chunks}, options...)...)
				if r.status != c.status || !strings.Contains(r.errs, c.errs) || c.errs == "" && r.errs != "" {
					t.Errorf("%s %q %s: %+v", command, c.node, c.chunks, r)
				}
				if _, err := os.Stat(to); c.status != done && err == nil {
					t.Errorf("%s %q %s made the target", command, c.node, c.chunks)
				}
			}
		}
		if r := zarrs(t, command, from, filepath.Join(dir, "x"), "--node", "two", "--shards", "8"); r.status != misused || !strings.Contains(r.errs, "--shards 8: ") {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

// TestTargetsInOrAroundSources writes nothing into the folder of an array, nor over the source.
func TestTargetsInOrAroundSources(t *testing.T) {
	dir := t.TempDir()
	group, other := filepath.Join(dir, "group"), filepath.Join(dir, "other")
	ranks(t, group)
	ranks(t, other)
	array := filepath.Join(group, "two")
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(array, link))
	before := objects(t, dir)
	for _, command := range []string{"copy", "rechunk", "pyramid"} {
		for _, c := range []struct {
			args []string
			errs string
		}{
			{[]string{array, array}, "TO is FROM"},
			{[]string{array, link}, "TO is FROM"},
			{[]string{array, filepath.Join(array, "in")}, "TO is FROM, or one lies in the other"},
			{[]string{group, dir, "--node", "two"}, "TO is FROM, or one lies in the other"},
			{[]string{group, group, "--as", "deep/er"}, "TO is FROM, or one lies in the other"},
			{[]string{array, filepath.Join(other, "two", "c", "in")}, "TO lies in the folder of the array " + filepath.Join(other, "two")},
			{[]string{"http://127.0.0.1:1/a.zarr?x", "http://127.0.0.1:1/a.zarr/in?y"}, "TO is FROM"},
		} {
			if command != "copy" && strings.Contains(c.args[0], "://") {
				continue // FROM is opened first
			}
			r := zarrs(t, append([]string{command, "--if-exists", "replace"}, c.args...)...)
			if r.status != misused || !strings.Contains(r.errs, c.errs) {
				t.Errorf("%s %q: %+v", command, c.args, r)
			}
		}
		if after := objects(t, dir); !maps.Equal(before, after) {
			t.Fatalf("%s changed the source: %d objects, want %d", command, len(after), len(before))
		}
		// Members of the source's group are elsewhere.
		output(t, command, group, group, "--node", "two", "--as", command)
		output(t, command, array, filepath.Join(group, command+"-beside"))
		before = objects(t, dir)
	}
}

// TestPyramidNamesItsLevels prints the levels, and the reason why there is none.
func TestPyramidNamesItsLevels(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	ranks(t, from)
	two := filepath.Join(from, "two")
	if out := output(t, "pyramid", two, filepath.Join(dir, "a")); !strings.Contains(out, "level 0: [8 6]\nno further level: the array has one chunk along dimensions [0 1]") {
		t.Error(out)
	}
	if out := output(t, "pyramid", two, filepath.Join(dir, "b"), "--chunks", "4,4"); !strings.Contains(out, "level 0: [8 6]\nlevel 1: [4 3]\n") || strings.Contains(out, "no further") {
		t.Error(out)
	}
	for _, source := range []string{two, from} {
		want := "name the new group as TO, as in: zarr pyramid " + source + " " + filepath.Base(source) + "-levels.zarr"
		if r := zarrs(t, "pyramid", source); r.status != misused || !strings.Contains(r.errs, want) {
			t.Errorf("%+v", r)
		}
	}
}
