package pipeline_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/zarr-wasm/zarr-wasm/beam/pipeline"
	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

// source writes an array of random elements and chunks. Some chunks are absent.
func source(t *testing.T, r *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	shape, chunk := [2]int{20 + r.IntN(60), 20 + r.IntN(60)}, [2]int{3 + r.IntN(9), 3 + r.IntN(9)}
	write := func(name string, data []byte) {
		file := filepath.Join(dir, "a", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("zarr.json", fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":[%d,%d],"data_type":"uint16","fill_value":7,"attributes":{"a":1},
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d,%d]}},"chunk_key_encoding":{"name":"default"},
		"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`, shape[0], shape[1], chunk[0], chunk[1]))
	for i := range (shape[0] + chunk[0] - 1) / chunk[0] {
		for j := range (shape[1] + chunk[1] - 1) / chunk[1] {
			if r.IntN(8) == 0 {
				continue
			}
			data := make([]byte, 2*chunk[0]*chunk[1])
			for k := range data {
				data[k] = byte(r.Uint32())
			}
			write(fmt.Sprintf("c/%d/%d", i, j), data)
		}
	}
	return dir
}

// objects returns the files below a directory.
func objects(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path], err = os.ReadFile(filepath.Join(dir, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Random arrays are copied with other chunks and get levels, by the units of the local command and
// on prism. There each unit occurs up to three times, and reads fail at a random moment of each
// attempt but the last. The outputs have the same objects, byte for byte. Before the last attempt
// there is no metadata.
func TestAPipelineWritesTheObjectsOfTheCommand(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 32))
		from := source(t, r)
		var left atomic.Int64
		files := static.New(os.DirFS(from), static.Options{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if left.Add(-1) < 0 {
				w.WriteHeader(http.StatusGone - 1) // a conflict, which is not retried
				return
			}
			files.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		w := pipeline.Work{Kind: "rechunk", From: server.URL, Node: "a", As: "b", Memory: 64 << 20, Units: 1, Chunks: []int64{int64(4 + r.IntN(20)), int64(4 + r.IntN(20))}}
		if seed%2 == 1 {
			w.Kind, w.Chunks, w.Levels = "pyramid", nil, 3
		}
		left.Store(1 << 40)
		local := w
		local.To = t.TempDir()
		job, err := local.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := units.Run(t.Context(), job, units.Options{}); err != nil {
			t.Fatal(err)
		}
		want := objects(t, local.To)

		w.To = t.TempDir()
		failures := 0
		for attempt := range 4 {
			if err := w.Absent(t.Context()); err != nil {
				t.Fatalf("seed %d: before attempt %d: %v", seed, attempt, err)
			}
			left.Store(1 << 40)
			job, err := w.Plan(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if attempt < 3 {
				left.Store(int64(10 + r.IntN(20)))
			}
			p := beam.NewPipeline()
			pipeline.Build(p.Root(), w, job, 1+r.IntN(3))
			if err = ptest.Run(p); err == nil {
				break
			} else if attempt == 3 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			failures++
		}
		if failures == 0 {
			t.Errorf("seed %d: no attempt failed", seed)
		}
		got := objects(t, w.To)
		for name, data := range want {
			if !bytes.Equal(got[name], data) {
				t.Errorf("seed %d: %s of %s has %d bytes, want %d", seed, name, w.Kind, len(got[name]), len(data))
			}
		}
		if len(got) != len(want) {
			t.Errorf("seed %d: %d objects of %s, want %d", seed, len(got), w.Kind, len(want))
		}
	}
}

// A worker whose source has changed refuses to run.
func TestAWorkerOfAnotherSourceIsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 32))
	w := pipeline.Work{Kind: "rechunk", From: source(t, r), To: t.TempDir(), Node: "a", As: "b", Memory: 64 << 20, Chunks: []int64{9, 9}}
	if _, err := w.Plan(t.Context()); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(w.From, "a", "zarr.json")
	text, err := os.ReadFile(document)
	if err == nil {
		err = os.WriteFile(document, bytes.Replace(text, []byte(`"a":1`), []byte(`"a":2`), 1), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Plan(t.Context()); err == nil {
		t.Error("the worker plans units of another source")
	}
}
