//go:build !js

package httpstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/buckets"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// below puts objects under a prefix.
func below(prefix string, objects map[string][]byte) map[string][]byte {
	m := map[string][]byte{}
	for key, data := range objects {
		m[prefix+key] = data
	}
	return m
}

func start(t testing.TB, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// client connects to the server at a URL, whatever the host.
func client(url string) httpstore.Platform {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(url, "http://"))
	}
	return httpstore.Platform{Client: &http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// TestListConformance lists like the large object stores, whose kind shows in the host name or by
// trying. It also lists the folders of a server without buckets.
func TestListConformance(t *testing.T) {
	for name, c := range map[string]struct {
		server *buckets.Server
		host   string // "" for the server's own
		path   string
	}{
		"path":      {&buckets.Server{Bucket: "b"}, "", "/b/some%20dir/x.zarr/"},
		"root":      {&buckets.Server{Bucket: "b"}, "", "/b"},
		"host":      {&buckets.Server{}, "", "/x.zarr"},
		"paged":     {&buckets.Server{Bucket: "b", PageSize: 2}, "", "/b/x.zarr"},
		"markers":   {&buckets.Server{Bucket: "b", PageSize: 2, Marker: true}, "", "/b/x.zarr"},
		"query":     {&buckets.Server{Bucket: "b", PageSize: 2}, "", "/b/x.zarr?token=a%2Fb"},
		"s3":        {&buckets.Server{Bucket: "b"}, "s3.eu-central-1.amazonaws.com", "/b/x.zarr"},
		"s3 host":   {&buckets.Server{}, "my.bucket.s3.eu-central-1.amazonaws.com", "/x.zarr"},
		"gcs":       {&buckets.Server{Bucket: "b"}, "storage.googleapis.com", "/b/x.zarr"},
		"gcs host":  {&buckets.Server{}, "b.storage.googleapis.com", "/x.zarr"},
		"azure":     {&buckets.Server{Bucket: "b", Azure: true}, "account.blob.core.windows.net", "/b/x.zarr"},
		"azure two": {&buckets.Server{Bucket: "b", Azure: true, PageSize: 2}, "account.blob.core.windows.net", "/b/x.zarr"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, storetest.Harness{Lists: true, New: func(t testing.TB, objects map[string][]byte) store.Locator {
				path, _, _ := strings.Cut(strings.Trim(c.path, "/"), "?")
				prefix := strings.ReplaceAll(path, "%20", " ")
				prefix = strings.TrimPrefix(strings.TrimPrefix(prefix, c.server.Bucket), "/")
				if prefix != "" {
					prefix += "/"
				}
				server := &buckets.Server{Bucket: c.server.Bucket, PageSize: c.server.PageSize, Azure: c.server.Azure, Marker: c.server.Marker,
					Objects: below(prefix, objects)}
				url := start(t, server)
				opt := httpstore.Options{Platform: client(url)}
				if c.host != "" {
					url = "http://" + c.host
				}
				return open(t, url+c.path, opt)
			}})
		})
	}
}

// TestListOfFolders lists the folders of the static server.
func TestListOfFolders(t *testing.T) {
	m := fstest.MapFS{}
	for _, key := range []string{".zattrs", "zarr.json", "a/0.0", "b c/#d/0", "b c/é?", "b c/50%", "b c/50%25"} {
		m["x y.zarr/"+key] = &fstest.MapFile{Data: []byte("{}"), Mode: 0o644}
	}
	s := open(t, start(t, static.New(m, static.Options{List: true}))+"/x%20y.zarr", httpstore.Options{})
	for prefix, want := range map[string][]string{
		"": {".zattrs", "a/", "b c/", "zarr.json"}, "a": {"0.0"}, "b c": {"#d/", "50%", "50%25", "é?"}, "b c/#d": {"0"},
	} {
		if got, err := s.List(t.Context(), prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
	if got, err := s.List(t.Context(), "nothing"); err != nil || len(got) != 0 {
		t.Errorf("of what is not there: %q, %v", got, err)
	}
}

// TestListOfPython lists the folders of Python's server.
func TestListOfPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3; an answer of its server is among the recorded ones of store/httpstore/internal/listing")
	}
	dir := t.TempDir()
	var want []string
	for _, name := range []string{"c/", "sub dir/", ".zattrs", ".zgroup", "a b", "été/", "per%cent", "perc%20ent", "amp&ersand", "plus+", "hash#/", "q?", "日本語/"} {
		want = append(want, name)
		err := error(nil)
		if strings.HasSuffix(name, "/") {
			err = os.Mkdir(filepath.Join(dir, name), 0o755)
		} else {
			err = os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	server := exec.Command(python, "-m", "http.server", "--bind", "127.0.0.1", port, "--directory", dir)
	must.Do(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	s := open(t, "http://127.0.0.1:"+port, httpstore.Options{Retries: 20, RetryDelay: 50 * time.Millisecond})
	for range 2 {
		if got, err := s.List(t.Context(), ""); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if got, err := s.List(t.Context(), "sub dir"); err != nil || len(got) != 0 {
		t.Errorf("of an empty folder: %q, %v", got, err)
	}
}

// counted counts the requests to a handler.
type counted struct {
	http.Handler
	n atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.n.Add(1)
	c.Handler.ServeHTTP(w, r)
}

func answer(status int, kind, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

// TestListIsUnknown lists on servers that cannot. The result is an error, not an empty list, and is
// cached.
func TestListIsUnknown(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"absent":            answer(404, "text/plain", "no"),
		"forbidden":         answer(403, "application/xml", "<Error><Code>AccessDenied</Code></Error>"),
		"unauthorized":      answer(401, "text/plain", ""),
		"not implemented":   answer(501, "text/plain", ""),
		"refused as 200":    answer(200, "application/xml", "<Error><Code>AccessDenied</Code></Error>"),
		"an application":    answer(200, "text/html", `<html><script src="/app.js"></script><a href="/about/">About</a></html>`),
		"text":              answer(200, "text/plain", "hello"),
		"nothing":           answer(200, "text/plain", ""),
		"JSON":              answer(200, "application/json", `{"zarr_format":3}`),
		"another place":     answer(200, "application/xml", "<ListBucketResult><Prefix>elsewhere/</Prefix><Contents><Key>a</Key></Contents></ListBucketResult>"),
		"XML of buckets":    answer(200, "application/xml", "<ListAllMyBucketsResult><Buckets><Bucket><Name>a</Name></Bucket></Buckets></ListAllMyBucketsResult>"),
		"XML that is short": answer(200, "application/xml", "<ListBucketResult><Prefix>b/x.zarr/</Prefix>"),
		"links elsewhere":   answer(200, "text/html", `<a href="../"><a href="http://127.0.0.1:1/b/x.zarr/y/"><a href="/b/y/"><a href="..%2f">`),
	} {
		t.Run(name, func(t *testing.T) {
			c := &counted{Handler: h}
			s := open(t, start(t, c)+"/b/x.zarr", httpstore.Options{})
			for range 2 {
				names, err := s.List(t.Context(), "")
				var k *store.KeyError
				if names != nil || !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) || !errors.As(err, &k) || k.Op != "list" {
					t.Errorf("%q, %v; want an error that matches errors.ErrUnsupported", names, err)
				}
			}
			if n := c.n.Load(); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
		})
	}
}

// TestListFails checks failures that do not mean that a server cannot list. Lists that worked
// before work again afterwards.
func TestListFails(t *testing.T) {
	server := &buckets.Server{Bucket: "b", Objects: below("x/", map[string][]byte{"zarr.json": {1}, "a/zarr.json": {2}})}
	var down atomic.Int64
	url := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() > 0 {
			w.WriteHeader(int(down.Load()))
			return
		}
		server.ServeHTTP(w, r)
	}))
	s := open(t, url+"/b/x", httpstore.Options{Retries: 1})
	for _, status := range []int64{500, 503, 429} {
		down.Store(status)
		_, err := s.List(t.Context(), "")
		var failed *httpstore.Error
		if !errors.As(err, &failed) || failed.Status != int(status) || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v, want an *Error of status %d", err, status)
		}
		down.Store(0)
		if got, err := s.List(t.Context(), ""); err != nil || !slices.Equal(got, []string{"a/", "zarr.json"}) {
			t.Errorf("afterwards: %q, %v", got, err)
		}
	}
	server.Refuse = 403
	if _, err := s.List(t.Context(), ""); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("refused later: %v", err)
	}
}

// TestListOnce explores once how a server lists, for all concurrent lists. Reads of objects send no
// such requests.
func TestListOnce(t *testing.T) {
	server := &buckets.Server{Bucket: "b", Objects: below("x/", map[string][]byte{"zarr.json": {1}, "a/zarr.json": {2}})}
	s := open(t, start(t, server)+"/b/x", httpstore.Options{})
	if _, err := store.Get(t.Context(), s, "zarr.json"); err != nil || len(server.Asked()) != 1 {
		t.Errorf("%v, %q", err, server.Asked())
	}
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 3 {
				cancel()
			}
			prefix := []string{"", "a"}[i%2]
			got, err := s.List(ctx, prefix)
			switch {
			case i%4 == 3:
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			case err != nil || len(got) == 0:
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wait.Wait()
	tried := 0
	for _, request := range server.Asked() {
		if strings.HasSuffix(request, "/b/x/") || strings.HasSuffix(request, "/b/x/a/") {
			tried++
		}
	}
	if n := len(server.Asked()); tried != 1 || n != 1+24+1 {
		t.Errorf("%d requests, of which %d asked for a folder: %q", n, tried, server.Asked())
	}
}

// TestHostileLists checks servers whose lists are endless, false or too large.
func TestHostileLists(t *testing.T) {
	page := func(next int, names string) string {
		return fmt.Sprintf("<ListBucketResult><Prefix>x/</Prefix><IsTruncated>true</IsTruncated>%s<NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", names, next)
	}
	pages := 0
	for name, c := range map[string]struct {
		body  func() string
		limit bool
	}{
		"the same page again": {body: func() string { return page(1, "<Contents><Key>x/a</Key></Contents>") }},
		"endless pages": {body: func() string {
			pages++
			return page(pages, "")
		}},
		"endless pages of one name": {limit: true, body: func() string {
			pages++
			return page(pages, "<Contents><Key>elsewhere</Key></Contents>")
		}},
		"endless names": {limit: true, body: func() string {
			pages++
			return page(pages, strings.Repeat("<Contents><Key>x/a</Key></Contents><Contents><Key>x/b</Key></Contents>", 100_000))
		}},
		"a large page": {limit: true, body: func() string { return strings.Repeat("<a href=x>", 65<<20/10) }},
	} {
		url := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" && name != "a large page" {
				w.WriteHeader(404)
				return
			}
			_, _ = w.Write([]byte(c.body()))
		}))
		s := open(t, url+"/b/x", httpstore.Options{})
		begun := spent.Start()
		names, err := s.List(t.Context(), "")
		var limit *limits.Error
		if names != nil || err == nil || errors.Is(err, errors.ErrUnsupported) || c.limit != errors.As(err, &limit) {
			t.Errorf("%s: %d names, %v", name, len(names), err)
		}
		if took := begun.Took(); took > spent.Most {
			t.Errorf("%s: took %v", name, took)
		}
	}
}
