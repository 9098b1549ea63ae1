package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// bucket is a server of objects for clients that send its secret. It may still answer a client that
// gave up, so written and changing do not change while the server runs.
type bucket struct {
	objects *memstore.Store
	written func(key string)
	// changing, if set, is called for each object that is written or deleted, with the function
	// that does it.
	changing func(change func())
}

const secret = "Bearer a, b"

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, "/")
	if r.Header.Get("Authorization") != secret {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch r.Method {
	case http.MethodPut:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		b.change(func() { _ = b.objects.Set(context.Background(), key, body) })
		if b.written != nil {
			b.written(key)
		}
	case http.MethodDelete:
		b.change(func() { _ = b.objects.Delete(context.Background(), key) })
	default:
		e, err := b.objects.Read(r.Context(), key, store.Ask{})
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(e.Bytes)
	}
}

func (b *bucket) change(change func()) {
	if b.changing == nil {
		change()
		return
	}
	b.changing(change)
}

func bucketURL(t *testing.T, b *bucket) string {
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return server.URL
}

// alike compares the arrays of the climate fixture with those at another address.
func alike(t *testing.T, climate, to string, args ...string) {
	t.Helper()
	for _, name := range []string{"crs", "land", "lat", "lon", "rain", "station", "t2m", "time"} {
		if want, got := output(t, "cat", climate, name), output(t, append([]string{"cat", to, name}, args...)...); got != want {
			t.Errorf("%s has other elements", name)
		}
	}
}

func TestCopyToAnArchive(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	dir := t.TempDir()
	to := filepath.Join(dir, "a.zip")
	if out := output(t, "copy", climate, to, "--json"); !strings.Contains(out, `"copied": 9`) {
		t.Error(out)
	}
	alike(t, climate, to)
	r := must.Get(zip.OpenReader(to))(t)
	for _, f := range r.File {
		member, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, member) // its checksum
		}
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	_ = r.Close()
	whole, _ := os.ReadFile(to)
	for _, what := range []string{"raise", "skip"} {
		if r := zarrs(t, "copy", climate, to, "--if-exists", what); r.status != failed || !strings.Contains(r.errs, "updated in place") {
			t.Errorf("%s: %d, %s", what, r.status, r.errs)
		}
	}
	// A failed copy leaves the existing archive unchanged.
	if r := zarrs(t, "copy", climate, to, "--if-exists", "replace", "--codecs", `["nonsense"]`); r.status != failed {
		t.Errorf("%d, %s", r.status, r.errs)
	}
	if now, err := os.ReadFile(to); err != nil || !bytes.Equal(now, whole) {
		t.Errorf("an archive that could not be made took the place of another: %v", err)
	}
	// An archive is copied over itself.
	output(t, "copy", to, to, "--if-exists", "replace", "--format", "2", "--codecs", "[]")
	alike(t, climate, to)
	if out := output(t, "info", to); !strings.Contains(out, ": 2\n") {
		t.Error(out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v are there", left, err)
	}
}

func TestCopyByHTTP(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	b := &bucket{objects: memstore.New(nil)}
	url := bucketURL(t, b)
	header := "Authorization: " + secret
	output(t, "copy", climate, url+"/deep/a.zarr", "--to-header", header)
	alike(t, climate, url+"/deep/a.zarr", "--header", header)
	if r := zarrs(t, "copy", climate, url+"/deep/a.zarr", "--to-header", header); r.status != failed || !strings.Contains(r.errs, "already") {
		t.Errorf("raise: %d, %s", r.status, r.errs)
	}

	// An array is copied between servers with different headers.
	other := bucketURL(t, &bucket{objects: memstore.New(nil)})
	output(t, "copy", url+"/deep/a.zarr", other+"/t2m", "--node", "t2m", "--header", header, "--to-header", header, "--chunks", "5,5,5")
	if output(t, "cat", other+"/t2m", "--header", header) != output(t, "cat", climate, "t2m") {
		t.Error("other elements")
	}

	for _, c := range []struct {
		args   []string
		status int
		errs   string
	}{
		{[]string{"copy", climate, url + "/x"}, failed, "401"},
		{[]string{"copy", url + "/deep/a.zarr", t.TempDir(), "--to-header", header}, misused, "--to-header to TO"},
		{[]string{"copy", climate, url + "/x", "--header", header}, misused, "--to-header to TO"},
		{[]string{"cat", url + "/deep/a.zarr", "lat", "--header", "secret"}, misused, "NAME: VALUE"},
		{[]string{"copy", url + "/nothing", t.TempDir(), "--header", header}, absent, ""},
		{[]string{"copy", climate, "ftp://127.0.0.1/x"}, misused, `scheme "ftp"`},
		{[]string{"copy", climate, url + "/a.zip"}, misused, "accepts PUT"},
		{[]string{"migrate", url + "/nothing", "--header", header}, absent, ""},
	} {
		r := zarrs(t, c.args...)
		if r.status != c.status || !strings.Contains(r.errs, c.errs) {
			t.Errorf("%q: status %d, %s", c.args, r.status, r.errs)
		}
		if strings.Contains(r.errs, "Bearer") {
			t.Errorf("the message tells the secret: %s", r.errs)
		}
	}
}

// TestCopyInterrupted interrupts copies after each of their writes. All stored objects are
// complete, and the next copy continues.
func TestCopyInterrupted(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	header := "Authorization: " + secret
	all, rounds := 0, 0
	for after := 0; ; after++ {
		b := &bucket{objects: memstore.New(nil)}
		url := bucketURL(t, b)
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		n := 0
		b.written = func(string) {
			mu.Lock()
			defer mu.Unlock()
			if n++; n > after {
				cancel()
			}
		}
		var out, errs bytes.Buffer
		status := run(ctx, []string{"zarr", "copy", climate, url, "--json", "--to-header", header}, &out, &errs)
		cancel()
		var told copied
		if err := json.Unmarshal(out.Bytes(), &told); err != nil {
			t.Fatalf("%v: %s", err, &out)
		}
		if status == done {
			all = told.Copied
			break
		}
		rounds++
		if status != interrupted || told.Error == "" || !strings.Contains(errs.String(), "canceled") {
			t.Fatalf("after %d writes: status %d, %+v, %s", after, status, told, &errs)
		}
		rest := output(t, "copy", climate, url, "--json", "--to-header", header, "--if-exists", "skip")
		if err := json.Unmarshal([]byte(rest), &told); err != nil || told.Copied == 0 {
			t.Fatalf("going on after %d writes: %s", after, rest)
		}
		alike(t, climate, url, "--header", header)
		after += after / 2
	}
	if all != 9 || rounds < 5 {
		t.Errorf("%d nodes were copied, in %d rounds", all, rounds)
	}

	// No archive is created.
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{"zarr", "copy", climate, filepath.Join(dir, "a.zip")}, &out, &errs); status != interrupted {
		t.Errorf("%d, %s", status, &errs)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("%v, %v are there", left, err)
	}
}
