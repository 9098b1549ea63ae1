package offload

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// pool is the JavaScript between an engine and one helper.
type pool struct {
	lead   *Helpers
	helper *Decoder
	limits codec.Limits
	// post receives the lead's messages.
	post func(wire.Object)

	mu      sync.Mutex
	done    int // jobs that the helper did
	failed  int // jobs that it returned
	crash   bool
	hold    bool // answers nothing
	dropped int
}

// newPool returns a lead that sends every chunk, with one helper.
func newPool() *pool {
	x := &pool{limits: codec.Limits{}.WithDefaults()}
	x.post = x.take
	x.lead = NewHelpers(func(o wire.Object) { x.post(o) }, &x.limits)
	x.lead.costly = func(*codec.Plan, bool) bool { return true }
	x.lead.Allow(1)
	x.helper = NewDecoder(codecs.Full(), &x.limits, nil)
	x.run(1)
	return x
}

// run sets the number of running helpers.
func (x *pool) run(helpers float64) { x.lead.Receive(wire.Object{wire.F("helpers", helpers)}) }

func (x *pool) take(o wire.Object) {
	switch {
	case o.Get("pipeline") != nil && o.Get("job") == nil:
		x.mu.Lock()
		defer x.mu.Unlock()
		_ = x.helper.Learn(o) // its jobs fail
	case o.Get("job") != nil:
		go func() {
			if answer := x.decode(o); answer != nil {
				x.lead.Receive(answer)
			}
		}()
	case o.Get("drop") != nil:
		x.mu.Lock()
		x.dropped++
		x.mu.Unlock()
	case o.Get("tick") != nil:
		go x.lead.Receive(wire.Object{wire.F("tick", true)})
	}
}

// decode returns a job's end, or nil while the pool holds it.
func (x *pool) decode(o wire.Object) wire.Object {
	x.mu.Lock()
	defer x.mu.Unlock()
	id := o.Get("job")
	switch {
	case x.hold:
		return nil
	case x.crash:
		return wire.Object{wire.F("job", id), wire.F("error", "it crashed")}
	}
	lent := o.Get("bytes").(wire.Lent)
	into := make(bytesMemory, o.Int("size"))
	order := wire.Object{
		wire.F("pipeline", o.Get("pipeline")), wire.F("shape", o.Get("shape")), wire.F("bytes", append(bytesMemory(lent), 1, 2, 3)),
		wire.F("length", float64(len(lent))), wire.F("want", o.Get("want")), wire.F("region", o.Get("region")),
	}
	if place := o.Object("place"); place != nil {
		x.helper.target = place.Get("memory").(wire.Ref).Memory
		order.Add("place", place[1:])
	} else {
		order.Add("into", into)
	}
	if err := guard.Do(func() error { return x.helper.Decode(order) }); err != nil {
		x.failed++
		return wire.Object{wire.F("job", id), wire.F("failed", true)}
	}
	x.done++
	return wire.Object{wire.F("job", id), wire.F("bytes", into)}
}

// bytesMemory is a Memory in Go.
type bytesMemory []byte

func (m bytesMemory) Len() int        { return len(m) }
func (m bytesMemory) Read(dst []byte) { copy(dst, m) }

func (m bytesMemory) Put(p wire.Place, src []byte) {
	if len(p.Counts) == 0 {
		copy(m[p.Offset:p.Offset+len(src)], src)
		return
	}
	at := 0
	var walk func(d, offset int)
	walk = func(d, offset int) {
		if d < 0 {
			copy(m[offset:offset+p.Run], src[at:])
			at += p.Run
			return
		}
		for i := range p.Counts[d] {
			walk(d-1, offset+i*p.Strides[d])
		}
	}
	walk(len(p.Counts)-1, p.Offset)
}

// thrower is memory whose bytes cannot be read, like those of a transferred ArrayBuffer.
type thrower struct{ bytesMemory }

func (thrower) Read([]byte) { panic("detached") }

// opened returns the hierarchy in a directory.
func opened(dir string, executor codec.Executor) *zarr.Hierarchy {
	return zarr.Over(store.Plain(filestore.New(os.DirFS(dir))), codecs.Full(), zarr.Options{Executor: executor})
}

// read reads an array of a hierarchy, into Go's memory or the page's.
func (x *pool) read(ctx context.Context, h *zarr.Hierarchy, name string, direct bool) (*zarr.Result, []byte, error) {
	a, err := h.OpenArray(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	var memory bytesMemory
	res, err := a.Read(ctx, nil, zarr.ReadOptions{Output: func(shape []int, size, chunk int) (zarr.Output, error) {
		if !direct || chunk == 0 {
			return nil, nil
		}
		n := size
		for _, d := range shape {
			n *= d
		}
		memory = make(bytesMemory, n)
		return x.lead.Output(memory, size, true), nil
	}})
	if err == nil && memory == nil {
		memory = res.Data
	}
	return res, memory, err
}

// TestHelpersDecodeTheSame reads the fixtures with and without a helper, into Go's memory and into
// the page's.
func TestHelpersDecodeTheSame(t *testing.T) {
	root := fixtures.Dir(t)
	helped := map[bool]int{}
	arrays := 0
	for _, dir := range []string{"v1", "v2", "v3"} {
		must.Do(t, filepath.WalkDir(filepath.Join(root, dir), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != ".zarray" && d.Name() != "zarr.json" && d.Name() != "meta" {
				return err
			}
			arrays++
			for _, direct := range []bool{false, true} {
				x, plain := newPool(), &pool{}
				plain.lead = NewHelpers(func(wire.Object) {}, &x.limits)
				want, wantData, wantErr := plain.read(t.Context(), opened(path.Dir(file), plain.lead), "", direct)
				got, data, err := x.read(t.Context(), opened(path.Dir(file), x.lead), "", direct)
				if err != nil || wantErr != nil {
					if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
						t.Errorf("%s: with a helper %v, without %v", file, err, wantErr)
					}
					continue
				}
				if !bytes.Equal(data, wantData) || !slices.EqualFunc(got.Items, want.Items, bytes.Equal) {
					t.Errorf("%s: a helper decodes other elements", file)
				}
				helped[direct] += x.done
				if x.failed > 0 {
					t.Errorf("%s: %d chunks failed in the helper and not in the engine", file, x.failed)
				}
			}
			return nil
		}))
	}
	if arrays < 100 || helped[false] < arrays || helped[true] < arrays {
		t.Errorf("%d arrays, %v chunks decoded by helpers", arrays, helped)
	}
}

func sample(t *testing.T) string { return filepath.Join(fixtures.Dir(t), "v3/codec.zarr") }

// sampleArray returns an array of the sample whose chunks helpers decode.
func sampleArray(t *testing.T) string {
	t.Helper()
	entries := must.Get(os.ReadDir(sample(t)))(t)
	for _, e := range entries {
		if e.IsDir() && strings.Contains(e.Name(), "zstd") {
			return e.Name()
		}
	}
	t.Fatal("no array of zstd in " + sample(t))
	return ""
}

func TestHelperThatCrashes(t *testing.T) {
	x := newPool()
	x.crash = true
	h, name := opened(sample(t), x.lead), sampleArray(t)
	_, _, err := x.read(t.Context(), h, name, false)
	var engine *wire.EngineError
	if !errors.As(err, &engine) || engine.Msg != "it crashed" {
		t.Errorf("a read whose chunk a helper held: %v", err)
	}
	x.mu.Lock()
	x.crash = false
	x.mu.Unlock()
	if _, _, err := x.read(t.Context(), h, name, false); err != nil {
		t.Error(err)
	}
}

func TestCancelDropsTheJob(t *testing.T) {
	x := newPool()
	x.hold = true
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, _, err := x.read(ctx, opened(sample(t), x.lead), sampleArray(t), false)
		failed <- err
	}()
	waitUntil(t, func() bool { return x.jobs() > 0 })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	waitUntil(t, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.jobs() == 0 && x.dropped > 0
	})
}

// jobs counts the waiting and running jobs.
func (x *pool) jobs() int {
	x.lead.mu.Lock()
	defer x.lead.mu.Unlock()
	return len(x.lead.jobs) + len(x.lead.queue)
}

func TestAPanicOfPostEndsItsReadOnly(t *testing.T) {
	has := func(name string) func(wire.Object) bool {
		return func(o wire.Object) bool { return o.Get(name) != nil }
	}
	for name, picked := range map[string]func(wire.Object) bool{
		"a pipeline": func(o wire.Object) bool { return o.Get("pipeline") != nil && o.Get("job") == nil },
		"a job":      has("job"),
		"a tick":     has("tick"),
	} {
		t.Run(name, func(t *testing.T) {
			x := newPool()
			if name == "a tick" { // without a running helper, all jobs wait for ticks
				x.run(0)
			}
			var thrown atomic.Int32
			x.post = func(o wire.Object) {
				if picked(o) && thrown.CompareAndSwap(0, 1) {
					panic("thrown by post")
				}
				x.take(o)
			}
			h, array := opened(sample(t), x.lead), sampleArray(t)
			_, _, err := x.read(t.Context(), h, array, false)
			var panicked *guard.Error
			if !errors.As(err, &panicked) || panicked.Text != "thrown by post" || thrown.Load() != 1 {
				t.Errorf("%v", err)
			}
			for range 2 {
				if _, _, err := x.read(t.Context(), h, array, false); err != nil {
					t.Error(err)
				}
			}
			waitUntil(t, func() bool { return x.jobs() == 0 })
		})
	}
}

func TestBytesOfAHelperThatCannotBeRead(t *testing.T) {
	x := newPool()
	var broken atomic.Bool
	broken.Store(true)
	x.post = func(o wire.Object) {
		if o.Get("job") == nil || !broken.Load() {
			x.take(o)
			return
		}
		go func() {
			answer := x.decode(o)
			for i, f := range answer {
				if b, ok := f.Value.(bytesMemory); ok {
					answer[i].Value = thrower{b}
				}
			}
			x.lead.Receive(answer)
		}()
	}
	h, name := opened(sample(t), x.lead), sampleArray(t)
	if _, _, err := x.read(t.Context(), h, name, false); err == nil || !strings.Contains(err.Error(), "detached") {
		t.Errorf("%v", err)
	}
	broken.Store(false)
	if _, _, err := x.read(t.Context(), h, name, false); err != nil {
		t.Error(err)
	}
}

func waitUntil(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came")
		}
	}
}
