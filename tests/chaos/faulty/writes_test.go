package faulty_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

var (
	programs  = flag.Int("faulty.programs", rounds.Of(40), "how many programs write through faults")
	programAt = flag.Int("faulty.at", 0, "the first program")
)

const fill = 7

// program writes an array through faults, and keeps a model of it.
type program struct {
	t      *testing.T
	r      *rand.Rand
	name   string // of the run
	server string
	// platform holds the connections, which all hierarchies of a program share.
	platform httpstore.Platform
	h        *zarr.Hierarchy
	log      []string

	a     *zarr.Array
	spec  zarr.ArraySpec
	shape []int64
	data  []uint16
	attrs map[string]string
	// left holds the chunks beyond the array's end that may exist because a delete failed.
	left map[[2]int64]uint16
	// failures counts the steps that failed.
	failures int
}

// TestWritesThroughFaults runs random programs of writes through a server with seeded faults,
// before a write takes effect or after. After a failure every chunk and document is old or new,
// whole, and the error names the new chunks. Others read what a successful step has written.
func TestWritesThroughFaults(t *testing.T) {
	server := httptest.NewServer(faulty.NewSeeded(static.New(fstest.MapFS{}, static.Options{})))
	defer server.Close()
	platform := httpstore.Platform{Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	defer platform.Client.CloseIdleConnections()
	failures, steps := 0, 0
	for i := *programAt; i < *programAt+*programs; i++ {
		p := &program{t: t, r: rand.New(rand.NewPCG(uint64(i), 19)), server: server.URL, platform: platform}
		p.name = fmt.Sprintf("19.%d.%d.writes", 8*i+1, 10+p.r.IntN(40))
		p.h = p.open()
		p.run(25)
		failures, steps = failures+p.failures, steps+len(p.log)
		summary := p.tell("end")
		if t.Failed() {
			t.Fatalf("program %d, run %s:\n%s\n%s", i, p.name, strings.Join(p.log, "\n"), summary)
		}
	}
	if *programs >= 60 && failures < steps/20 {
		t.Errorf("%d of %d steps failed: the faults are too few", failures, steps)
	}
	t.Logf("%d steps, of which %d failed", steps, failures)
}

func (p *program) open() *zarr.Hierarchy {
	retries := []int{-1, 1, 2}[p.r.IntN(3)]
	st, err := httpstore.New(p.server+"/~"+p.name, httpstore.Options{RetryDelay: time.Millisecond, Retries: retries, Platform: p.platform})
	if err != nil {
		p.t.Fatal(err)
	}
	return zarr.New(st, writing.Codecs(), zarr.Options{})
}

// tell sends an order to the run, and returns the answer.
func (p *program) tell(order string) string {
	res, err := http.Post(p.server+"/-/seeded?run="+p.name, "text/plain", strings.NewReader(order))
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(said)
}

func (p *program) errorf(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
}

func (p *program) run(steps int) {
	p.renew()
	for range steps {
		if p.t.Failed() {
			return
		}
		switch p.r.IntN(10) {
		case 0:
			p.renew()
		case 1, 2:
			p.resize()
		case 3:
			p.attributes()
		case 4:
			p.append()
		default:
			p.set()
		}
	}
}

// step performs an action through faults. It then calls f without faults, with the array as another
// program opens it, or nil.
func (p *program) step(what string, do func(ctx context.Context) error, f func(err error, now *zarr.Array)) {
	p.t.Helper()
	err := do(p.t.Context())
	p.log = append(p.log, fmt.Sprintf("%s: %v", what, err))
	p.tell("calm")
	defer p.tell("storm")
	if err != nil {
		p.failures++
		var missing *zarr.NotFoundError
		if !errors.As(err, new(*httpstore.Error)) && !errors.As(err, new(*zarr.CodecPipelineError)) && !errors.As(err, new(*zarr.InvalidMetadataError)) &&
			!errors.As(err, new(*zarr.ConflictError)) && !errors.As(err, new(*zarr.ExistsError)) && !errors.Is(err, errors.ErrUnsupported) && !errors.As(err, &missing) {
			p.errorf("%s: an error of no name: %v", what, err)
		}
	}
	now, opened := p.open().OpenArray(p.t.Context(), "g/a")
	if opened != nil && !errors.Is(opened, fs.ErrNotExist) {
		p.errorf("%s: %v; then %v", what, err, opened)
		return
	}
	f(err, now)
	if p.a, opened = p.open().OpenArray(p.t.Context(), "g/a"); opened != nil {
		p.errorf("%s: %v", what, opened)
		return
	}
	// The writer opens it again by itself, and must not trust outdated caches.
	if p.a, opened = p.h.OpenArray(p.t.Context(), "g/a"); opened != nil {
		p.errorf("%s: the writer then: %v", what, opened)
		return
	}
	if got := p.read(p.a); !slices.Equal(got, p.data) {
		if p.a, opened = p.reopened(); opened != nil {
			p.errorf("%s: %v", what, opened)
		} else if got := p.read(p.a); !slices.Equal(got, p.data) {
			p.errorf("%s: %v: the writer reads %v, not %v", what, err, got, p.data)
		}
	}
}

// reopened opens the array in the store's present state.
func (p *program) reopened() (*zarr.Array, error) {
	n, err := p.h.Open(p.t.Context(), "g/a", zarr.OpenOptions{Kind: "array", Fresh: true})
	if err != nil {
		return nil, err
	}
	return n.(*zarr.Array), nil
}

func (p *program) read(a *zarr.Array) []uint16 {
	res, err := a.Read(p.t.Context(), nil, zarr.ReadOptions{})
	if err != nil {
		p.errorf("read: %v", err)
		return nil
	}
	list := make([]uint16, len(res.Data)/2)
	for i := range list {
		list[i] = binary.LittleEndian.Uint16(res.Data[2*i:])
	}
	return list
}

// renew deletes everything, and creates another array.
func (p *program) renew() {
	if p.a != nil {
		p.step("delete", func(ctx context.Context) error { return p.h.Delete(ctx, "g/a") }, func(err error, now *zarr.Array) {
			switch {
			case err == nil && now != nil:
				p.errorf("the array is there after it was deleted")
			case now == nil:
				p.nothing("after a node is gone")
			default:
				if err := p.open().Delete(p.t.Context(), "g/a"); err != nil {
					p.errorf("delete: %v", err)
				}
			}
			p.a = nil
			p.make()
		})
		return
	}
	p.randomSpec()
	p.step("create", func(ctx context.Context) error {
		_, err := p.h.Create(ctx, "g/a", p.spec)
		return err
	}, func(err error, now *zarr.Array) {
		switch {
		case now == nil && err == nil:
			p.errorf("there is no array after it was made")
		case now == nil:
			p.make()
		default:
			p.fresh()
			if !slices.Equal(now.Shape, p.shape) || !slices.Equal(p.read(now), p.data) {
				p.errorf("another array than the one that was made")
			}
		}
	})
}

// make creates another array without faults, as another program: the writer's cache is of the
// previous one.
func (p *program) make() {
	p.randomSpec()
	p.h = p.open()
	if _, err := p.open().Create(p.t.Context(), "g/a", p.spec); err != nil {
		p.errorf("create without faults: %v", err)
	}
	p.fresh()
}

// nothing checks that no object of a deleted array remains: a new array at its path would adopt the
// chunks.
func (p *program) nothing(when string) {
	st, err := httpstore.New(p.server+"/~"+p.name, httpstore.Options{Platform: p.platform})
	if err != nil {
		p.t.Fatal(err)
	}
	names, err := st.List(p.t.Context(), "g/a")
	// a missing folder has no list
	if err != nil && !errors.Is(err, errors.ErrUnsupported) || len(names) > 0 {
		p.errorf("%s there is %q, %v", when, names, err)
	}
}

func (p *program) randomSpec() {
	p.shape = []int64{1 + p.r.Int64N(12), 1 + p.r.Int64N(9)}
	p.spec = zarr.ArraySpec{
		Format: 2 + p.r.IntN(2), Shape: slices.Clone(p.shape), DType: "uint16", Fill: fill, Chunks: []int64{1 + p.r.Int64N(5), 1 + p.r.Int64N(5)},
	}
	switch p.r.IntN(4) {
	case 0:
		p.spec.Codecs = []zarr.Codec{}
	case 1:
		p.spec.Codecs = []zarr.Codec{{Name: "gzip", Config: map[string]any{"level": 1}}}
		if p.spec.Format == 3 {
			p.spec.Shards = []int64{2 * p.spec.Chunks[0], p.spec.Chunks[1]}
		}
	}
}

// fresh sets the model of a new array.
func (p *program) fresh() {
	p.data = slices.Repeat([]uint16{fill}, int(p.shape[0]*p.shape[1]))
	p.attrs, p.left = map[string]string{}, map[[2]int64]uint16{}
}

// each calls f with the coordinates and index of each element.
func each(shape []int64, f func(i int, y, x int64)) {
	for y := range shape[0] {
		for x := range shape[1] {
			f(int(y*shape[1]+x), y, x)
		}
	}
}

// selection returns a box with steps.
func (p *program) selection() (sel []grid.Item, has func(y, x int64) bool, n []int) {
	var from, to, step [2]int64
	n = make([]int, 2)
	for d := range 2 {
		from[d] = p.r.Int64N(p.shape[d])
		to[d] = from[d] + 1 + p.r.Int64N(p.shape[d]-from[d])
		step[d] = 1 + p.r.Int64N(2)
		sel = append(sel, grid.Range(&from[d], &to[d], &step[d]))
		n[d] = int((to[d] - from[d] + step[d] - 1) / step[d])
	}
	in := func(d int, i int64) bool { return i >= from[d] && i < to[d] && (i-from[d])%step[d] == 0 }
	return sel, func(y, x int64) bool { return in(0, y) && in(1, x) }, n
}

func (p *program) set() {
	if p.shape[0]*p.shape[1] == 0 {
		return
	}
	sel, has, n := p.selection()
	to := slices.Clone(p.data)
	block := ndarray.Block{Shape: n, Size: 2}
	value := uint16(p.r.IntN(60000))
	if p.r.IntN(4) == 0 {
		value = fill
	}
	each(p.shape, func(i int, y, x int64) {
		if has(y, x) {
			v := value
			if value != fill {
				v += uint16(i)
			}
			to[i] = v
			block.Data = binary.LittleEndian.AppendUint16(block.Data, v)
		}
	})
	opt := zarr.WriteOptions{SkipEmpty: p.r.IntN(3) == 0}
	p.step("set", func(ctx context.Context) error { return p.a.Set(ctx, sel, block, opt) }, func(err error, now *zarr.Array) {
		p.oldOrNew(err, now, to)
	})
}

// oldOrNew checks that each chunk is old or new, and that those reported as written are new.
func (p *program) oldOrNew(err error, now *zarr.Array, to []uint16) {
	if now == nil || !slices.Equal(now.Shape, p.shape) {
		p.errorf("the array has another shape")
		return
	}
	got := p.read(now)
	if len(got) != len(to) {
		return
	}
	var failed *zarr.WriteError
	if err == nil || !errors.As(err, &failed) {
		failed = &zarr.WriteError{}
		if err != nil {
			to = p.data // nothing had started
		}
	}
	chunks := now.Grid.ChunkShapes()
	type state struct{ older, newer bool }
	states := map[string]*state{}
	each(p.shape, func(i int, y, x int64) {
		key := store.Join("g/a", now.Keys.Key([]int64{y / chunks[0], x / chunks[1]}))
		s := states[key]
		if s == nil {
			s = &state{true, true}
			states[key] = s
		}
		s.older = s.older && got[i] == p.data[i]
		s.newer = s.newer && got[i] == to[i]
	})
	for key, s := range states {
		if !s.newer && (err == nil || !s.older || slices.Contains(failed.Written, key)) {
			p.errorf("%s is neither as it was nor as it was to be: %v", key, err)
		}
	}
	for _, key := range failed.Written {
		if states[key] == nil {
			p.errorf("%q is said to be written, and is not a chunk of the array", key)
		}
	}
	p.data = got
}

func (p *program) attributes() {
	name, value := fmt.Sprint("a", p.r.IntN(4)), fmt.Sprint(p.r.IntN(1000))
	p.step("attributes", func(ctx context.Context) error {
		_, err := zarr.UpdateAttributes(ctx, p.a, map[string]any{name: value})
		return err
	}, func(err error, now *zarr.Array) {
		old, had := p.attrs[name]
		got, there := now.Metadata().Attributes.Get(name).Text()
		switch {
		case err == nil && got != value:
			p.errorf("the attribute is %q, not %q", got, value)
		case got != value && (got != old || there != had):
			p.errorf("the attribute is %q, and was %q before it was to be %q", got, old, value)
		}
		if delete(p.attrs, name); there {
			p.attrs[name] = got
		}
		for name, value := range p.attrs {
			if got, _ := now.Metadata().Attributes.Get(name).Text(); got != value {
				p.errorf("another attribute is %q, not %q", got, value)
			}
		}
		p.oldOrNew(nil, now, p.data)
	})
}

func (p *program) resize() {
	to := []int64{p.r.Int64N(12), 1 + p.r.Int64N(9)}
	p.step(fmt.Sprint("resize to ", to), func(ctx context.Context) error {
		_, err := p.a.Resize(ctx, to...)
		return err
	}, func(err error, now *zarr.Array) { p.reshaped(err, now, to, nil) })
}

func (p *program) append() {
	n := 1 + p.r.Int64N(4)
	to := []int64{p.shape[0] + n, p.shape[1]}
	block := ndarray.Block{Shape: []int{int(n), int(to[1])}, Size: 2}
	added := map[[2]int64]uint16{}
	for y := range n {
		for x := range to[1] {
			v := uint16(p.r.IntN(60000))
			block.Data = binary.LittleEndian.AppendUint16(block.Data, v)
			added[[2]int64{p.shape[0] + y, x}] = v
		}
	}
	p.step(fmt.Sprint("append ", n), func(ctx context.Context) error {
		_, err := p.a.Append(ctx, block, 0, zarr.WriteOptions{})
		return err
	}, func(err error, now *zarr.Array) { p.reshaped(err, now, to, added) })
}

// reshaped adopts the array's content after a resize.
func (p *program) reshaped(err error, now *zarr.Array, to []int64, added map[[2]int64]uint16) {
	if now == nil || !slices.Equal(now.Shape, to) && (err == nil || !slices.Equal(now.Shape, p.shape)) {
		p.errorf("the array has another shape than %v and %v", p.shape, to)
		return
	}
	got := p.read(now)
	left := map[[2]int64]uint16{}
	each(now.Shape, func(i int, y, x int64) {
		if i >= len(got) {
			return
		}
		at := [2]int64{y, x}
		if y < p.shape[0] && x < p.shape[1] {
			if got[i] != p.data[y*p.shape[1]+x] {
				p.errorf("the element at %v was changed", at)
			}
			return
		}
		v, new := added[at]
		kept, may := p.left[at]
		switch {
		case new && got[i] == v, got[i] == fill && (!new || err != nil), may && got[i] == kept && (!new || err != nil):
		default:
			p.errorf("the element at %v is %d: %v", at, got[i], err)
		}
	})
	if err != nil || len(p.left) > 0 {
		// Chunks that could not be deleted reappear.
		for at, v := range p.left {
			left[at] = v
		}
		each(p.shape, func(i int, y, x int64) {
			if y >= now.Shape[0] || x >= now.Shape[1] {
				left[[2]int64{y, x}] = p.data[i]
			}
		})
	}
	p.shape, p.data, p.left = slices.Clone(now.Shape), got, left
}
