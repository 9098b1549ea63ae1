package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/zarr-wasm/zarr-wasm/beam/pipeline"
	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(workerFile); file != "" {
		worker(file)
		return
	}
	if text := os.Getenv(childWork); text != "" {
		child(text)
		return
	}
	remove, err := pipeline.Temporary()
	status := 1
	if err == nil {
		status = ptest.MainRetWithDefault(m, "prism")
		err = remove()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// Variables of the processes that a test kills. One that runs a pipeline gets its work. A worker
// apart from its runner gets the name of a file, and writes its number there.
const (
	childWork  = "ZARR_TEST_WORK"
	workerFile = "ZARR_TEST_WORKER"
)

// worker runs the functions of a pipeline for a runner, which started this process. It takes the
// place of Beam's boot program, which would fetch the program and its flags from the runner.
func worker(file string) {
	flags := map[string]string{}
	for _, arg := range os.Args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		flags[name] = strings.Trim(value, "'")
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	at := flags["--provision_endpoint"] // prism has one address for all
	os.Args = []string{os.Args[0], "--worker", "--id=" + flags["--id"], "--logging_endpoint=" + at, "--control_endpoint=" + at}
	flag.Parse()
	beam.Init() // never returns
}

// apart returns the flags of a process whose runner starts a worker of its own, and a function that
// kills the worker.
func apart(t *testing.T) (flags []string, kill func()) {
	t.Helper()
	dir := t.TempDir()
	file, empty := filepath.Join(dir, "worker"), filepath.Join(dir, "empty")
	config, err := json.Marshal(map[string]any{"command": os.Args[0], "env": map[string]string{workerFile: file}})
	if err == nil {
		err = os.WriteFile(empty, nil, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--environment_type=PROCESS", "--environment_config=" + string(config), "--worker_binary=" + empty}, func() {
		text, err := os.ReadFile(file)
		var id int
		if err == nil {
			id, err = strconv.Atoi(string(text))
		}
		if err != nil {
			t.Error(err)
			return
		}
		if p, err := os.FindProcess(id); err == nil {
			_ = p.Kill()
		}
	}
}

// child runs a pipeline in this process.
func child(text string) {
	var w pipeline.Work
	err := json.Unmarshal([]byte(text), &w)
	if err == nil {
		flag.Parse()
		beam.Init()
		var job units.Job
		if job, err = w.Plan(context.Background()); err == nil {
			p := beam.NewPipeline()
			pipeline.Build(p.Root(), w, job, 2)
			_, err = beam.Run(context.Background(), "prism", p)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// source writes an array of random elements and chunks. Some chunks are absent.
func source(t *testing.T, r *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	array(t, dir, "a", r)
	return dir
}

// group writes a group of some arrays, in groups with attributes.
func group(t *testing.T, r *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	for i, path := range []string{"g", "g/h", "g/empty"} {
		file := filepath.Join(dir, filepath.FromSlash(path), "zarr.json")
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, fmt.Appendf(nil, `{"zarr_format":3,"node_type":"group","attributes":{"n":%d}}`, i), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"g/a", "g/b", "g/h/c"} {
		array(t, dir, path, r)
	}
	return dir
}

func array(t *testing.T, dir, path string, r *rand.Rand) {
	t.Helper()
	shape, chunk := [2]int{20 + r.IntN(60), 20 + r.IntN(60)}, [2]int{3 + r.IntN(9), 3 + r.IntN(9)}
	write := func(name string, data []byte) {
		file := filepath.Join(dir, filepath.FromSlash(path), filepath.FromSlash(name))
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
}

// works are descriptions of work on random data, without addresses of the output.
func works(t *testing.T, seed uint64) (w pipeline.Work, r *rand.Rand) {
	r = rand.New(rand.NewPCG(seed, 32))
	w = pipeline.Work{Node: "a", As: "b", Memory: 64 << 20, Units: 1}
	switch seed % 4 {
	case 0:
		w.Kind, w.Chunks = "rechunk", []int64{int64(4 + r.IntN(20)), int64(4 + r.IntN(20))}
	case 1:
		w.Kind, w.Levels = "pyramid", 3
	case 2: // of a group, in two passes
		w.Kind, w.Node, w.Chunks, w.TwoPasses, w.Memory = "rechunk", "g", []int64{100, 2}, true, 40_000
		w.From = group(t, r)
		return w, r
	case 3:
		w.Kind, w.Node = "copy", "g"
		w.From = group(t, r)
		return w, r
	}
	w.From = source(t, r)
	return w, r
}

// local runs work as the command does, and returns the objects. A copy is that of package zarr.
func local(t *testing.T, w pipeline.Work) map[string][]byte {
	t.Helper()
	w.To = t.TempDir()
	if w.Kind == "copy" {
		from, err1 := filestore.OpenDir(w.From, filestore.DirOptions{})
		to, err2 := filestore.OpenDir(w.To, filestore.DirOptions{})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		n, err := zarr.New(from, writing.Codecs(), zarr.Options{}).Open(t.Context(), w.Node, zarr.OpenOptions{})
		if err == nil {
			_, err = zarr.Copy(t.Context(), n, zarr.New(to, writing.Codecs(), zarr.Options{}), w.As, zarr.CopyOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		return objects(t, w.To)
	}
	job, err := w.Plan(t.Context())
	if err == nil {
		_, err = units.Run(t.Context(), job, units.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, w.To)
}

func equal(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("%s has %d bytes, want %d", name, len(got[name]), len(data))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s remains", name)
		}
	}
}

// server serves a directory. It calls f with each request, and answers a conflict, which is not
// retried, if f returns false.
func server(t *testing.T, dir string, f func() bool) string {
	t.Helper()
	files := static.New(os.DirFS(dir), static.Options{List: true})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f() {
			w.WriteHeader(http.StatusGone - 1)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
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

// Random arrays and groups are copied, rechunked and get levels, by the local command and on prism.
// There each unit occurs up to three times, and reads fail at a random moment of each attempt but
// the last. The outputs have the same objects, byte for byte. Before the last attempt there is no
// metadata.
func TestAPipelineWritesTheObjectsOfTheCommandWhateverFails(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w, r := works(t, seed)
			want := local(t, w)
			var left atomic.Int64
			left.Store(1 << 40)
			w.From = server(t, w.From, func() bool { return left.Add(-1) >= 0 })
			w.To = t.TempDir()
			failures := 0
			for attempt := range 4 {
				if err := w.Absent(t.Context()); err != nil {
					t.Fatalf("before attempt %d: %v", attempt, err)
				}
				left.Store(1 << 40)
				job, err := w.Plan(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if attempt < 3 {
					left.Store(int64(3 + r.IntN(15)))
				}
				p := beam.NewPipeline()
				pipeline.Build(p.Root(), w, job, 1+r.IntN(3))
				if err = ptest.Run(p); err == nil {
					break
				} else if attempt == 3 {
					t.Fatal(err)
				}
				failures++
			}
			if failures == 0 {
				t.Error("no attempt failed")
			}
			equal(t, objects(t, w.To), want)
		})
	}
}

// A process that is killed within its units leaves objects that a later pipeline completes. The
// kills come at random requests, so that some units have read their input and others have not. The
// process is that of the runner with its worker, or that of a worker alone. Prism starts no second
// worker: its pipeline ends with an error, or waits for ever and is killed.
func TestKilledProcessesLeaveWhatALaterPipelineCompletes(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w, r := works(t, seed)
			want := local(t, w)
			var left atomic.Int64
			var process atomic.Pointer[os.Process]
			var flags []string
			kill := func() { _ = process.Load().Kill() }
			if seed >= 4 {
				var alone func()
				flags, alone = apart(t)
				kill = func() {
					alone()
					runner := process.Load()
					time.AfterFunc(10*time.Second, func() { _ = runner.Kill() })
				}
			}
			w.From = server(t, w.From, func() bool {
				if left.Add(-1) == 0 {
					kill()
				}
				return true
			})
			w.To = t.TempDir()
			text, err := json.Marshal(w)
			if err != nil {
				t.Fatal(err)
			}
			kills := 0
			for _, requests := range []int64{20 + int64(r.IntN(30)), 40 + int64(r.IntN(30)), 1 << 40} {
				left.Store(1 << 40)
				c := exec.Command(os.Args[0], flags...)
				c.Env = append(os.Environ(), childWork+"="+string(text))
				var said bytes.Buffer
				c.Stderr = &said
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				process.Store(c.Process)
				left.Store(requests)
				switch err := c.Wait(); {
				case err == nil:
				case left.Load() > 0:
					t.Fatalf("%v: %s", err, said.Bytes()[max(0, said.Len()-2000):])
				default:
					kills++
					if err := w.Absent(t.Context()); err != nil {
						t.Errorf("after a kill: %v", err)
					}
				}
			}
			if kills == 0 {
				t.Error("no process was killed")
			}
			equal(t, withoutLeftovers(objects(t, w.To)), want)
		})
	}
}

// withoutLeftovers removes the temporary files of killed processes, which zarr sweep deletes.
func withoutLeftovers(all map[string][]byte) map[string][]byte {
	maps.DeleteFunc(all, func(name string, _ []byte) bool { return strings.HasPrefix(path.Base(name), ".zarr-wasm-") })
	return all
}

// Four workers make all units at once, each in its own order, and each writes the metadata.
func TestUnitsThatRunSeveralTimesAtOnceWriteTheSameObjects(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w, r := works(t, seed)
			want := local(t, w)
			w.To = t.TempDir()
			var workers []units.Job
			for range 4 {
				job, err := w.Plan(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				workers = append(workers, job)
			}
			each := func(f func(worker int) error) {
				var all sync.WaitGroup
				for i := range workers {
					all.Go(func() {
						if err := f(i); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
			}
			for stage, s := range workers[0].Stages {
				orders := make([][]int, len(workers))
				for i := range orders {
					orders[i] = r.Perm(int(s.Count))
				}
				each(func(i int) error {
					for _, unit := range orders[i] {
						if err := workers[i].Stages[stage].Run(t.Context(), int64(unit)); err != nil {
							return err
						}
					}
					return nil
				})
			}
			for _, job := range workers { // Beam retries the last step, and does not repeat it at once
				if err := job.Finish(t.Context()); err != nil {
					t.Error(err)
				}
			}
			equal(t, objects(t, w.To), want)
		})
	}
}

// A check on prism, with units that occur up to three times, has the result of the local command.
func TestACheckOnAPipelineCountsEachFindingOnce(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 33))
			w := pipeline.Work{Kind: "validate", From: group(t, r), To: t.TempDir(), Node: "g", Memory: 64 << 20}
			broken := 0
			for name, data := range objects(t, w.From) {
				if path.Base(name) != "zarr.json" && r.IntN(3) == 0 && seed > 0 {
					broken++
					if err := os.WriteFile(filepath.Join(w.From, filepath.FromSlash(name)), data[:len(data)/2], 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			check, err := w.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want, err := check.Run(t.Context())
			if err != nil || want.Errors() != broken {
				t.Fatalf("%d errors, want %d: %v", want.Errors(), broken, err)
			}
			job, err := w.Plan(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p := beam.NewPipeline()
			pipeline.Build(p.Root(), w, job, 1+r.IntN(3))
			if err := ptest.Run(p); err != nil {
				t.Fatal(err)
			}
			got, err := w.Report(t.Context(), nil)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v: %v", got, want, err)
			}
		})
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
