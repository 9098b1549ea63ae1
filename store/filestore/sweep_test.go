//go:build !js

package filestore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// leftovers returns the reserved files and folders below a directory.
func leftovers(t *testing.T, dir string) (names []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), filestore.Reserved) {
			rel, _ := filepath.Rel(dir, at)
			names = append(names, filepath.ToSlash(rel))
			if e.IsDir() {
				return fs.SkipDir
			}
		}
		return err
	}))
	return names
}

// Writers set, create, replace and delete random keys while sweeps remove all temporary files that
// they find. Each write succeeds, or fails because of other writers. Each object is whole.
func TestSweepsDisturbNoWriter(t *testing.T) {
	dir := t.TempDir()
	d := must.Get(filestore.OpenDir(dir, filestore.DirOptions{}))(t)
	defer d.Close()
	// A writer gives up if sweeps end ten attempts. They begin by the number of writes, because a
	// clock would leave a slow writer no time.
	const writesPerSweep = 16
	written := make(chan struct{}, 1600)
	var sweeper sync.WaitGroup
	swept := 0
	sweeper.Go(func() {
		writes := 0
		for range written {
			if writes++; writes%writesPerSweep != 0 {
				continue
			}
			n, err := d.Sweep(t.Context(), "", 0)
			if swept += n; err != nil {
				t.Error(err)
			}
		}
	})
	var writers sync.WaitGroup
	for seed := range 4 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			for n := range 400 {
				folder := fmt.Sprintf("a/%d", r.IntN(2))
				key := fmt.Sprintf("%s/%d", folder, r.IntN(3))
				var err error
				switch r.IntN(8) {
				case 0:
					err = d.DeleteAll(t.Context(), folder)
				case 1:
					err = d.Delete(t.Context(), key)
				case 2:
					if err = d.Create(t.Context(), key, block(n)); errors.Is(err, fs.ErrExist) {
						err = nil
					}
				case 3:
					e, _ := d.Read(t.Context(), key, store.Ask{})
					if err = d.Replace(t.Context(), key, block(n), e.Version); errors.Is(err, store.ErrConflict) {
						err = nil
					}
				default:
					err = d.Set(t.Context(), key, block(n))
				}
				if err != nil {
					t.Errorf("writer %d, %d: %v", seed, n, err)
				}
				written <- struct{}{}
				b, err := store.Get(t.Context(), d, key)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil || len(b) < 200_000 || !bytes.Equal(b, bytes.Repeat(b[:1], len(b))) {
					t.Errorf("writer %d, %d: %s has %d bytes, %v", seed, n, key, len(b), err)
				}
			}
		})
	}
	writers.Wait()
	close(written)
	sweeper.Wait()
	if t.Logf("%d removed", swept); swept < 10 {
		t.Errorf("only %d temporary files and folders were swept while 4 wrote", swept)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// A writer's leftovers for a prefix lie below it or beside it.
func TestSweepIsOfAPrefix(t *testing.T) {
	dir := t.TempDir()
	all := []string{"", "a/", "a/b/", "a/b/c/", "a/b/c/0/", "a/x/", "a/b/x/", "other/"}
	for _, folder := range all {
		name := filepath.Join(dir, filepath.FromSlash(folder), filestore.Reserved+"partial-1")
		must.Do(t, os.MkdirAll(filepath.Join(name+"2", "deep"), 0o755))
		must.Do(t, os.WriteFile(name, nil, 0o444))
	}
	d := must.Get(filestore.OpenDir(dir, filestore.DirOptions{}))(t)
	defer d.Close()
	for _, c := range []struct {
		prefix  string
		removed int
	}{{"a/b/c", 6}, {"a/b/c", 0}, {"nothing", 2}, {"a", 6}, {"", 2}, {"", 0}} {
		if n, err := d.Sweep(t.Context(), c.prefix, 0); n != c.removed || err != nil {
			t.Errorf("%q: %d were removed, %v; want %d; left: %q", c.prefix, n, err, c.removed, leftovers(t, dir))
		}
	}
	if _, err := d.Sweep(t.Context(), "../x", 0); err == nil {
		t.Error("a prefix that leads out of the directory was swept")
	}
}

func TestReplacement(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.zip")
	d := must.Get(filestore.OpenDir(dir, filestore.DirOptions{}))(t)
	defer d.Close()
	begin := func(text string) *filestore.Replacement {
		t.Helper()
		r, err := filestore.NewReplacement(t.Context(), name)
		if err == nil {
			_, err = r.WriteString(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, second := begin("first"), begin("second")
	if n, err := d.Sweep(t.Context(), "", 0); n != 0 || err != nil {
		t.Errorf("%d were swept while they are written, %v", n, err)
	}
	must.Do(t, first.Commit())
	must.Do(t, begin("third").Discard())
	if b, err := os.ReadFile(name); string(b) != "first" {
		t.Errorf("%s, %v", b, err)
	}
	must.Do(t, second.Commit())
	if b, err := os.ReadFile(name); string(b) != "second" {
		t.Errorf("%s, %v", b, err)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// TestSweepRemovesWhatTheKilledHeld kills a process that holds a lock and writes a replacement. A
// sweep removes both. The next replacement of the file removes its predecessor.
func TestSweepRemovesWhatTheKilledHeld(t *testing.T) {
	for _, next := range []bool{false, true} {
		dir := t.TempDir()
		c, lines := child(t, "replace", dir)
		if !lines.Scan() || lines.Text() != "held" {
			t.Fatal(lines.Text())
		}
		d := must.Get(filestore.OpenDir(dir, filestore.DirOptions{}))(t)
		defer d.Close()
		if n, err := d.Sweep(t.Context(), "", 0); n != 0 || err != nil || len(leftovers(t, dir)) != 2 {
			t.Errorf("%d were swept of a process that lives, %v; left: %q", n, err, leftovers(t, dir))
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		if next {
			r, err := filestore.NewReplacement(t.Context(), filepath.Join(dir, "a.zip"))
			if err == nil {
				err = r.Commit()
			}
			if left := leftovers(t, dir); err != nil || len(left) != 1 {
				t.Errorf("%v; left: %q", err, left)
			}
		}
		if _, err := d.Sweep(t.Context(), "", 0); err != nil || len(leftovers(t, dir)) != 0 {
			t.Errorf("%v; left: %q", err, leftovers(t, dir))
		}
	}
}
