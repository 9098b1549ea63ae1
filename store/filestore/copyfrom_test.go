package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// A copied object has the bytes of its source, whatever their number and whether or not the key
// exists. A refused copy leaves the old object, and no temporary file.
func TestCopyFromWritesAllBytesOrNothing(t *testing.T) {
	ctx := t.Context()
	r := rand.New(rand.NewPCG(32, 1))
	from := must.Get(filestore.MakeDir(t.TempDir(), filestore.DirOptions{}))(t)
	dir := t.TempDir()
	to := must.Get(filestore.MakeDir(dir, filestore.DirOptions{}))(t)
	present := map[string][]byte{}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for step := range 60 {
		data := make([]byte, []int{0, 1, r.IntN(5000), 4 << 20, 4<<20 + r.IntN(9)}[r.IntN(5)])
		for i := range min(len(data), 999) {
			data[i] = byte(r.Uint32())
		}
		must.Do(t, from.Set(ctx, "a/b", data))
		key := []string{"x", "y/z", "y/u/v"}[r.IntN(3)]
		var source store.Source = from
		if r.IntN(2) == 0 {
			source = from.Store // read only
		}
		fits := func(size int64) bool { return size == int64(len(data)) }
		var want error
		ctx, name := ctx, "a/b"
		switch r.IntN(6) {
		case 0:
			fits, want = func(int64) bool { return false }, errors.ErrUnsupported
		case 1:
			source, want = memstore.New(map[string][]byte{"a/b": data}), errors.ErrUnsupported
		case 2:
			name, want = "a/c", fs.ErrNotExist
		case 3:
			ctx, want = ended, context.Canceled
		}
		if err := to.CopyFrom(ctx, key, source, name, fits); !errors.Is(err, want) {
			t.Fatalf("step %d: the error is %v, want %v", step, err, want)
		}
		if want == nil {
			present[key] = data
		}
		files := 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files++
			}
			return err
		})
		if err != nil || files != len(present) {
			t.Fatalf("step %d: %d files, want %d: %v", step, files, len(present), err)
		}
		for key, data := range present {
			if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(key))); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("step %d: %s has %d other bytes, want %d: %v", step, key, len(got), len(data), err)
			}
		}
	}
}

// A folder of temporary files and locks is no source.
func TestCopyFromReservedNameIsNotFound(t *testing.T) {
	root := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(root, filestore.Reserved+"x"), 0o777))
	must.Do(t, os.WriteFile(filepath.Join(root, filestore.Reserved+"x", "a"), []byte("1"), 0o666))
	d, err := filestore.OpenDir(root, filestore.DirOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = d.CopyFrom(t.Context(), "b", d, filestore.Reserved+"x/a", func(int64) bool { return true })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v, want fs.ErrNotExist", err)
	}
}
