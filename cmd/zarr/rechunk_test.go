package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// timeSlices creates an array of time slices of uint16, in a directory.
func timeSlices(t *testing.T, dir string, shape ...int64) *zarr.Array {
	t.Helper()
	st := must.Get(filestore.MakeDir(dir, filestore.DirOptions{}))(t)
	t.Cleanup(func() { st.Close() })
	chunks := append([]int64{1}, shape[1:]...)
	a := must.Get(zarr.New(st, writing.Codecs(), zarr.Options{}).Create(t.Context(), "", zarr.ArraySpec{Shape: shape, Chunks: chunks, DType: "uint16", DimensionNames: []string{"time", "y", "x"}}))(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	values := make([]uint16, shape[1]*shape[2])
	for i := range shape[0] {
		for k := range values {
			values[k] = uint16(rnd.IntN(100)) + uint16(i)
		}
		must.Do(t, a.Set(t.Context(), []grid.Item{grid.At(i)}, values, zarr.WriteOptions{}))
	}
	return a
}

// objects returns the hashes of the files of a directory.
func objects(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	found := map[string][32]byte{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = sha256.Sum256(b)
		return err
	}))
	return found
}

// finishes runs a command that is killed at random moments, until it ends by itself. It returns how
// often it was killed.
func finishes(t *testing.T, most time.Duration, args ...string) (kills int) {
	t.Helper()
	for {
		c := killable(t.Context(), args...)
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		must.Do(t, c.Start())
		// Later kills come later, so that the command makes progress.
		kill := time.AfterFunc(time.Duration(rand.Int64N(int64(most)))+time.Duration(kills)*most/2, func() { _ = c.Process.Kill() })
		err := c.Wait()
		kill.Stop()
		if err == nil {
			return kills
		}
		if c.ProcessState.Exited() {
			t.Fatalf("%v: %s", err, &said)
		}
		kills++
	}
}

// TestRechunkPlansWritesAndContinues compares the elements of a copy in two passes with the
// source's, and its objects with those of copies that were killed.
func TestRechunkPlansWritesAndContinues(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	timeSlices(t, from, 300, 100, 110)
	args := []string{"rechunk", from, to, "--chunks", "300,5,5", "--memory", "4MiB"}
	var plans []struct {
		Passes    []struct{ Name string }
		Temporary int64
	}
	must.Do(t, json.Unmarshal([]byte(output(t, append(args, "--plan", "--json")...)), &plans))
	if len(plans) != 1 || len(plans[0].Passes) != 2 || plans[0].Temporary != 300*100*110*2 {
		t.Errorf("%+v", plans)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("the plan wrote something")
	}
	if text := output(t, append(args, "--plan")...); !strings.Contains(text, "pass 2: from temporary") {
		t.Error(text)
	}
	output(t, args...)
	if want, got := output(t, "cat", from, "--as", "raw"), output(t, "cat", to, "--as", "raw"); want != got {
		t.Error("other elements")
	}
	want := objects(t, to)
	if len(want) != 20*22+1 {
		t.Errorf("%d objects", len(want))
	}
	if r := zarrs(t, args...); r.status != failed || !strings.Contains(r.errs, "already") {
		t.Errorf("an existing target: %+v", r)
	}
	if text := output(t, append(args, "--if-exists", "skip")...); !strings.Contains(text, "skipped") {
		t.Error(text)
	}
	args[2] = filepath.Join(dir, "killed")
	kills := finishes(t, 200*time.Millisecond, args...)
	if got := objects(t, args[2]); !maps.Equal(want, got) {
		t.Errorf("after %d kills there are %d objects, and other ones", kills, len(got))
	}
}

// TestRechunkCopiesUnchangedChunksAsBytes changes only the version.
func TestRechunkCopiesUnchangedChunksAsBytes(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	timeSlices(t, from, 30, 20, 10)
	if text := output(t, "rechunk", from, to, "--plan"); !strings.Contains(text, "as bytes") {
		t.Error(text)
	}
	if r := zarrs(t, "rechunk", from, to, "--chunks", "30,20,10", "--memory", "10KiB"); r.status != failed || !strings.Contains(r.errs, "--memory 65MiB suffices") {
		t.Errorf("%+v", r)
	}
	output(t, "rechunk", from, to)
	if !maps.Equal(objects(t, from), objects(t, to)) {
		t.Error("other objects")
	}
}

// TestSizes parses sizes with units.
func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"1GiB": 1 << 30, "512 MiB": 512 << 20, "2GB": 2e9, "1.5kib": 1536, "7": 7, "9b": 9} {
		if n, err := sizeOf(text); n != want || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "GiB", "-1", "0", "1XB", "nan", "9999999TB"} {
		if _, err := sizeOf(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1 << 30: "1.0 GiB", 1<<20 - 1: "1.0 MiB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
