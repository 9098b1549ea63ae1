//go:build !js

package zarr_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// overHTTP serves objects and returns the hierarchy at the server's address.
func overHTTP(t *testing.T, objects map[string][]byte, opt zarr.Options) (*zarr.Hierarchy, *faulty.Faults) {
	t.Helper()
	files := fstest.MapFS{}
	for key, data := range objects {
		files[key] = &fstest.MapFile{Data: data}
	}
	faults := &faulty.Faults{}
	server := httptest.NewServer(faulty.New(files, static.Options{}, faults))
	t.Cleanup(server.Close)
	return hierarchy(must.Get(httpstore.New(server.URL, httpstore.Options{}))(t), opt), faults
}

// requests returns the requests for chunks so far, and resets the list.
func requests(faults *faulty.Faults) (list []string) {
	for _, r := range faults.Requests() {
		if strings.HasPrefix(r.Path, "/c/") {
			list = append(list, r.Method+" "+r.Path+" "+r.Header["Range"])
		}
	}
	faults.Reset()
	slices.Sort(list)
	return list
}

func TestShardsOverHTTP(t *testing.T) {
	s := big()
	var mu sync.Mutex
	var events []store.Event
	h, faults := overHTTP(t, s.objects(), zarr.Options{Observe: func(e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}})
	a := must.Get(h.OpenArray(t.Context(), ""))(t)
	faults.Reset()
	s.read(t, a, 500, 520, 400, 600)
	asked := requests(faults)
	if len(asked) != 4*2 {
		t.Errorf("%d requests: %q", len(asked), asked)
	}
	for _, r := range asked {
		if !strings.HasPrefix(r, "GET ") {
			t.Error(r)
		}
	}
	s.read(t, a, 500, 520, 400, 600)
	if asked := requests(faults); len(asked) != 0 {
		t.Errorf("again: %q", asked)
	}
	s.read(t, a, 384, 448, 384, 448)
	if asked := requests(faults); len(asked) != 1 {
		t.Errorf("the neighbour: %q", asked)
	}
	mu.Lock()
	defer mu.Unlock()
	ranged := 0
	for _, e := range events {
		if e.Origin == store.OriginRequested && strings.HasPrefix(e.Key, "c/") {
			ranged++
			if e.Status != 206 || e.Bytes == 0 || e.Merged < 1 || e.Range == nil || e.Method != "GET" || e.Err != nil {
				t.Errorf("%+v", e)
			}
		}
	}
	if ranged != 9 {
		t.Errorf("%d events of requests for chunks", ranged)
	}
	if stats := h.Stats(); stats.Store.Failed != 0 || stats.Indexes.Misses != 4 || stats.Chunks.Misses != 4*2+1 {
		t.Errorf("%+v", stats)
	}
}

// TestShardsOfServersThatDoNotKnowRanges reads from servers that ignore ranges, always or from the
// middle of a read on. Shards may have gaps.
func TestShardsOfServersThatDoNotKnowRanges(t *testing.T) {
	for name, s := range map[string]sharding{
		"shards":          {shape: []int{1024, 1024}, levels: [][]int{{1024, 1024}, {64, 64}}},
		"gaps":            {shape: []int{256, 256}, levels: [][]int{{256, 256}, {32, 32}}, pad: 100_000},
		"nested":          {shape: []int{1024, 1024}, levels: [][]int{{1024, 1024}, {256, 256}, {32, 32}}},
		"nested at start": {shape: []int{1024, 1024}, levels: [][]int{{1024, 1024}, {256, 256}, {32, 32}}, atStart: true},
	} {
		for spared := range 3 {
			h, faults := overHTTP(t, s.objects(), zarr.Options{Cache: zarr.CacheOptions{Encoded: -1}})
			a := must.Get(h.OpenArray(t.Context(), ""))(t)
			list := []faulty.Fault{{IgnoreRange: true}}
			if spared > 0 {
				list = []faulty.Fault{{Times: spared}, {IgnoreRange: true}}
			}
			faults.Set("c/0/0", list...)
			n := s.shape[0] / 4
			s.read(t, a, n-10, n+10, 3, 9)
			s.read(t, a, 2*n-10, 2*n+10, 2*n, 3*n)
			s.read(t, a, 0, 4*n, 3*n, 3*n+2)
			if t.Failed() {
				t.Fatalf("%s, after %d ranges", name, spared)
			}
		}
	}
}

func TestShardThatChangesOverHTTP(t *testing.T) {
	s := sharding{shape: []int{1024, 1024}, levels: [][]int{{1024, 1024}, {64, 64}}}
	h, faults := overHTTP(t, s.objects(), zarr.Options{})
	a := must.Get(h.OpenArray(t.Context(), ""))(t)
	one, other := map[string]string{"Etag": `"one"`}, map[string]string{"Etag": `"other"`}
	faults.Set("c/0/0", faulty.Fault{Header: one})
	s.read(t, a, 0, 64, 0, 64)
	// Another tag, once: the index is read again.
	faults.Reset()
	faults.Set("c/0/0", faulty.Fault{Times: 1, Header: other}, faulty.Fault{Header: one})
	s.read(t, a, 64, 128, 0, 64)
	if asked := requests(faults); len(asked) != 3 {
		t.Errorf("asked for %q", asked)
	}
}

func TestOpeningTakesOneRoundTrip(t *testing.T) {
	s := big()
	objects := s.objects()
	meta := string(objects["zarr.json"])
	var members []string
	for i := range 50 {
		members = append(members, fmt.Sprintf(`"a%d":%s`, i, meta))
	}
	group := map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` + strings.Join(members, ",") + `}}}`)}
	h, faults := overHTTP(t, group, zarr.Options{})
	g := must.Get(h.OpenGroup(t.Context(), ""))(t)
	faults.Reset()
	list, err := g.Members(t.Context())
	if err != nil || len(list) != 50 {
		t.Fatalf("%d members, %v", len(list), err)
	}
	for _, m := range list {
		if _, err := h.OpenArray(t.Context(), m.Name); err != nil {
			t.Error(err)
		}
	}
	for _, r := range faults.Requests() {
		if strings.Contains(r.Path, "/a") {
			t.Errorf("asked for %s", r.Path)
		}
	}

	// Concurrent opens of one node share a request.
	h, faults = overHTTP(t, objects, zarr.Options{})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			a, err := h.OpenArray(t.Context(), "")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := a.Read(t.Context(), []grid.Item{grid.At(0), grid.At(0)}, zarr.ReadOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	seen := map[string]int{}
	for _, r := range faults.Requests() {
		if seen[r.Path+r.Header["Range"]]++; seen[r.Path+r.Header["Range"]] > 1 {
			t.Errorf("%s is asked for again", r.Path)
		}
	}
	if len(seen) > 5+2 {
		t.Errorf("asked for %v", seen)
	}
}
