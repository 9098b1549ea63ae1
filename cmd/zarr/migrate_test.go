package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestMain runs the command itself when a test starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("ZARR_AS_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// objectsIn returns all objects of a store.
func objectsIn(t *testing.T, st interface {
	store.Source
	store.Lister
}, at string, all map[string][]byte) map[string][]byte {
	t.Helper()
	names := must.Get(st.List(t.Context(), at))(t)
	for _, name := range names {
		key := store.Join(at, strings.TrimSuffix(name, "/"))
		if strings.HasSuffix(name, "/") {
			objectsIn(t, st, key, all)
			continue
		}
		e := must.Get(st.Read(t.Context(), key, store.Ask{}))(t)
		all[key] = e.Bytes
	}
	return all
}

// killable starts the command as a process that SIGKILL ends with the context.
func killable(ctx context.Context, args ...string) *exec.Cmd {
	process := exec.CommandContext(ctx, os.Args[0], args...)
	process.Env = append(os.Environ(), "ZARR_AS_COMMAND=1")
	return process
}

// TestMigrateKilledAtEachObject kills a process that migrates an array on a server. It kills the
// process at each object that is written or deleted, before and after the server's change. The
// repeated migration has the same result as an undisturbed one, and then there is nothing to do.
func TestMigrateKilledAtEachObject(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	header := "Authorization: " + secret
	first := &bucket{objects: memstore.New(nil)}
	output(t, "copy", climate, bucketURL(t, first), "--to-header", header, "--node", "station", "--format", "2")
	kills := 0
	for to, objects := range map[string]map[string][]byte{
		"3": objectsIn(t, first.objects, "", map[string][]byte{}),
		"2": {
			"meta":  []byte(`{"zarr_format": 1, "shape": [4], "chunks": [2], "dtype": "<i2", "compression": "zlib", "compression_opts": 1, "fill_value": 7, "order": "C"}`),
			"attrs": []byte(`{"x": 1}`),
		},
	} {
		changes := 0
		whole := &bucket{objects: memstore.New(maps.Clone(objects)), changing: func(change func()) { changes++; change() }}
		if out := output(t, "migrate", bucketURL(t, whole), "--header", header, "--to", to); out != "1 nodes migrated\n" {
			t.Fatal(out)
		}
		want := objectsIn(t, whole.objects, "", map[string][]byte{})
		if changes < 3 {
			t.Fatalf("to version %s: %d changes", to, changes)
		}
		for kill := range 2 * changes {
			b := &bucket{objects: memstore.New(maps.Clone(objects))}
			ctx, end := context.WithCancel(t.Context())
			ended := make(chan struct{}) // the process has ended
			var mu sync.Mutex
			n := 0
			b.changing = func(change func()) {
				mu.Lock()
				defer mu.Unlock()
				n++
				if n <= kill/2 || n == kill/2+1 && kill%2 == 1 {
					change()
				}
				if n > kill/2 {
					end()
					<-ended
				}
			}
			out, err := killable(ctx, "migrate", bucketURL(t, b), "--header", header, "--to", to).CombinedOutput()
			close(ended)
			if err == nil || ctx.Err() == nil {
				t.Fatalf("to version %s, killed at change %d: %v, %s", to, kill/2, err, out)
			}
			kills++
			url := bucketURL(t, &bucket{objects: b.objects})
			output(t, "migrate", url, "--header", header, "--to", to)
			if got := objectsIn(t, b.objects, "", map[string][]byte{}); !maps.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("to version %s, killed at change %d: %v, want %v", to, kill/2, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			if out := output(t, "migrate", url, "--header", header, "--to", to); !strings.HasPrefix(out, "nothing to do") {
				t.Errorf("to version %s, killed at change %d: done twice: %s", to, kill/2, out)
			}
		}
	}
	t.Logf("killed %d times", kills)
}

// TestMigrateOfADirectoryKilled kills processes that migrate a hierarchy in a directory after each
// number of changes.
func TestMigrateOfADirectoryKilled(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	from := filepath.Join(t.TempDir(), "from")
	output(t, "copy", climate, from, "--format", "2")
	output(t, "consolidate", from)
	objects := func(dir string) map[string][]byte {
		return objectsIn(t, must.Get(filestore.OpenDir(dir, filestore.DirOptions{}))(t), "", map[string][]byte{})
	}
	// documents counts the documents whose changes show the migration's progress.
	documents := func(dir string) (n int) {
		for _, name := range []string{"", "crs", "land", "lat", "lon", "rain", "station", "t2m", "time"} {
			for _, document := range []string{"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"} {
				_, err := os.Stat(filepath.Join(dir, name, document))
				if there := err == nil; there == (document == "zarr.json") {
					n++
				}
			}
		}
		return n
	}
	whole := filepath.Join(t.TempDir(), "whole")
	must.Do(t, os.CopyFS(whole, os.DirFS(from)))
	first := documents(whole)
	output(t, "migrate", whole)
	want, last := objects(whole), documents(whole)
	seen := map[int]bool{}
	for after := first; after < last; after++ {
		dir := filepath.Join(t.TempDir(), "a")
		must.Do(t, os.CopyFS(dir, os.DirFS(from)))
		ctx, end := context.WithCancel(t.Context())
		process := killable(ctx, "migrate", dir)
		must.Do(t, process.Start())
		ended := make(chan error, 1)
		go func() { ended <- process.Wait() }()
		for documents(dir) < after && len(ended) == 0 {
		}
		end()
		<-ended
		seen[documents(dir)] = true
		output(t, "migrate", dir)
		if got := objects(dir); !maps.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("killed after %d changes: there is %v", after-first, slices.Sorted(maps.Keys(got)))
		}
		if out := output(t, "migrate", dir); !strings.HasPrefix(out, "nothing to do") {
			t.Errorf("killed after %d changes: done twice: %s", after-first, out)
		}
	}
	t.Logf("%d processes, killed in %d states of %d", last-first, len(seen), last-first+1)
}
