package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// watched is a store that counts requests and can fail on purpose.
type watched struct {
	store.Source
	mu    sync.Mutex
	keys  []string
	fails map[string]error
	delay time.Duration
	now   int
	peak  int
}

func (w *watched) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	w.mu.Lock()
	w.keys = append(w.keys, key)
	err, delay := w.fails[key], w.delay
	w.now++
	w.peak = max(w.peak, w.now)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now--
	}()
	if err != nil {
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return store.Extent{}, ctx.Err()
		}
	}
	ask.Range = nil
	return w.Source.Read(ctx, key, ask)
}

func (*watched) Capabilities() store.Capabilities { return store.Capabilities{WholeOnly: true} }

// asked returns the requested keys, including those of abandoned work. It works in a synctest
// bubble.
func (w *watched) asked() []string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.keys)
}

// answer sets the delay of later answers, and the keys that fail at once. Requests of an ended read
// may still be under way.
func (w *watched) answer(delay time.Duration, fails map[string]error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay, w.fails = delay, fails
}

// maybeMissing is the error of a server that answers "forbidden" for absent objects.
type maybeMissing struct{}

func (maybeMissing) Error() string      { return "forbidden" }
func (maybeMissing) MaybeMissing() bool { return true }

func hierarchy(st store.Source, opt zarr.Options) *zarr.Hierarchy {
	return zarr.New(st, codecs.Full(), opt)
}

// array returns a v2 array of uint16 without the omitted chunks. The element at a position is its
// number in C order.
func array(shape, chunks []int, without func(coords []int) bool) map[string][]byte {
	list := func(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ",") }
	m := map[string][]byte{".zarray": fmt.Appendf(nil,
		`{"zarr_format":2,"shape":%s,"chunks":%s,"dtype":"<u2","compressor":null,"fill_value":65535,"order":"C","filters":null}`,
		list(shape), list(chunks))}
	counts := make([]int, len(shape))
	for d := range shape {
		counts[d] = (shape[d] + chunks[d] - 1) / chunks[d]
	}
	each(counts, func(c []int) {
		if without != nil && without(c) {
			return
		}
		var data []byte
		each(chunks, func(p []int) {
			n := 0
			for d := range p {
				n = n*shape[d] + c[d]*chunks[d] + p[d]
			}
			data = append(data, byte(n), byte(n>>8))
		})
		m[strings.Trim(strings.ReplaceAll(fmt.Sprint(c), " ", "."), "[]")] = data
	})
	return m
}

// each calls f with every position of a shape in C order.
func each(shape []int, f func([]int)) {
	p := make([]int, len(shape))
	var walk func(d int)
	walk = func(d int) {
		if d == len(shape) {
			f(p)
			return
		}
		for p[d] = 0; p[d] < shape[d]; p[d]++ {
			walk(d + 1)
		}
	}
	walk(0)
}

// TestReadAgainstEveryElement reads random selections of random arrays and compares with a loop
// over the elements.
func TestReadAgainstEveryElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		rank := 1 + rng.IntN(3)
		shape, chunks := make([]int, rank), make([]int, rank)
		for d := range rank {
			shape[d], chunks[d] = 1+rng.IntN(9), 1+rng.IntN(5)
		}
		missing := func(c []int) bool { return (c[0]+len(c)+round)%5 == 0 }
		var opt zarr.Options
		if round%2 == 0 { // reads rows of chunks
			opt.Requests = zarr.RequestOptions{Waste: -1, Gap: int64(round%3 - 1)}
			opt.Cache = zarr.CacheOptions{Encoded: int64(round%5 - 1)}
		}
		h := hierarchy(memstore.New(array(shape, chunks, missing)), opt)
		a := must.Get(h.OpenArray(t.Context(), ""))(t)
		sel := make([]grid.Item, rank)
		picks := make([][]int, rank)
		var want []int
		for d, n := range shape {
			switch rng.IntN(4) {
			case 0:
				i := rng.IntN(n)
				sel[d], picks[d] = grid.At(int64(i-n)), []int{i}
				continue
			case 1:
				list := make([]int64, rng.IntN(4))
				picks[d] = []int{}
				for k := range list {
					list[k] = int64(rng.IntN(n))
					picks[d] = append(picks[d], int(list[k]))
				}
				sel[d] = grid.ListOf(list)
			case 2:
				step := int64(-1 - rng.IntN(3))
				sel[d] = grid.Range(nil, nil, &step)
				for i := n - 1; i >= 0; i += int(step) {
					picks[d] = append(picks[d], i)
				}
			default:
				from, step := int64(rng.IntN(n)), int64(1+rng.IntN(3))
				sel[d] = grid.Range(&from, nil, &step)
				for i := int(from); i < n; i += int(step) {
					picks[d] = append(picks[d], i)
				}
			}
			want = append(want, len(picks[d]))
		}
		res, err := a.Read(t.Context(), sel, zarr.ReadOptions{})
		if err != nil {
			t.Fatalf("%v of %v in %v: %v", picks, shape, chunks, err)
		}
		if !slices.Equal(res.Shape, want) {
			t.Fatalf("%v of %v: shape %v, want %v", picks, shape, res.Shape, want)
		}
		counts := make([]int, rank)
		for d := range picks {
			counts[d] = len(picks[d])
		}
		var data []byte
		coords := make([]int, rank)
		each(counts, func(p []int) {
			n := 0
			for d := range p {
				i := picks[d][p[d]]
				n, coords[d] = n*shape[d]+i, i/chunks[d]
			}
			if missing(coords) {
				n = 65535
			}
			data = append(data, byte(n), byte(n>>8))
		})
		if !bytes.Equal(res.Data, data) {
			t.Fatalf("%v of %v in %v: wrong elements", picks, shape, chunks)
		}
	}
}

func TestOpenAsksForAllDocumentsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v3 := []byte(`{"zarr_format":3,"node_type":"group"}`)
		w := &watched{Source: memstore.New(map[string][]byte{"zarr.json": v3}), delay: time.Second}
		h := hierarchy(w, zarr.Options{})
		for range 3 {
			must.Get(h.Open(t.Context(), "/", zarr.OpenOptions{}))(t)
		}
		if keys := w.asked(); len(keys) != 5 || w.peak != 5 {
			t.Errorf("asked for %v, %d at once", keys, w.peak)
		}
	})
}

func TestNotFoundNamesWhatWasTried(t *testing.T) {
	h := hierarchy(memstore.New(nil), zarr.Options{})
	_, err := h.Open(t.Context(), "a/b", zarr.OpenOptions{})
	var nf *zarr.NotFoundError
	if !errors.As(err, &nf) || !errors.Is(err, fs.ErrNotExist) || nf.Path != "a/b" || !slices.Contains(nf.Tried, "zarr.json") {
		t.Errorf("%v", err)
	}
	if _, err := h.Open(t.Context(), "a/../b", zarr.OpenOptions{}); !errors.As(err, &nf) {
		t.Errorf("a path that leaves its folder: %v", err)
	}
}

func TestKindThatIsThereInstead(t *testing.T) {
	h := hierarchy(memstore.New(array([]int{2}, []int{2}, nil)), zarr.Options{})
	_, err := h.OpenGroup(t.Context(), "")
	var nf *zarr.NotFoundError
	if !errors.As(err, &nf) || nf.Found != "array" {
		t.Errorf("%v", err)
	}
}

func TestForbiddenDocuments(t *testing.T) {
	forbidden := map[string]error{"zarr.json": maybeMissing{}, ".zattrs": maybeMissing{}, ".zgroup": maybeMissing{}, ".zmetadata": maybeMissing{}}
	w := &watched{Source: memstore.New(array([]int{2}, []int{2}, nil)), fails: forbidden}
	if _, err := hierarchy(w, zarr.Options{}).OpenArray(t.Context(), ""); err != nil {
		t.Errorf("beside a document that can be read, forbidden ones are missing: %v", err)
	}
	forbidden[".zarray"] = maybeMissing{}
	if _, err := hierarchy(w, zarr.Options{}).OpenArray(t.Context(), ""); !errors.As(err, new(maybeMissing)) {
		t.Errorf("where nothing can be read, forbidden is an error: %v", err)
	}
	forbidden[".zarray"] = nil
	forbidden[".zattrs"] = errors.New("server fault")
	if _, err := hierarchy(w, zarr.Options{}).OpenArray(t.Context(), ""); err == nil {
		t.Error("a fault of the server is taken for a missing document")
	}
}

// passing is a source that refuses each of some keys once, like a server with too many requests.
type passing struct {
	store.Source
	mu      sync.Mutex
	refused map[string]bool
}

func (p *passing) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	p.mu.Lock()
	refused := p.refused[key]
	delete(p.refused, key)
	p.mu.Unlock()
	if refused {
		return store.Extent{}, maybeMissing{}
	}
	return p.Source.Read(ctx, key, ask)
}

// TestARefusalThatPassesHidesNothing refuses each of a node's documents once. A temporary refusal
// does not count as absence: the node would differ.
func TestARefusalThatPassesHidesNothing(t *testing.T) {
	array := array([]int{2}, []int{2}, nil)[".zarray"]
	three := []byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":3}}`)
	for name, objects := range map[string]map[string][]byte{
		"v2 array":        {".zarray": array, ".zattrs": []byte(`{"a":1}`)},
		"v2 group":        {".zgroup": []byte(`{"zarr_format":2}`), ".zattrs": []byte(`{"a":2}`)},
		"v2 consolidated": {".zgroup": []byte(`{"zarr_format":2}`), ".zmetadata": []byte(`{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},".zattrs":{"a":2},"x/.zgroup":{"zarr_format":2}}}`)},
		"v2 and v3":       {".zgroup": []byte(`{"zarr_format":2}`), ".zattrs": []byte(`{"a":2}`), "zarr.json": three},
		"v3 group":        {"zarr.json": three},
		"v1 array":        {"meta": []byte(`{"zarr_format":1,"shape":[2],"chunks":[2],"dtype":"|u1","compression":"none","compression_opts":null,"fill_value":0,"order":"C"}`), "attrs": []byte(`{"a":1}`)},
	} {
		keys := sortedKeys(objects)
		for set := 1; set < 1<<len(keys); set++ {
			for _, opt := range []zarr.OpenOptions{{}} {
				p := &passing{Source: memstore.New(objects), refused: map[string]bool{}}
				var refused []string
				for i, key := range keys {
					if set>>i&1 == 1 {
						p.refused[key] = true
						refused = append(refused, key)
					}
				}
				right, err := hierarchy(memstore.New(objects), zarr.Options{}).Open(t.Context(), "", opt)
				if err != nil {
					t.Fatal(name, err)
				}
				n, err := hierarchy(p, zarr.Options{}).Open(t.Context(), "", opt)
				switch {
				case err != nil:
					if !errors.As(err, new(maybeMissing)) {
						t.Errorf("%s, refused %q: %v", name, refused, err)
					}
				case string(n.Metadata().Attributes.Raw()) != string(right.Metadata().Attributes.Raw()) || n.Metadata().Format != right.Metadata().Format || (n.Metadata().Array == nil) != (right.Metadata().Array == nil):
					t.Errorf("%s, refused %q: another node: v%d, attributes %s", name, refused, n.Metadata().Format, n.Metadata().Attributes.Raw())
				}
			}
		}
	}
}

func TestFirstErrorEndsTheRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("server fault")
		w := &watched{Source: memstore.New(array([]int{1000}, []int{1}, nil))}
		a := must.Get(hierarchy(w, zarr.Options{Limits: codec.Limits{Requests: 4}}).OpenArray(t.Context(), ""))(t)
		w.answer(time.Hour, map[string]error{"3": fault})
		began := time.Now()
		if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); !errors.Is(err, fault) || time.Since(began) > 0 {
			t.Fatalf("%v after %v, want the server's fault at once", err, time.Since(began))
		}
		if asked := len(w.asked()); asked > 100 {
			t.Errorf("%d keys were asked for after an early error", asked)
		}
		if w.peak > 4*4 { // for chunks as small as these
			t.Errorf("%d requests at once", w.peak)
		}
		w.answer(0, nil)
		if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); err != nil {
			t.Errorf("the next read: %v", err)
		}
	})
}

func TestCancelEndsTheRead(t *testing.T) {
	w := &watched{Source: memstore.New(array([]int{1000}, []int{1}, nil)), delay: 2 * time.Millisecond}
	a, err := hierarchy(w, zarr.Options{}).OpenArray(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err = a.Read(ctx, nil, zarr.ReadOptions{Progress: func(done, total int) {
		if calls++; done != calls || total != 1000 {
			t.Errorf("progress %d of %d at call %d", done, total, calls)
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || calls > 64+1 { // as many small chunks may be under way
		t.Errorf("%v after %d chunks", err, calls)
	}
}

func TestLimitsOfARead(t *testing.T) {
	for _, c := range []struct {
		limits codec.Limits
		limit  string
	}{
		{codec.Limits{OutputBytes: 199}, "OutputBytes"},
		{codec.Limits{Chunks: 9}, "Chunks"},
		{codec.Limits{ChunkBytes: 19}, "ChunkBytes"},
	} {
		w := &watched{Source: memstore.New(array([]int{100}, []int{10}, nil))}
		a, err := hierarchy(w, zarr.Options{Limits: c.limits}).OpenArray(t.Context(), "")
		if err == nil {
			_, err = a.Read(t.Context(), nil, zarr.ReadOptions{})
		}
		var limit *codec.LimitError
		if !errors.As(err, &limit) || limit.Limit != c.limit {
			t.Errorf("%s: %v", c.limit, err)
		}
	}
}

func TestMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v3 := func(kind string) []byte { return []byte(`{"zarr_format":3,"node_type":"` + kind + `"}`) }
		names := func(g *zarr.Group) string {
			members := must.Get(g.Members(t.Context()))(t)
			var s []string
			for _, m := range members {
				s = append(s, m.Name+":"+m.Kind)
			}
			return strings.Join(s, " ")
		}
		listed := hierarchy(memstore.New(map[string][]byte{
			"zarr.json": v3("group"), "b/zarr.json": v3("group"), "c/d/zarr.json": v3("group"), "a/.zgroup": []byte(`{"zarr_format":2}`),
		}), zarr.Options{})
		g, err := listed.OpenGroup(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := names(g); got != "a:group b:group c:implicit" {
			t.Errorf("listed: %s", got)
		}

		consolidated := []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{
		"z":{"zarr_format":3,"node_type":"group"},"z/y":{"zarr_format":3,"node_type":"group"}}}}`)
		w := &watched{Source: memstore.New(map[string][]byte{"zarr.json": consolidated}), delay: 20 * time.Millisecond}
		h := hierarchy(w, zarr.Options{})
		if g, err = h.OpenGroup(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		before := len(w.asked())
		if got := names(g); got != "z:group" {
			t.Errorf("consolidated: %s", got)
		}
		if _, err := h.OpenGroup(t.Context(), "z/y"); err != nil {
			t.Error(err)
		}
		if keys := w.asked(); len(keys) != before {
			t.Errorf("what consolidated metadata says was asked for again: %v", keys[before:])
		}
		// A child that is opened first finds the root's consolidated metadata.
		if _, err := hierarchy(w, zarr.Options{}).OpenGroup(t.Context(), "z/y"); err != nil {
			t.Error(err)
		}

		blind := hierarchy(&watched{Source: memstore.New(map[string][]byte{"zarr.json": v3("group")})}, zarr.Options{})
		if g, err = blind.OpenGroup(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		var unsupported *zarr.UnsupportedError
		if _, err := g.Members(t.Context()); !errors.As(err, &unsupported) {
			t.Errorf("a store that cannot list: %v", err)
		}
	})
}

// TestMembersOfWrongMetadata has consolidated metadata with many invalid nodes. A few of them are
// requested, and found in their own documents. The others report their error.
func TestMembersOfWrongMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const nodes = 1000
		var list []string
		for i := range nodes {
			node := `{"zarr_format":3,"node_type":"group"}`
			if i%2 == 1 {
				node = `{"zarr_format":3,"node_type":"neither"}`
			}
			list = append(list, `"n`+strconv.Itoa(i)+`":`+node)
		}
		w := &watched{Source: memstore.New(map[string][]byte{
			"zarr.json":    []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{` + strings.Join(list, ",") + `}}}`),
			"n1/zarr.json": []byte(`{"zarr_format":3,"node_type":"group"}`),
		})}
		h := hierarchy(w, zarr.Options{})
		g := must.Get(h.OpenGroup(t.Context(), ""))(t)
		for range 2 {
			before := len(w.asked())
			members, err := g.Members(t.Context())
			if err != nil || len(members) != nodes {
				t.Fatal(len(members), err)
			}
			for i, m := range members {
				var invalid *zarr.InvalidMetadataError
				if right := i%2 == 0 || i == 1; right != (m.Node != nil) || !right && i > 100 && !errors.As(m.Err, &invalid) || right != (m.Err == nil) {
					t.Errorf("%s: %v, %v", m.Name, m.Node, m.Err)
				}
			}
			if n := len(w.asked()) - before; n == 0 || n > 200 {
				t.Errorf("%d requests", n)
			}
		}
		// An opened one is the same afterwards.
		opened := must.Get(h.OpenGroup(t.Context(), "n0"))(t)
		if members, err := g.Members(t.Context()); err != nil || members[0].Node != zarr.Node(opened) {
			t.Errorf("a node that was opened is another one among the members: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if members, err := g.Members(ended); !errors.Is(err, context.Canceled) || members != nil {
			t.Errorf("a call that is not wanted any more: %d members, %v", len(members), err)
		}
	})
}

// TestHammer opens and reads the same hierarchy from many goroutines.
func TestHammer(t *testing.T) {
	h := hierarchy(memstore.New(array([]int{64, 64}, []int{7, 9}, nil)), zarr.Options{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				a, err := h.OpenArray(t.Context(), "")
				if err != nil {
					t.Error(err)
					return
				}
				row := int64((g*50 + i) % 64)
				res, err := a.Read(t.Context(), []grid.Item{grid.At(row)}, zarr.ReadOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				if n := int64(res.Data[0]) | int64(res.Data[1])<<8; n != row*64 {
					t.Errorf("row %d begins with %d", row, n)
				}
			}
		})
	}
	wg.Wait()
}

func TestReadChunk(t *testing.T) {
	h := hierarchy(memstore.New(array([]int{5}, []int{3}, func(c []int) bool { return c[0] == 0 })), zarr.Options{})
	a := must.Get(h.OpenArray(t.Context(), ""))(t)
	for coord, want := range map[int64][]byte{0: {255, 255, 255, 255, 255, 255}, 1: {3, 0, 4, 0, 5, 0}} {
		res, err := a.ReadChunk(t.Context(), []int64{coord}, zarr.ReadOptions{})
		if err != nil || !bytes.Equal(res.Data, want) || !slices.Equal(res.Shape, []int{3}) {
			t.Errorf("chunk %d: %v, %v", coord, res, err)
		}
	}
	var bad *zarr.InvalidSelectionError
	for _, coords := range [][]int64{{2}, {-1}, {}, {0, 0}} {
		if _, err := a.ReadChunk(t.Context(), coords, zarr.ReadOptions{}); !errors.As(err, &bad) {
			t.Errorf("chunk %v: %v", coords, err)
		}
	}
}
