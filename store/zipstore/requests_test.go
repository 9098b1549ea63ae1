//go:build !js

package zipstore_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/inmemory"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// slow is the delay of each answer, in the time of synctest.
const slow = time.Second

// server sends one object, slowly. It records requests and trips: requests that arrive during one
// answer form a trip.
type server struct {
	client   *http.Client
	mu       sync.Mutex
	data     []byte
	etag     string
	status   int
	requests []string
	trips    int
	until    time.Time
}

func serve(t *testing.T, data []byte) *server {
	s := &server{data: data, etag: `"1"`}
	s.client = inmemory.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.Header.Get("Range"))
		if now := time.Now(); !now.Before(s.until) {
			s.trips++
			s.until = now.Add(slow)
		}
		data, etag, status := s.data, s.etag, s.status
		s.mu.Unlock()
		time.Sleep(slow)
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	return s
}

func (s *server) take() (requests []string, trips int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, trips = s.requests, s.trips
	s.requests, s.trips = nil, 0
	return requests, trips
}

// hierarchy returns the hierarchy in the archive.
func (s *server) hierarchy(t *testing.T) *zarr.Hierarchy {
	t.Helper()
	st := must.Get(httpstore.New("http://host.example/", httpstore.Options{Retries: -1, Platform: httpstore.Platform{Client: s.client}}))(t)
	caches := zarr.NewCaches(zarr.CacheOptions{})
	z := must.Get(zipstore.New(store.Plain(st), "a.zip", caches.Layer(), zipstore.Options{Decode: inflate}))(t)
	return zarr.Over(z, codecs.Default(), zarr.Options{Caches: caches})
}

// Opening and reading 16 adjacent chunks takes at most 3 requests and 2 trips. A second read takes
// none.
func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		archive         []byte
		requests, trips int
	}{
		"small":               {pack(t, array(4, 64, 0)), 2, 1},
		"large":               {assemble(usual, raws(array(4, 64, 4))...), 3, 2},
		"large, descriptors":  {pack(t, array(4, 64, 4)), 3, 2},
		"large, deflated":     {pack(t, method(array(4, 64, 4), zip.Deflate)), 3, 2},
		"large, extra fields": {assemble(usual, change(raws(array(4, 64, 4)), func(m *raw) { m.local = make([]byte, 28) })...), 3, 2},
		"large, aligned":      {assemble(usual, change(raws(array(4, 64, 4)), func(m *raw) { m.local = make([]byte, 2048) })...), 3, 2},
		"large chunks":        {assemble(usual, raws(array(4, 512, 4))...), 3, 2},
		"a large directory":   {assemble(usual, append(raws(array(4, 64, 0)), make70k(20_000)...)...), 4, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, c.archive)
				h := s.hierarchy(t)
				for again := range 2 {
					a := must.Get(h.OpenArray(t.Context(), ""))(t)
					res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
					n := res.Shape[0]
					for i, v := range res.Data {
						if want := byte(i/n*4/n*4 + i%n*4/n); v != want {
							t.Fatalf("element %d is %d, want %d", i, v, want)
						}
					}
					requests, trips := s.take()
					t.Log(trips, requests)
					if again == 1 {
						c.requests, c.trips = 0, 0
					}
					if len(requests) > c.requests || trips > c.trips {
						t.Errorf("%d requests in %d trips, want %d in %d: %q", len(requests), trips, c.requests, c.trips, requests)
					}
				}
			})
		})
	}
}

// A replaced archive is read again, and never mixed with the old one.
func TestReplaced(t *testing.T) { synctest.Test(t, replaced) }

func replaced(t *testing.T) {
	with := func(v byte, more int) []byte {
		files := array(4, 64, 0)
		for i := range files[1:] {
			files[1+i].data = bytes.Repeat([]byte{v}, 64*64)
		}
		return assemble(usual, raws(append(files, file{name: "more", data: storetest.Pattern(1<<20 + more)}))...)
	}
	s := serve(t, with(1, 0))
	h := s.hierarchy(t)
	a, err := h.OpenArray(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	read := func() ([]byte, error) {
		res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil {
			return nil, err
		}
		return slices.Compact(res.Data), nil
	}
	one := func(i int64) ([]byte, error) {
		res, err := a.Read(t.Context(), []grid.Item{grid.At(i), grid.At(0)}, zarr.ReadOptions{})
		if err != nil {
			return nil, err
		}
		return res.Data, nil
	}
	if got, err := one(0); err != nil || got[0] != 1 {
		t.Fatal(got, err)
	}
	s.mu.Lock()
	s.data, s.etag = with(2, 1000), `"2"`
	s.mu.Unlock()
	if got, err := read(); err != nil || !bytes.Equal(got, []byte{2}) && !bytes.Equal(got, []byte{1}) {
		t.Error("mixed:", got, err)
	}
	h.Close()
	s.mu.Lock()
	s.status = 500
	s.mu.Unlock()
	h = s.hierarchy(t)
	if _, err := h.OpenArray(t.Context(), ""); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	s.mu.Lock()
	s.status = 404
	s.mu.Unlock()
	if _, err = h.OpenArray(t.Context(), ""); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "is absent") {
		t.Error(err)
	}
}
