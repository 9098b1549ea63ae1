//go:build !js

package httpstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/store/memstore"
	"zarr-wasm/store/storetest"
	"zarr-wasm/tests/faulty"
)

// writable is a server of objects that are written by PUT and DELETE, with conditions, and listed as Go's file server lists.
type writable struct {
	objects *memstore.Store
	// before, if set, may answer in its place; after, if set, once it has done its work.
	before, after func(w http.ResponseWriter, r *http.Request) bool
	requests      atomic.Int64
}

func (s *writable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	if s.before != nil && s.before(w, r) {
		return
	}
	done := httptest.NewRecorder()
	(&faulty.Objects{Store: s.objects}).ServeHTTP(done, r)
	if s.after != nil && s.after(w, r) {
		return
	}
	maps.Copy(w.Header(), done.Header())
	w.WriteHeader(done.Code)
	_, _ = done.Body.WriteTo(w)
}

func writing(t testing.TB, s *writable, opt httpstore.Options) *httpstore.Store {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	opt.RetryDelay = time.Millisecond
	made, err := httpstore.New(server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestWritingConformance(t *testing.T) {
	storetest.RunWriting(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
		return store.Plain(writing(t, &writable{objects: memstore.New(objects)}, httpstore.Options{Headers: map[string]string{"Authorization": "Bearer x"}}))
	}})
}

// TestWritingByOwnFetch writes by a function in the place of the platform's, as that of a page.
func TestWritingByOwnFetch(t *testing.T) {
	storetest.RunWriting(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
		return store.Plain(writing(t, &writable{objects: memstore.New(objects)}, httpstore.Options{Fetch: fetch}))
	}})
}

// TestWriteStatus has a server answer writes with each status: what is written is written, what is refused is an error that
// says which, and what may pass is sent again where that is safe.
func TestWriteStatus(t *testing.T) {
	for _, c := range []struct {
		status   int
		put, del bool // fine
		again    bool // a request without a condition is sent again
		safe     bool // one with a condition, too
		hint     string
	}{
		{status: 200, put: true, del: true}, {status: 201, put: true, del: true}, {status: 204, put: true, del: true},
		{status: 202, del: true}, {status: 206}, {status: 304}, {status: 400}, {status: 401, hint: "let this client write"}, {status: 403, hint: "let this client write"},
		{status: 404, del: true}, {status: 410, del: true}, {status: 405, hint: "only reads"}, {status: 501, hint: "the server does not know"}, {status: 412},
		{status: 409, again: true, hint: "another client"}, {status: 423, hint: "another client"}, {status: 413, hint: "larger"}, {status: 507, hint: "no space"},
		{status: 408, again: true}, {status: 500, again: true}, {status: 502, again: true}, {status: 504, again: true},
		{status: 429, again: true, safe: true}, {status: 503, again: true, safe: true},
		{status: 301, hint: "redirects"}, {status: 302, hint: "redirects"}, {status: 303, hint: "redirects"}, {status: 307, hint: "redirects"}, {status: 308, hint: "redirects"},
	} {
		server := &writable{objects: memstore.New(nil)}
		server.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet {
				return false
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
			return true
		}
		s := writing(t, server, httpstore.Options{Retries: 2})
		for _, w := range []struct {
			name        string
			do          func() error
			fine, again bool
		}{
			{"Set", func() error { return s.Set(t.Context(), "a", []byte{1}) }, c.put, c.again},
			{"Delete", func() error { return s.Delete(t.Context(), "a") }, c.del, c.again},
			{"Create", func() error { return s.Create(t.Context(), "a", nil) }, c.put, c.safe},
			{"Replace", func() error { return s.Replace(t.Context(), "a", nil, store.Version{ETag: `"1"`}) }, c.put, c.safe},
		} {
			server.requests.Store(0)
			err := w.do()
			sent, want := server.requests.Load(), int64(1)
			if w.again {
				want = 3
			}
			var e *httpstore.Error
			var k *store.KeyError
			switch {
			case (err == nil) != w.fine || sent != want:
				t.Errorf("%s with status %d: %v after %d requests; want %d", w.name, c.status, err, sent, want)
			case err != nil && (!errors.As(err, &e) || e.Status != c.status || !errors.As(err, &k) || k.Op == "get" || !strings.Contains(err.Error(), c.hint)):
				t.Errorf("%s with status %d: %v", w.name, c.status, err)
			}
			if conflict := w.name == "Replace" && (c.status == 412 || c.status == 404 || c.status == 410); errors.Is(err, store.ErrConflict) != (conflict || c.status == 412 && w.name != "Create") {
				t.Errorf("%s with status %d: %v", w.name, c.status, err)
			}
			if errors.Is(err, fs.ErrExist) != (w.name == "Create" && c.status == 412) {
				t.Errorf("%s with status %d: %v", w.name, c.status, err)
			}
		}
	}
}

// TestWriteAnswerLost has the first answer to each write lost after the server has done its work: without a condition the request is
// sent again and all is well; with one it is not known what became of it, and that is the error, not a conflict with what the
// request itself has written.
func TestWriteAnswerLost(t *testing.T) {
	server := &writable{objects: memstore.New(map[string][]byte{"old": {1}})}
	var lose atomic.Bool
	server.after = func(http.ResponseWriter, *http.Request) bool {
		if lose.CompareAndSwap(true, false) {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	s := writing(t, server, httpstore.Options{})
	for name, do := range map[string]func() error{
		"Set":    func() error { return s.Set(t.Context(), "a", []byte{1}) },
		"Delete": func() error { return s.Delete(t.Context(), "a") },
	} {
		lose.Store(true)
		if err := do(); err != nil || lose.Load() {
			t.Errorf("%s: %v", name, err)
		}
	}
	lose.Store(true)
	if err := s.Create(t.Context(), "new", []byte{1}); !errors.Is(err, store.ErrUnsettled) || errors.Is(err, fs.ErrExist) {
		t.Errorf("Create: %v", err)
	}
	e, err := s.Read(t.Context(), "old", store.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	lose.Store(true)
	if err := s.Replace(t.Context(), "old", []byte{2}, e.Version); !errors.Is(err, store.ErrUnsettled) || errors.Is(err, store.ErrConflict) {
		t.Errorf("Replace: %v", err)
	}
	if e, err = s.Read(t.Context(), "old", store.Ask{}); err != nil {
		t.Fatal(err)
	}
	lose.Store(true)
	if err := s.Remove(t.Context(), "old", e.Version); !errors.Is(err, store.ErrUnsettled) || errors.Is(err, store.ErrConflict) {
		t.Errorf("Remove: %v", err)
	}
	if err := s.Replace(t.Context(), "old", []byte{2}, store.Version{ETag: `W/"1"`}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Replace of a version with a weak tag alone: %v", err)
	}
}

// TestWriteOfAPage takes no web page for the news that an object was written.
func TestWriteOfAPage(t *testing.T) {
	s := writing(t, &writable{objects: memstore.New(nil), before: func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>An application</title>")
		return true
	}}, httpstore.Options{})
	if err := s.Set(t.Context(), "a", nil); !errors.Is(err, httpstore.ErrHTML) {
		t.Errorf("Set: %v", err)
	}
}

// TestWriteByOwnFetch sends writes by the user's function, and their conditions.
func TestWriteByOwnFetch(t *testing.T) {
	var last httpstore.FetchRequest
	s, err := httpstore.New("http://x.test/base?k=v", httpstore.Options{Headers: map[string]string{"X-A": "b"},
		Fetch: func(_ context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			last = r
			return httpstore.FetchResponse{Status: 201, Type: "basic"}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(t.Context(), "é/a", []byte{1, 2}, store.Version{ETag: `"t"`}); err != nil {
		t.Fatal(err)
	}
	if last.Method != "PUT" || last.URL != "http://x.test/base/%C3%A9/a?k=v" || !bytes.Equal(last.Body, []byte{1, 2}) || last.Headers["if-match"] != `"t"` || last.Headers["X-A"] != "b" || last.Redirect != "manual" {
		t.Errorf("sent %+v", last)
	}
}
