//go:build !js

package zarr_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	runs "github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// writersOver returns a function that makes hierarchies at a server's address. Each has its own
// store, like another process.
func writersOver(t *testing.T, server http.Handler) func() *zarr.Hierarchy {
	t.Helper()
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	return func() *zarr.Hierarchy {
		st := must.Get(httpstore.New(s.URL, httpstore.Options{RetryDelay: time.Millisecond}))(t)
		return zarr.New(st, writing.Codecs(), zarr.Options{})
	}
}

// together calls f concurrently for two writers.
func together(t *testing.T, f func(w int) error) {
	t.Helper()
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			if err := f(w); err != nil {
				t.Errorf("writer %d: %v", w, err)
			}
		})
	}
	wg.Wait()
}

// TestWritersOfOneChunkOverHTTP changes elements of one chunk concurrently, by two hierarchies with
// their own stores. The server has no locks but versions of its objects, and no change is lost.
func TestWritersOfOneChunkOverHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		changes int
		spec    zarr.ArraySpec
		opt     zarr.WriteOptions
	}{
		"chunk":      {1000, zarr.ArraySpec{Codecs: []zarr.Codec{}}, zarr.WriteOptions{}},
		"compressed": {150, zarr.ArraySpec{Format: 2}, zarr.WriteOptions{}},
		"shard":      {150, zarr.ArraySpec{Shards: []int64{300}, Chunks: []int64{10}}, zarr.WriteOptions{}},
		"skip empty": {150, zarr.ArraySpec{Fill: 1}, zarr.WriteOptions{SkipEmpty: true}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hierarchy := t.Context(), writersOver(t, faulty.NewObjects())
			n := runs.Of(c.changes)
			c.spec.Shape, c.spec.DType = []int64{int64(2 * n)}, "uint8"
			if c.spec.Chunks == nil {
				c.spec.Chunks = c.spec.Shape
			}
			must.Get(hierarchy().Create(ctx, "a", c.spec))(t)
			together(t, func(w int) error {
				a, err := hierarchy().OpenArray(ctx, "a")
				if err != nil {
					return err
				}
				r := rand.New(rand.NewPCG(1, uint64(w)))
				for _, i := range r.Perm(n) {
					if c.opt.SkipEmpty { // the chunk appears and disappears
						if err := a.Set(ctx, []grid.Item{grid.At(int64(2*i + w))}, 2, c.opt); err != nil {
							return err
						}
					}
					if err := a.Set(ctx, []grid.Item{grid.At(int64(2*i + w))}, 1, c.opt); err != nil {
						return err
					}
				}
				return nil
			})
			a := must.Get(hierarchy().OpenArray(ctx, "a"))(t)
			res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
			if ones := bytes.Count(res.Data, []byte{1}); ones != 2*n {
				t.Errorf("%d changes of %d are lost", 2*n-ones, 2*n)
			}
		})
	}
}

// TestWritersOfOneNodeOverHTTP runs two writers that set attributes, extend the array, and make
// nodes.
func TestWritersOfOneNodeOverHTTP(t *testing.T) {
	each := runs.Of(60)
	for name, format := range map[string]int{"v2": 2, "v3": 3, "locks": 3, "rectilinear": 3} {
		t.Run(name, func(t *testing.T) {
			ctx, hierarchy := t.Context(), writersOver(t, faulty.NewObjects())
			if name == "locks" {
				st := memstore.New(nil)
				hierarchy = func() *zarr.Hierarchy { return zarr.New(st, writing.Codecs(), zarr.Options{}) }
			}
			spec := zarr.ArraySpec{Format: format, Shape: []int64{0}, Chunks: []int64{7}, DType: "uint8"}
			if name == "rectilinear" {
				spec.Chunks, spec.ChunkEdges = nil, [][]grid.Run{{{Size: 7, Count: 2}}}
			}
			must.Get(hierarchy().Create(ctx, "a", spec))(t)
			var made, refused atomic.Int64
			together(t, func(w int) error {
				h := hierarchy()
				a, err := h.OpenArray(ctx, "a")
				if err != nil {
					return err
				}
				for i := range each {
					if a, err = zarr.UpdateAttributes(ctx, a, map[string]any{fmt.Sprint(w, " ", i): i}); err != nil {
						return err
					}
					if a, err = a.Append(ctx, []uint8{uint8(1 + w), uint8(1 + w)}, 0, zarr.WriteOptions{}); err != nil {
						return err
					}
					_, err := h.CreateGroup(ctx, fmt.Sprint("g/", i), zarr.GroupSpec{Format: format, Attributes: map[string]any{"by": w}})
					switch {
					case err == nil:
						made.Add(1)
					case errors.Is(err, fs.ErrExist):
						refused.Add(1)
					default:
						return err
					}
				}
				return nil
			})
			a := must.Get(hierarchy().OpenArray(ctx, "a"))(t)
			if n := a.Metadata().Attributes.Len(); n != 2*each {
				t.Errorf("%d attributes of %d", n, 2*each)
			}
			res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
			for w := range 2 {
				if n := bytes.Count(res.Data, []byte{uint8(1 + w)}); n != 2*each || len(res.Data) != 4*each {
					t.Errorf("%d elements of writer %d, of %d; want %d", n, w, len(res.Data), 2*each)
				}
			}
			if made.Load() != int64(each) || refused.Load() != int64(each) {
				t.Errorf("%d groups made, %d refused; want %d", made.Load(), refused.Load(), each)
			}
		})
	}
}

// TestServerThatForgetsItsTags aborts a change that a server keeps refusing, although the change
// has the version that the server reports.
func TestServerThatForgetsItsTags(t *testing.T) {
	objects := faulty.NewObjects()
	var conditions atomic.Int64
	var refuse atomic.Int64
	hierarchy := writersOver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := int(refuse.Load()); status != 0 && r.Header.Get("If-Match") != "" {
			conditions.Add(1)
			w.WriteHeader(status)
			return
		}
		objects.ServeHTTP(w, r)
	}))
	ctx := t.Context()
	a := must.Get(hierarchy().Create(ctx, "a", zarr.ArraySpec{Shape: []int64{4}, Chunks: []int64{4}, DType: "uint8", Codecs: []zarr.Codec{}}))(t)
	set := func() error { return a.Set(ctx, []grid.Item{grid.At(1)}, 7, zarr.WriteOptions{}) }
	must.Do(t, set())
	refuse.Store(412)
	var gaveUp *zarr.ConflictError
	var failed *zarr.WriteError
	if err := set(); !errors.As(err, &gaveUp) || !errors.As(err, &failed) || !errors.Is(err, store.ErrConflict) || conditions.Load() > 10 {
		t.Errorf("412: %v after %d requests", err, conditions.Load())
	}
	if _, err := zarr.UpdateAttributes(ctx, a, map[string]any{"x": 1}); !errors.As(err, &gaveUp) {
		t.Errorf("412 to a document: %v", err)
	}
	a = must.Get(hierarchy().OpenArray(ctx, "a"))(t)
	refuse.Store(501) // a server that does not support conditions
	if err := set(); err != nil {
		t.Errorf("501: %v", err)
	}
}

// TestServerWithoutTags writes to a server without versions: consecutive writers lose nothing.
func TestServerWithoutTags(t *testing.T) {
	objects := faulty.NewObjects()
	objects.Untagged = true
	ctx, hierarchy := t.Context(), writersOver(t, objects)
	must.Get(hierarchy().Create(ctx, "a", zarr.ArraySpec{Shape: []int64{40}, Chunks: []int64{40}, DType: "uint8"}))(t)
	arrays := [2]*zarr.Array{must.Get(hierarchy().OpenArray(ctx, "a"))(t), must.Get(hierarchy().OpenArray(ctx, "a"))(t)}
	for i := range 40 {
		must.Do(t, arrays[i%2].Set(ctx, []grid.Item{grid.At(int64(i))}, 1, zarr.WriteOptions{}))
	}
	res := must.Get(arrays[0].Read(ctx, nil, zarr.ReadOptions{}))(t)
	if bytes.Count(res.Data, []byte{1}) != 40 {
		t.Error(res.Data)
	}
}

// TestAnswerLostOfAChange drops the responses to successful writes: the change is repeated, and
// takes effect once.
func TestAnswerLostOfAChange(t *testing.T) {
	objects := faulty.NewObjects()
	var lose atomic.Int64
	hierarchy := writersOver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		objects.ServeHTTP(w, r)
		if r.Method == http.MethodPut && lose.Add(-1) >= 0 {
			panic(http.ErrAbortHandler)
		}
	}))
	ctx, h := t.Context(), hierarchy()
	lose.Store(1)
	a := must.Get(h.Create(ctx, "a", zarr.ArraySpec{Shape: []int64{4}, Chunks: []int64{4}, DType: "uint8"}))(t)
	for i := range int64(4) {
		lose.Store(2)
		if err := a.Set(ctx, []grid.Item{grid.At(i)}, i+1, zarr.WriteOptions{}); err != nil {
			t.Errorf("set %d: %v", i, err)
		}
	}
	lose.Store(1)
	a = must.Get(zarr.UpdateAttributes(ctx, a, map[string]any{"x": 1}))(t)
	lose.Store(1)
	if _, err := a.Append(ctx, []uint8{5}, 0, zarr.WriteOptions{}); err != nil {
		t.Errorf("append: %v", err)
	}
	lose.Store(0)
	a = must.Get(hierarchy().OpenArray(ctx, "a"))(t)
	res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
	if want := []byte{1, 2, 3, 4, 5}; !bytes.Equal(res.Data, want) || a.Metadata().Attributes.Len() != 1 {
		t.Errorf("%v, %s", res.Data, a.Metadata().Attributes.Raw())
	}
}

// TestRequestsSentTwice sends requests twice, like some clients and proxies, and drops responses.
// Values appended by one writer exist once and without gaps. With concurrent appends of the same
// length, the values also exist once. An error or a gap may remain only if another writer was
// faster than the check of a request's effect.
func TestRequestsSentTwice(t *testing.T) {
	for seed := range uint64(8) {
		writers := 1 + 2*int(seed%2)
		objects := faulty.NewObjects()
		r := rand.New(rand.NewPCG(seed, 2))
		var mu sync.Mutex
		storm, failed := false, 0
		dice := func() int {
			mu.Lock()
			defer mu.Unlock()
			if !storm {
				return 9
			}
			return r.IntN(6)
		}
		hierarchy := writersOver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(err)
			}
			send := func(w http.ResponseWriter) {
				r.Body = io.NopCloser(bytes.NewReader(body))
				objects.ServeHTTP(w, r)
			}
			if r.Method != http.MethodPut {
				send(w)
				return
			}
			switch dice() {
			case 0, 1:
				send(httptest.NewRecorder())
				send(w)
			case 2:
				send(w)
				panic(http.ErrAbortHandler)
			default:
				send(w)
			}
		}))
		ctx := t.Context()
		must.Get(hierarchy().Create(ctx, "a", zarr.ArraySpec{Shape: []int64{0, 2}, Chunks: []int64{3, 2}, DType: "uint8"}))(t)
		storm = true
		const times = 5
		var kept []byte
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				a, err := hierarchy().OpenArray(ctx, "a")
				for i := range times {
					row := uint8(1 + w*times + i)
					if err == nil {
						if a, err = a.Append(ctx, []uint8{row, row}, 0, zarr.WriteOptions{}); err == nil {
							mu.Lock()
							kept = append(kept, row)
							mu.Unlock()
						}
					}
				}
				if err != nil {
					mu.Lock()
					failed++
					mu.Unlock()
				}
				if err != nil && (writers == 1 || !errors.Is(err, store.ErrUnsettled)) {
					t.Errorf("seed %d: writer %d: %v", seed, w, err)
				}
			})
		}
		group.Wait()
		mu.Lock()
		storm = false
		mu.Unlock()
		a := must.Get(hierarchy().OpenArray(ctx, "a"))(t)
		got := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t).Data
		gaps := bytes.Count(got, []byte{0})
		for row := range byte(writers * times) {
			n, done := bytes.Count(got, []byte{row + 1}), slices.Contains(kept, row+1)
			if n > 2 || done && n < 2 {
				t.Errorf("seed %d: row %d is there %d times, appended: %v", seed, row+1, n/2, done)
			}
		}
		if writers == 1 && (gaps > 0 || failed > 0) {
			t.Errorf("seed %d: %v, %d errors", seed, got, failed)
		}
	}
}
