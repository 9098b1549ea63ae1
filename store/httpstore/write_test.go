//go:build !js

package httpstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// writable is a server whose objects are written by PUT and DELETE, with conditions. It lists like
// Go's file server.
type writable struct {
	objects *memstore.Store
	// before, if set, may answer in place of the server. after, if set, runs once the server is
	// done.
	before, after func(w http.ResponseWriter, r *http.Request) bool
	requests      atomic.Int64
	suffix        string // suffix of the tags of whole, non-empty answers
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
	if tag := done.Header().Get("ETag"); tag != "" && done.Code == http.StatusOK && done.Body.Len() > 0 {
		done.Header().Set("ETag", strings.TrimSuffix(tag, `"`)+s.suffix+`"`)
	}
	maps.Copy(w.Header(), done.Header())
	w.WriteHeader(done.Code)
	_, _ = done.Body.WriteTo(w)
}

func writing(t testing.TB, s *writable, opt httpstore.Options) *httpstore.Store {
	return writingBelow(t, s, "", opt)
}

// writingBelow returns a store of a path of the server, with any query.
func writingBelow(t testing.TB, s *writable, path string, opt httpstore.Options) *httpstore.Store {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	opt.RetryDelay = time.Millisecond
	return must.Get(httpstore.New(server.URL+path, opt))(t)
}

func TestWritingConformance(t *testing.T) {
	storetest.RunWriting(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
		return store.Plain(writing(t, &writable{objects: memstore.New(objects)}, httpstore.Options{Headers: map[string]string{"Authorization": "Bearer x"}}))
	}})
}

// TestWritingByOwnFetch writes by a user's fetch function, like that of a page.
func TestWritingByOwnFetch(t *testing.T) {
	storetest.RunWriting(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
		return store.Plain(writing(t, &writable{objects: memstore.New(objects)}, httpstore.Options{Fetch: fetch}))
	}})
}

// TestWriteStatus answers writes with each status. Successes are written, refusals are errors that
// name the status, and transient ones are retried when that is safe.
func TestWriteStatus(t *testing.T) {
	for _, c := range []struct {
		status   int
		put, del bool // succeeds
		again    bool // a request without a condition is retried
		safe     bool // a request with a condition is retried, too
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

// TestWriteAnswerLost loses the first answer to each write after the server performed it. Without a
// condition the retry succeeds. With one the error says that the outcome is unknown. It reports no
// conflict with the request's own write.
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

// TestWriteOfAPage checks that a web page does not count as success.
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

// TestWriteByOwnFetch sends writes and their conditions by the user's function.
func TestWriteByOwnFetch(t *testing.T) {
	var last httpstore.FetchRequest
	s := must.Get(httpstore.New("http://x.test/base?k=v", httpstore.Options{Headers: map[string]string{"X-A": "b"},
		Fetch: func(_ context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			last = r
			return httpstore.FetchResponse{Status: 201, Type: "basic"}, nil
		}}))(t)
	must.Do(t, s.Replace(t.Context(), "é/a", []byte{1, 2}, store.Version{ETag: `"t"`}))
	if last.Method != "PUT" || last.URL != "http://x.test/base/%C3%A9/a?k=v" || !bytes.Equal(last.Body, []byte{1, 2}) || last.Headers["if-match"] != `"t"` || last.Headers["X-A"] != "b" || last.Redirect != "manual" {
		t.Errorf("sent %+v", last)
	}
}

// collections is a WebDAV server (RFC 4918): a PUT into a missing folder is a conflict, and MKCOL
// creates folders.
type collections struct {
	mu      sync.Mutex
	folders map[string]bool // by path, with a trailing slash
	mkcol   int             // the status of every MKCOL, if not 0
	made    int
}

// refuse answers in place of the server: requests about folders, and requests into missing ones.
func (c *collections) refuse(w http.ResponseWriter, r *http.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := strings.TrimSuffix(r.URL.Path, "/")
	above := path[:strings.LastIndexByte(path, '/')+1]
	missing := above != "/" && !c.folders[above]
	switch {
	case r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/"):
		maps.DeleteFunc(c.folders, func(folder string, _ bool) bool { return strings.HasPrefix(folder, r.URL.Path) })
		w.WriteHeader(http.StatusNoContent)
	case r.Method != "MKCOL" && (r.Method != http.MethodPut || !missing):
		return false
	case r.Method == http.MethodPut:
		w.WriteHeader(http.StatusConflict)
	case c.mkcol != 0:
		w.WriteHeader(c.mkcol)
	case r.ContentLength > 0:
		w.WriteHeader(http.StatusUnsupportedMediaType)
	case c.folders[path+"/"]:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case missing:
		w.WriteHeader(http.StatusConflict)
	default:
		c.made++
		c.folders[path+"/"] = true
		w.WriteHeader(http.StatusCreated)
	}
	return true
}

// drop removes a folder and everything below it, like another client.
func (c *collections) drop(folder string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.folders, func(path string, _ bool) bool { return strings.HasPrefix(path, folder) })
}

// TestFoldersAreMade writes many objects with random keys at once, while another client removes
// folders. Each way to write creates the folders that it needs.
func TestFoldersAreMade(t *testing.T) {
	for _, path := range []string{"", "/data", "/a%20b/c/d?key=1"} {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 7))
			c := &collections{folders: map[string]bool{}}
			server := &writable{objects: memstore.New(nil), before: c.refuse}
			s := writingBelow(t, server, path, httpstore.Options{})
			var all sync.WaitGroup
			for i := range 30 {
				key := strconv.Itoa(i)
				for range r.IntN(4) {
					key = string(rune('a'+r.IntN(3))) + "/" + key
				}
				if r.IntN(8) == 0 {
					all.Wait()
					c.drop([]string{"/", "/data/", "/a/", "/data/a/"}[r.IntN(4)])
				}
				write := s.Set
				if r.IntN(2) == 0 {
					write = s.Create
				}
				all.Go(func() {
					if err := write(t.Context(), key, []byte{byte(i)}); err != nil {
						t.Errorf("seed %d, %s: %v", seed, key, err)
					}
				})
			}
			all.Wait()
			if path != "" && c.made == 0 {
				t.Errorf("seed %d: no folder was made", seed)
			}
		}
	}
}

// TestFoldersThatCannotBeMade answers MKCOL with each status. The error is that of the object, and
// arrives soon.
func TestFoldersThatCannotBeMade(t *testing.T) {
	for _, status := range []int{301, 400, 401, 403, 405, 409, 415, 423, 500, 501, 503, 507} {
		c := &collections{folders: map[string]bool{}, mkcol: status}
		server := &writable{objects: memstore.New(nil), before: c.refuse}
		s := writing(t, server, httpstore.Options{Retries: 1})
		for name, do := range map[string]func() error{
			"Set":    func() error { return s.Set(t.Context(), "a/b/c/d", nil) },
			"Create": func() error { return s.Create(t.Context(), "a/b/c/d", nil) },
		} {
			server.requests.Store(0)
			err := do()
			var e *httpstore.Error
			if !errors.As(err, &e) || e.Status != 409 || !strings.Contains(err.Error(), "MKCOL") {
				t.Errorf("%s, MKCOL is answered by %d: %v", name, status, err)
			}
			if sent := server.requests.Load(); sent > 8 {
				t.Errorf("%s, MKCOL is answered by %d: %d requests", name, status, sent)
			}
		}
	}
	// A cancelled write creates no folder.
	ctx, cancel := context.WithCancel(t.Context())
	c := &collections{folders: map[string]bool{}}
	server := &writable{objects: memstore.New(nil)}
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		cancel()
		return c.refuse(w, r)
	}
	if err := writing(t, server, httpstore.Options{}).Set(ctx, "a/b", nil); !errors.Is(err, context.Canceled) || c.made > 0 {
		t.Errorf("%v, and %d folders", err, c.made)
	}
}

// TestTagsOfEncodedAnswers serves whole answers with their own tags, as Apache does for compressed
// ones, and accepts only the objects' tags in conditions. A refused write succeeds after a new
// read, unless another client wrote.
func TestTagsOfEncodedAnswers(t *testing.T) {
	server := &writable{objects: memstore.New(map[string][]byte{"a": []byte("{}")}), suffix: "-gzip"}
	s := writing(t, server, httpstore.Options{})
	read := func() store.Version {
		e := must.Get(s.Read(t.Context(), "a", store.Ask{Fresh: true}))(t)
		if got, _ := store.Get(t.Context(), server.objects, "a"); !bytes.Equal(e.Bytes, got) {
			t.Fatalf("%q, not %q", e.Bytes, got)
		}
		return e.Version
	}
	if err := s.Replace(t.Context(), "a", []byte("[]"), read()); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a tag that the server does not know: %v", err)
	}
	for _, text := range []string{"[1]", "[1,2]", "", "[3]"} {
		old := read()
		if err := s.Replace(t.Context(), "a", []byte(text), old); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if err := s.Replace(t.Context(), "a", []byte("[4]"), old); !errors.Is(err, store.ErrConflict) {
			t.Errorf("over another version: %v", err)
		}
	}
	if err := s.Remove(t.Context(), "a", read()); err != nil {
		t.Error(err)
	}
}

// TestFoldersAreDeleted deletes a prefix. A server of folders loses the folders there and keeps all
// others. Its answers about folders cause no errors.
func TestFoldersAreDeleted(t *testing.T) {
	for _, status := range []int{0, 400, 403, 404, 405, 409, 500, 501} {
		c := &collections{folders: map[string]bool{}}
		server := &writable{objects: memstore.New(nil)}
		server.before = func(w http.ResponseWriter, r *http.Request) bool {
			if status != 0 && r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/") {
				w.WriteHeader(status)
				return true
			}
			return c.refuse(w, r)
		}
		s := writingBelow(t, server, "/data", httpstore.Options{})
		for _, key := range []string{"x/zarr.json", "x/c/0/0", "x/c/0/1", "x/c/1/0", "xy/c/0", "z"} {
			must.Do(t, s.Set(t.Context(), key, nil))
		}
		if err := s.DeleteAll(t.Context(), "x"); err != nil {
			t.Errorf("status %d: %v", status, err)
		}
		left := slices.Sorted(maps.Keys(c.folders))
		if status == 0 && !slices.Equal(left, []string{"/data/", "/data/xy/", "/data/xy/c/"}) {
			t.Errorf("%q are left", left)
		}
		names, err := s.List(t.Context(), "")
		if err != nil || !slices.Equal(names, []string{"xy/", "z"}) {
			t.Errorf("status %d: %q, %v", status, names, err)
		}
	}
}
