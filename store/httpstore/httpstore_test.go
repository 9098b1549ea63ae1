//go:build !js

package httpstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/inmemory"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// serve starts a server of these objects.
func serve(t testing.TB, objects map[string][]byte) (url string, faults *faulty.Faults) {
	m := fstest.MapFS{}
	for key, data := range objects {
		m[key] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return serveFS(t, m)
}

func serveFS(t testing.TB, fsys fs.FS) (url string, faults *faulty.Faults) {
	faults = &faulty.Faults{}
	server := httptest.NewServer(faulty.New(fsys, static.Options{CORS: true, Dotfiles: true}, faults))
	t.Cleanup(server.Close)
	return server.URL, faults
}

// nowhere is the address of a server in memory.
const nowhere = "http://host.example"

// piped serves objects in memory, for a test in the time of synctest.
func piped(t testing.TB, objects map[string][]byte) (httpstore.Platform, *faulty.Faults) {
	m := fstest.MapFS{}
	for key, data := range objects {
		m[key] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	faults := &faulty.Faults{}
	return httpstore.Platform{Client: inmemory.Serve(t, faulty.New(m, static.Options{}, faults))}, faults
}

// open makes a store with short retry delays.
func open(t testing.TB, url string, opt httpstore.Options) opened {
	t.Helper()
	if opt.RetryDelay == 0 {
		opt.RetryDelay = time.Millisecond
	}
	s := must.Get(httpstore.New(url, opt))(t)
	httpstore.WithoutSuffix(s) // the longer way; extent_test.go has the other
	return opened{s}
}

func TestConformance(t *testing.T) {
	for name, test := range map[string]struct {
		path  string
		opt   httpstore.Options
		fault []faulty.Fault
	}{
		"Plain":         {},
		"SuffixRequest": {opt: httpstore.Options{UseSuffixRequest: true}},
		"OneByOne":      {opt: httpstore.Options{Concurrency: 1}},
		"Slash":         {path: "/"},
		"Query":         {path: "/?sig=a%2Fb&x=1"},
		"NoRanges":      {fault: []faulty.Fault{{IgnoreRange: true}}},
		"NoHead":        {fault: []faulty.Fault{{Method: "HEAD", Status: 405}}},
		"NoLength":      {fault: []faulty.Fault{{Chunked: true}}},
		"NoHeaders":     {fault: []faulty.Fault{{Header: map[string]string{"Content-Range": "", "Etag": "", "Content-Type": ""}}}},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
				url, faults := serve(t, objects)
				if test.fault != nil {
					faults.Set("*", test.fault...)
				}
				return open(t, url+test.path, test.opt)
			}})
		})
	}
}

// data is the object of these tests.
var data = storetest.Pattern(10_000)

// wantStatus checks for an *Error of that status about that key.
func wantStatus(t *testing.T, err error, key string, status int) *httpstore.Error {
	t.Helper()
	var e *httpstore.Error
	var k *store.KeyError
	if !errors.As(err, &e) || e.Status != status || !errors.As(err, &k) || k.Key != key || errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v (%T): want an *httpstore.Error about %q with status %d", err, err, key, status)
	}
	return e
}

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		status  int
		missing []int
		absent  bool
		tries   int
	}{
		{status: 404, absent: true, tries: 1},
		{status: 410, absent: true, tries: 1},
		{status: 403, tries: 1},
		{status: 403, missing: []int{403}, absent: true, tries: 1},
		{status: 404, missing: []int{403}, absent: true, tries: 1},
		{status: 401, missing: []int{403}, tries: 1},
		{status: 400, tries: 1},
		{status: 405, tries: 1},
		{status: 408, tries: 4},
		{status: 416, tries: 1},
		{status: 418, tries: 1},
		{status: 429, tries: 4},
		{status: 500, tries: 4},
		{status: 501, tries: 1},
		{status: 502, tries: 4},
		{status: 503, tries: 4},
		{status: 504, tries: 4},
		{status: 505, tries: 1},
		{status: 204, tries: 1},
		{status: 206, tries: 1},
		{status: 304, tries: 1},
	} {
		url, faults := serve(t, map[string][]byte{"a": data})
		faults.Set("a", faulty.Fault{Status: test.status})
		s := open(t, url, httpstore.Options{MissingStatus: test.missing})
		calls := map[string]func() ([]byte, error){
			"Get": func() ([]byte, error) { return s.Get(t.Context(), "a") },
			"GetRange": func() ([]byte, error) {
				return s.GetRange(t.Context(), "a", store.ByteRange{Offset: 5, Length: 7})
			},
		}
		for name, call := range calls {
			faults.Reset()
			faults.Set("a", faulty.Fault{Status: test.status})
			got, err := call()
			switch {
			case got != nil:
				t.Errorf("%s, status %d: bytes", name, test.status)
			case test.absent && !errors.Is(err, fs.ErrNotExist):
				t.Errorf("%s, status %d: %v", name, test.status, err)
			case !test.absent:
				e := wantStatus(t, err, "a", test.status)
				if e.MaybeMissing() != (test.status == 403) {
					t.Errorf("%s, status %d: MaybeMissing is %v", name, test.status, e.MaybeMissing())
				}
				if errors.Is(err, store.ErrRange) != (test.status == 416 || test.status == 206 && name == "GetRange") {
					t.Errorf("%s, status %d: %v", name, test.status, err)
				}
			}
			if n := len(faults.Requests()); n != test.tries {
				t.Errorf("%s, status %d: %d requests, want %d", name, test.status, n, test.tries)
			}
		}
	}
}

// A redirect without a target is not caused by the user's headers.
func TestRedirectToNowhere(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, opt := range map[string]httpstore.Options{
			"plain": {}, "headers": {Headers: map[string]string{"X-Key": "k"}}, "own": {Fetch: fetch}, "own, headers": {Fetch: fetch, Headers: map[string]string{"X-Key": "k"}},
		} {
			faults.Reset()
			faults.Set("a", faulty.Fault{Status: status})
			_, err := open(t, url, opt).Get(t.Context(), "a")
			if e := wantStatus(t, err, "a", status); strings.Contains(e.Hint, "the headers that were set") || !strings.Contains(e.Hint, "Location") {
				t.Errorf("%d, %s: %v", status, name, err)
			}
			want := 1
			if status == 301 || status == 308 {
				want = 2 // a browser may have cached it
			}
			if n := len(faults.Requests()); n != want {
				t.Errorf("%d, %s: %d requests", status, name, n)
			}
		}
	}
}

func TestRetrySucceeds(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	s := open(t, url, httpstore.Options{})
	for name, fault := range map[string]faulty.Fault{
		"status":           {Status: 503, Times: 2},
		"dropped":          {Drop: true, Times: 2},
		"cut":              {Cut: 100, Times: 3},
		"cut without head": {Cut: 1, Chunked: true, Times: 3},
	} {
		faults.Reset()
		faults.Set("a", fault)
		if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if n := len(faults.Requests()); n != fault.Times+1 {
			t.Errorf("%s: %d requests, want %d", name, n, fault.Times+1)
		}
	}
}

func TestRetriesEnd(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	for _, test := range []struct{ retries, tries int }{{0, 4}, {1, 2}, {-1, 1}} {
		s := open(t, url, httpstore.Options{Retries: test.retries})
		for _, fault := range []faulty.Fault{{Drop: true}, {Cut: 10}} {
			faults.Reset()
			faults.Set("a", fault)
			_, err := s.Get(t.Context(), "a")
			var e *httpstore.Error
			if !errors.As(err, &e) || e.Err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%+v: %v", fault, err)
			}
			// net/http itself resends a request when a kept connection turns out to be closed.
			if n := len(faults.Requests()); n < test.tries || !fault.Drop && n != test.tries {
				t.Errorf("%+v: %d requests, want %d", fault, n, test.tries)
			}
		}
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	s := open(t, "http://"+l.Addr().String()+"/data?secret=1", httpstore.Options{})
	_, err = s.Get(t.Context(), "a")
	wantStatus(t, err, "a", 0)
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the query is in the message: %v", err)
	}
	_, err = s.GetRange(t.Context(), "a", store.ByteRange{Length: 5, Suffix: true})
	wantStatus(t, err, "a", 0)
}

func TestRetryAfter(t *testing.T) { synctest.Test(t, retriesAfter) }

func retriesAfter(t *testing.T) {
	platform, faults := piped(t, map[string][]byte{"a": data})
	s := open(t, nowhere, httpstore.Options{Platform: platform})

	faults.Set("a", faulty.Fault{Status: 429, Times: 1, Header: map[string]string{"Retry-After": "1"}})
	began := time.Now()
	if _, err := s.Get(t.Context(), "a"); err != nil || time.Since(began) < time.Second || time.Since(began) > 2*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}

	faults.Reset()
	faults.Set("a", faulty.Fault{Status: 503, Header: map[string]string{"Retry-After": "3600"}})
	began = time.Now()
	_, err := s.Get(t.Context(), "a")
	e := wantStatus(t, err, "a", 503)
	if time.Since(began) > 0 || len(faults.Requests()) != 1 || !strings.Contains(e.Hint, "3600") {
		t.Errorf("after %v and %d requests: %v", time.Since(began), len(faults.Requests()), err)
	}

	// A pause ends with the context.
	faults.Set("a", faulty.Fault{Status: 503, Header: map[string]string{"Retry-After": "20"}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began = time.Now()
	if _, err := s.Get(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 50*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

func TestHang(t *testing.T) { synctest.Test(t, hangs) }

func hangs(t *testing.T) {
	platform, faults := piped(t, map[string][]byte{"a": data, "b": data})
	for _, fault := range []faulty.Fault{{Hang: true}, {HangBody: true}} {
		s := open(t, nowhere, httpstore.Options{Concurrency: 1, Platform: platform})
		faults.Set("a", fault)
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := s.Get(ctx, "a")
			first <- err
		}()
		synctest.Wait()
		// A request that waits for its turn can give up, too.
		waiting, giveUp := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := s.Get(waiting, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v: while waiting: %v", fault, err)
		}
		giveUp()
		began := time.Now()
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) || time.Since(began) > 0 {
			t.Errorf("%+v: %v, %v after its context ended", fault, err, time.Since(began))
		}
		if got, err := s.Get(t.Context(), "b"); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%+v: the next: %v", fault, err)
		}
	}
}

// underway counts simultaneous requests at the client. The server sees a request end some time
// later.
type underway struct {
	over      http.RoundTripper // nil for the network
	mu        sync.Mutex
	now, most int
}

// peak returns the largest number of simultaneous requests. The body of an answer may be closed
// after its use.
func (u *underway) peak() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.most
}

func (u *underway) add(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.now += n
	u.most = max(u.most, u.now)
}

func (u *underway) RoundTrip(r *http.Request) (*http.Response, error) {
	u.add(1)
	over := u.over
	if over == nil {
		over = http.DefaultTransport
	}
	res, err := over.RoundTrip(r)
	if err != nil {
		u.add(-1)
		return nil, err
	}
	res.Body = &ended{ReadCloser: res.Body, end: sync.OnceFunc(func() { u.add(-1) })}
	return res, nil
}

func (u *underway) platform() httpstore.Platform {
	return httpstore.Platform{Client: &http.Client{Transport: u}}
}

// ended is a body that reports when it was read or closed.
type ended struct {
	io.ReadCloser
	end func()
}

func (e *ended) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	if err != nil {
		e.end()
	}
	return n, err
}

func (e *ended) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}

func TestConcurrency(t *testing.T) {
	url, _ := serve(t, map[string][]byte{"a": data})
	var count underway
	s := open(t, url, httpstore.Options{Concurrency: 3, Platform: count.platform()})
	var wait sync.WaitGroup
	for range 40 {
		wait.Go(func() {
			if _, err := s.Get(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := count.peak(); n > 3 {
		t.Errorf("%d requests at once, want at most 3", n)
	}
}

func TestManySmallAnswersAreAskedForAtOnce(t *testing.T) {
	for _, c := range []struct {
		size, least, most int
	}{{1000, 40, 64}, {100_000, 1, 16}} {
		synctest.Test(t, func(t *testing.T) {
			files := fstest.MapFS{"a": &fstest.MapFile{Data: storetest.Pattern(c.size), Mode: 0o644}}
			line := faulty.Line{Latency: 100 * time.Millisecond}
			client := inmemory.Serve(t, line.Over(static.New(files, static.Options{})))
			count := underway{over: client.Transport}
			s := open(t, nowhere, httpstore.Options{Platform: count.platform()})
			var wait sync.WaitGroup
			for range 300 {
				wait.Go(func() {
					if b, err := s.Get(t.Context(), "a"); err != nil || len(b) != c.size {
						t.Error(len(b), err)
					}
				})
			}
			wait.Wait()
			if n := count.peak(); n < c.least || n > c.most {
				t.Errorf("answers of %d bytes: %d requests at once, want %d to %d", c.size, n, c.least, c.most)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"d e/x+y": data, "empty": {}})
	s := open(t, url+"/d%20e//?sig=a%2Bb&c", httpstore.Options{Headers: map[string]string{"X-Key": "k", "Authorization": "Bearer t"}})
	check := func(key string, call func() error, want ...string) {
		t.Helper()
		faults.Reset()
		faults.Set("*", faulty.Fault{Status: 200, Body: string(data)}) // for any range
		must.Do(t, call())
		var got []string
		for _, r := range faults.Requests() {
			got = append(got, strings.TrimSpace(r.Method+" "+r.Path+"?"+r.Query+" "+r.Header["Range"]))
			if r.Header["X-Key"] != "k" || r.Header["Authorization"] != "Bearer t" {
				t.Errorf("headers %v", r.Header)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: requests\n%s\nwant\n%s", key, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check("get", func() error {
		_, err := s.Get(t.Context(), "x+y/é")
		return err
	}, "GET /d%20e//x%2By/%C3%A9?sig=a%2Bb&c")

	s = open(t, url+"/d e", httpstore.Options{Headers: map[string]string{"X-Key": "k", "Authorization": "Bearer t"}})
	ask := func(r store.ByteRange) func() error {
		return func() error {
			faults.Reset()
			_, err := s.GetRange(t.Context(), "x+y", r)
			return err
		}
	}
	check("range", ask(store.ByteRange{Offset: 10, Length: 5}), "GET /d%20e/x%2By? bytes=10-14")
	check("suffix", ask(store.ByteRange{Length: 5, Suffix: true}), "HEAD /d%20e/x%2By? bytes=0-", "GET /d%20e/x%2By? bytes=9995-9999")
	check("nothing", ask(store.ByteRange{Offset: 3}), "HEAD /d%20e/x%2By? bytes=0-")
	check("size", func() error {
		faults.Reset()
		n, err := s.Size(t.Context(), "x+y")
		if n != int64(len(data)) {
			t.Errorf("size %d", n)
		}
		return err
	}, "HEAD /d%20e/x%2By? bytes=0-")
	s = open(t, url+"/d e", httpstore.Options{Headers: map[string]string{"X-Key": "k", "Authorization": "Bearer t"}, UseSuffixRequest: true})
	check("suffix at once", ask(store.ByteRange{Length: 5, Suffix: true}), "GET /d%20e/x%2By? bytes=-5")
}

// rangeFaults are wrong answers to a range request.
func TestRangeFaults(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	ask := store.ByteRange{Offset: 100, Length: 50}
	for name, test := range map[string]struct {
		fault  faulty.Fault
		r      store.ByteRange
		ok     bool
		status int
		beyond bool // matches store.ErrRange
	}{
		"right":                        {r: ask, ok: true},
		"whole object":                 {fault: faulty.Fault{IgnoreRange: true}, r: ask, ok: true},
		"whole object, beyond its end": {fault: faulty.Fault{IgnoreRange: true}, r: store.ByteRange{Offset: 9_999, Length: 2}, beyond: true},
		"whole object, suffix":         {fault: faulty.Fault{IgnoreRange: true}, r: store.ByteRange{Length: 20, Suffix: true}, ok: true},
		"whole object, compressed":     {fault: faulty.Fault{IgnoreRange: true, Gzip: true}, r: ask, ok: true},
		"one byte too many":            {fault: faulty.Fault{Resize: 1}, r: ask, status: 206},
		"one byte too few":             {fault: faulty.Fault{Resize: -1}, r: ask, status: 206},
		"too few, for no known reason": {fault: faulty.Fault{Resize: -1, Header: map[string]string{"Content-Range": ""}}, r: ask, status: 206, beyond: true},
		"too many, unannounced":        {fault: faulty.Fault{Resize: 9, Chunked: true}, r: ask, status: 206},
		"another range":                {fault: faulty.Fault{Header: map[string]string{"Content-Range": "bytes 101-150/10000"}}, r: ask, status: 206},
		"longer range":                 {fault: faulty.Fault{Header: map[string]string{"Content-Range": "bytes 100-150/10000"}}, r: ask, status: 206},
		"range of a smaller object":    {fault: faulty.Fault{Header: map[string]string{"Content-Range": "bytes 100-119/120"}}, r: ask, beyond: true},
		"no Content-Range":             {fault: faulty.Fault{Header: map[string]string{"Content-Range": ""}}, r: ask, ok: true},
		"several ranges":               {fault: faulty.Fault{Header: map[string]string{"Content-Type": "multipart/byteranges; boundary=x"}}, r: ask, status: 206},
		"encoded":                      {fault: faulty.Fault{Header: map[string]string{"Content-Encoding": "gzip"}}, r: ask, status: 206},
		"page":                         {fault: faulty.Fault{HTML: true}, r: ask, status: 200},
		"page of the right length":     {fault: faulty.Fault{Body: strings.Repeat("<p>x", 12) + "ab", Header: map[string]string{"Content-Type": "text/html"}}, r: ask, status: 206},
		"page, suffix":                 {fault: faulty.Fault{HTML: true}, r: store.ByteRange{Length: 20, Suffix: true}, status: 200},
		"data that is said to be HTML": {fault: faulty.Fault{Header: map[string]string{"Content-Type": "text/html"}}, r: ask, ok: true},
		"beyond":                       {r: store.ByteRange{Offset: 10_000, Length: 1}, status: 416, beyond: true},
		"suffix of another object":     {fault: faulty.Fault{Method: "GET", Change: true, Header: map[string]string{"Content-Range": "bytes 0-49/50"}}, r: store.ByteRange{Length: 50, Suffix: true}, status: 206},
		"size said wrongly, for all":   {fault: faulty.Fault{Method: "HEAD", Body: "short", Header: map[string]string{"Content-Range": ""}}, r: store.ByteRange{Length: 5, Suffix: true}, status: 206},
		"size said wrongly":            {fault: faulty.Fault{Method: "HEAD", Body: "short"}, r: store.ByteRange{Length: 5, Suffix: true}, ok: true},
	} {
		t.Run(name, func(t *testing.T) {
			faults.Reset()
			faults.Set("a", test.fault)
			s := open(t, url, httpstore.Options{})
			got, err := s.GetRange(t.Context(), "a", test.r)
			if test.ok {
				from, to, _ := test.r.Resolve(int64(len(data)))
				if err != nil || !bytes.Equal(got, data[from:to]) {
					t.Fatalf("%d bytes, %v", len(got), err)
				}
				return
			}
			if got != nil || err == nil {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if errors.Is(err, store.ErrRange) != test.beyond {
				t.Errorf("%v: want a match of store.ErrRange: %v", err, test.beyond)
			}
			if test.status != 0 {
				wantStatus(t, err, "a", test.status)
			}
		})
	}
}

// An unreadable Content-Range is a reason to reject the bytes.
func TestGarbledContentRange(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	for _, value := range httpstore.GarbledContentRanges {
		for name, opt := range map[string]httpstore.Options{"net/http": {}, "own": {Fetch: fetch}, "suffix": {UseSuffixRequest: true}} {
			for _, r := range []store.ByteRange{{Offset: 100, Length: 50}, {Length: 50, Suffix: true}, {}} {
				faults.Reset()
				faults.Set("a", faulty.Fault{Header: map[string]string{"Content-Range": value}})
				got, err := open(t, url, opt).GetRange(t.Context(), "a", r)
				if got != nil || err == nil {
					t.Fatalf("%s, %q, %v: %d bytes, %v", name, value, r, len(got), err)
				}
				if e := wantStatus(t, err, "a", 206); !strings.Contains(e.Error(), "Content-Range") {
					t.Errorf("%s, %q: %v", name, value, err)
				}
			}
			// The hint of a browser gives the same error.
			part, err := open(t, url, opt).Read(t.Context(), "a", store.Ask{Range: &store.ByteRange{Length: 50, Suffix: true}, Hint: store.Hint{Enough: 100, From: 9_000}})
			if part.Bytes != nil || err == nil {
				t.Fatalf("%s, %q: %d bytes, %v", name, value, len(part.Bytes), err)
			}
		}
	}
	faults.Reset()
	for _, value := range []string{"Bytes 100-149/10000", "bytes 100-149/*", "bytes 0100-0149/010000"} {
		faults.Set("a", faulty.Fault{Header: map[string]string{"Content-Range": value}})
		if got, err := open(t, url, httpstore.Options{}).GetRange(t.Context(), "a", store.ByteRange{Offset: 100, Length: 50}); err != nil || !bytes.Equal(got, data[100:150]) {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestChanged(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "a"), data, 0o644))
	url, faults := serveFS(t, os.DirFS(dir))
	s := open(t, url, httpstore.Options{})
	// After one change, the second read succeeds.
	faults.Set("a", faulty.Fault{Method: "GET", Change: true, Times: 1})
	if got, err := s.GetRange(t.Context(), "a", store.ByteRange{Length: 9, Suffix: true}); err != nil || !bytes.Equal(got, data[9991:]) {
		t.Errorf("% x, %v", got, err)
	}
	if n := len(faults.Requests()); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
	// The same holds for a shorter object without headers that show it.
	faults.Reset()
	faults.Set("a", faulty.Fault{Method: "GET", Resize: -4, Header: map[string]string{"Content-Range": "", "ETag": "", "Last-Modified": ""}, Times: 1})
	if got, err := s.GetRange(t.Context(), "a", store.ByteRange{Length: 9, Suffix: true}); err != nil || !bytes.Equal(got, data[9991:]) {
		t.Errorf("% x, %v", got, err)
	}
	// Repeated changes are an error.
	faults.Set("a", faulty.Fault{Method: "GET", Change: true})
	if got, err := s.GetRange(t.Context(), "a", store.ByteRange{Length: 9, Suffix: true}); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("% x, %v", got, err)
	}
}

func TestWholeFaults(t *testing.T) {
	for name, test := range map[string]struct {
		key    string
		body   []byte
		fault  faulty.Fault
		opt    httpstore.Options
		ok     bool
		status int
		html   bool
	}{
		"compressed on the way":             {fault: faulty.Fault{Gzip: true}, ok: true},
		"compressed, asked for by the user": {fault: faulty.Fault{Gzip: true}, opt: httpstore.Options{Headers: map[string]string{"Accept-Encoding": "gzip"}}, ok: true},
		"an unknown encoding":               {fault: faulty.Fault{Header: map[string]string{"Content-Encoding": "br"}}, status: 200},
		"identity":                          {fault: faulty.Fault{Header: map[string]string{"Content-Encoding": "identity"}}, ok: true},
		"not gzip":                          {fault: faulty.Fault{Header: map[string]string{"Content-Encoding": "gzip"}}, opt: httpstore.Options{Headers: map[string]string{"Accept-Encoding": "gzip"}}, status: 200},
		"page":                              {fault: faulty.Fault{HTML: true}, status: 200, html: true},
		"page for metadata":                 {key: "zarr.json", fault: faulty.Fault{HTML: true}, status: 200, html: true},
		"page that is one":                  {key: "index.html", body: []byte("<!doctype html>"), ok: true},
		"JSON said to be HTML":              {key: "zarr.json", body: []byte(" {}"), fault: faulty.Fault{Header: map[string]string{"Content-Type": "text/html"}}, ok: true},
		"page with a mark before it":        {body: []byte("\ufeff\r\n <HTML>"), fault: faulty.Fault{Header: map[string]string{"Content-Type": "Text/HTML; charset=x"}}, status: 200, html: true},
		"empty and said to be HTML":         {body: []byte{}, fault: faulty.Fault{Header: map[string]string{"Content-Type": "text/html"}}, ok: true},
		"data that begins like a page":      {body: []byte("<<<<"), ok: true},
	} {
		t.Run(name, func(t *testing.T) {
			key, body := test.key, test.body
			if key == "" {
				key = "a"
			}
			if body == nil {
				body = data
			}
			url, faults := serve(t, map[string][]byte{"x/" + key: body})
			faults.Set("x/"+key, test.fault)
			got, err := open(t, url+"/x", test.opt).Get(t.Context(), key)
			if test.ok {
				if err != nil || !bytes.Equal(got, body) {
					t.Fatalf("%d bytes, %v", len(got), err)
				}
				return
			}
			e := wantStatus(t, err, key, test.status)
			if got != nil || errors.Is(err, httpstore.ErrHTML) != test.html || e.MaybeMissing() != test.html {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

func TestMaxBytes(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	ranged := func(s opened) ([]byte, error) {
		return s.GetRange(t.Context(), "a", store.ByteRange{Offset: 10, Length: 20})
	}
	whole := func(s opened) ([]byte, error) { return s.Get(t.Context(), "a") }
	for name, test := range map[string]struct {
		fault faulty.Fault
		max   int64
		call  func(opened) ([]byte, error)
		ok    bool
	}{
		"exactly":                   {max: 10_000, call: whole, ok: true},
		"exactly, no length":        {max: 10_000, call: whole, fault: faulty.Fault{Chunked: true}, ok: true},
		"too large":                 {max: 9_999, call: whole},
		"too large, no length":      {max: 9_999, call: whole, fault: faulty.Fault{Chunked: true}},
		"too large, compressed":     {max: 9_999, call: whole, fault: faulty.Fault{Gzip: true}},
		"range":                     {max: 20, call: ranged, ok: true},
		"range too large":           {max: 19, call: ranged},
		"range, whole object":       {max: 10_000, call: ranged, fault: faulty.Fault{IgnoreRange: true}, ok: true},
		"range, whole is too large": {max: 9_999, call: ranged, fault: faulty.Fault{IgnoreRange: true}},
	} {
		faults.Reset()
		faults.Set("a", test.fault)
		got, err := test.call(open(t, url, httpstore.Options{MaxBytes: test.max}))
		var limit *codec.LimitError
		if test.ok && err != nil || !test.ok && (!errors.As(err, &limit) || limit.Max != test.max || limit.Asked <= limit.Max || got != nil) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if n := len(faults.Requests()); n > 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

// TestPromises checks that an announced gigabyte allocates no gigabyte.
func TestPromises(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000000")
		_, _ = w.Write([]byte("that is all"))
	}))
	defer server.Close()
	s := open(t, server.URL, httpstore.Options{Retries: -1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := s.Get(t.Context(), "a"); err == nil {
		t.Error("no error")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	var seen []http.Header
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Clone())
		mu.Unlock()
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer elsewhere.Close()
	url, faults := serve(t, map[string][]byte{"a": data, "b": data})
	s := open(t, url+"?signature=s", httpstore.Options{Headers: map[string]string{"X-Key": "k", "Authorization": "t", "Cookie": "c=1"}})
	redirect := func(to string) {
		mu.Lock()
		seen = nil
		mu.Unlock()
		faults.Reset()
		faults.Set("a", faulty.Fault{Status: 302, Header: map[string]string{"Location": to}})
	}
	clean := func(h http.Header) {
		t.Helper()
		for _, name := range []string{"X-Key", "Authorization", "Cookie", "Referer"} {
			if h.Get(name) != "" {
				t.Errorf("%s: %s went along", name, h.Get(name))
			}
		}
	}

	redirect(elsewhere.URL + "/x")
	got, err := s.GetRange(t.Context(), "a", store.ByteRange{Offset: 7, Length: 9})
	if err != nil || !bytes.Equal(got, data[7:16]) || len(seen) != 1 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	clean(seen[0])
	if seen[0].Get("Range") != "bytes=7-15" {
		t.Errorf("the range stayed behind: %v", seen[0])
	}

	// After a redirect to another origin and back, the headers are not sent again.
	redirect(elsewhere.URL + "/x?back=" + url + "/b")
	if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	clean(seen[0])
	requests := faults.Requests()
	last := http.Header{}
	for name, value := range requests[len(requests)-1].Header {
		last.Set(name, value)
	}
	clean(last)

	// Redirects within the origin keep the headers.
	redirect("/b")
	must.Get(s.Get(t.Context(), "a"))(t)
	requests = faults.Requests()
	if h := requests[len(requests)-1].Header; h["X-Key"] != "k" || h["Authorization"] != "t" {
		t.Errorf("headers lost: %v", h)
	}

	redirect("/a")
	if _, err := s.Get(t.Context(), "a"); err == nil {
		t.Error("a redirect in a circle has an end")
	}
}

func TestOwnClient(t *testing.T) {
	url, _ := serve(t, map[string][]byte{"a": data})
	used := 0
	client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		used++
		return http.DefaultTransport.RoundTrip(r)
	})}
	s := open(t, url, httpstore.Options{Platform: httpstore.Platform{Client: client}})
	if _, err := s.Get(t.Context(), "a"); err != nil || used != 1 || client.CheckRedirect != nil {
		t.Errorf("used %d times, %v", used, err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNewRefuses(t *testing.T) {
	for url, want := range map[string]string{
		"":                          "absolute",
		"data/x.zarr":               "absolute",
		"/data":                     "absolute",
		"//host/data":               "absolute",
		"file:///data":              `"file": expected http or https; only Node can open files`,
		"blob:https://h/123":        `"blob"`,
		"data:text/plain,hello":     `"data"`,
		"s3://bucket/x":             `"s3"`,
		"https:/host":               "host",
		"https://":                  "host",
		"https://?x":                "host",
		"https://:80/":              "host",
		"https://u:pw@host/":        "Authorization",
		"https://ho st/":            "host",
		"https://host\\evil.test/x": "host",
		"https://host/a\nb":         "control",
	} {
		_, err := httpstore.New(url, httpstore.Options{})
		var e *httpstore.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
			t.Errorf("New(%q): %v; want %q in it", url, err, want)
		}
	}
	for name, opt := range map[string]httpstore.Options{
		"credentials": {Credentials: "always"},
		"status -1":   {MissingStatus: []int{-1}},
		"status 200":  {MissingStatus: []int{200}},
		"range":       {Headers: map[string]string{"range": "bytes=0-1"}},
		"cache":       {Cache: "always"},
		"name":        {Headers: map[string]string{"a b": "x"}},
		"no name":     {Headers: map[string]string{"": "x"}},
		"value":       {Headers: map[string]string{"a": "x\r\nb: y"}},
	} {
		if _, err := httpstore.New("https://host/", opt); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
