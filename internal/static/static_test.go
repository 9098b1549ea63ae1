//go:build !js

package static_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// files returns the files of most tests.
func files() map[string]string {
	return map[string]string{
		"index.html":              "<!doctype html>",
		"app.wasm":                "plain wasm",
		"app.wasm.br":             "brotli",
		"app.wasm.gz":             "gzip",
		"data.zarr/.zattrs":       "{}",
		"data.zarr/zarr.json":     "{}",
		"data.zarr/c/0/0":         "0123456789",
		"data.zarr/c/0/0.gz":      "other data",
		"data.zarr/my group/x+y%": "odd",
		"page/index.html":         "a page",
		"main.0123ABCD.js":        "never something else",
		"empty":                   "",
	}
}

func write(t *testing.T) string {
	dir := t.TempDir()
	for name, body := range files() {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, []byte(body), 0o644))
	}
	return dir
}

// start serves a directory or archive.
func start(t *testing.T, name string, opt static.Options) string {
	t.Helper()
	fsys := must.Get(static.Open(name))(t)
	server := httptest.NewServer(static.New(fsys, opt))
	t.Cleanup(server.Close)
	return server.URL
}

// do sends a request; headers are given as name, value, name, value...
func do(t *testing.T, method, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	req := must.Get(http.NewRequest(method, url, nil))(t)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res := must.Get((&http.Transport{DisableCompression: true}).RoundTrip(req))(t)
	defer res.Body.Close()
	return res, string(must.Get(io.ReadAll(res.Body))(t))
}

func TestFiles(t *testing.T) {
	url := start(t, write(t), static.Options{CORS: true})
	for _, test := range []struct {
		path, rng, accept string
		status            int
		body, kind        string
	}{
		{path: "/", status: 200, body: "<!doctype html>", kind: "text/html; charset=utf-8"},
		{path: "/index.html", status: 200, body: "<!doctype html>", kind: "text/html; charset=utf-8"},
		{path: "/page/", status: 200, body: "a page", kind: "text/html; charset=utf-8"},
		{path: "/page", status: 301},
		{path: "/app.wasm", status: 200, body: "plain wasm", kind: "application/wasm"},
		{path: "/app.wasm", accept: "gzip, deflate, br", status: 200, body: "brotli", kind: "application/wasm"},
		{path: "/app.wasm", accept: "gzip", status: 200, body: "gzip", kind: "application/wasm"},
		{path: "/app.wasm", accept: "br;q=0, gzip; q=0.5", status: 200, body: "gzip", kind: "application/wasm"},
		{path: "/app.wasm", accept: "br", rng: "bytes=0-4", status: 206, body: "plain", kind: "application/wasm"},
		{path: "/app.wasm.gz", accept: "gzip", status: 200, body: "gzip", kind: "application/gzip"},
		{path: "/data.zarr/.zattrs", status: 200, body: "{}", kind: "application/json"},
		{path: "/data.zarr/zarr.json", status: 200, body: "{}", kind: "application/json"},
		{path: "/data.zarr/c/0/0", accept: "gzip", status: 200, body: "0123456789", kind: "application/octet-stream"},
		{path: "/data.zarr/c/0/0", rng: "bytes=2-4", status: 206, body: "234", kind: "application/octet-stream"},
		{path: "/data.zarr/c/0/0", rng: "bytes=8-20", status: 206, body: "89", kind: "application/octet-stream"},
		{path: "/data.zarr/c/0/0", rng: "bytes=-3", status: 206, body: "789", kind: "application/octet-stream"},
		{path: "/data.zarr/c/0/0", rng: "bytes=10-", status: 416},
		{path: "/data.zarr/my%20group/x%2By%25?sig=1", status: 200, body: "odd", kind: "application/octet-stream"},
		{path: "/empty", status: 200, kind: "application/octet-stream"},
		{path: "/nothing", status: 404},
		{path: "/data.zarr", status: 404},
		{path: "/data.zarr/", status: 404},
		{path: "/data.zarr/c/0/0/", status: 404},
		{path: "/data.zarr/c/0/0/1", status: 404},
		{path: "/data.zarr//zarr.json", status: 404},
		{path: "/page/../index.html", status: 404},
		{path: "/..%2fx", status: 404},
	} {
		headers := []string{}
		if test.rng != "" {
			headers = append(headers, "Range", test.rng)
		}
		if test.accept != "" {
			headers = append(headers, "Accept-Encoding", test.accept)
		}
		for _, method := range []string{"GET", "HEAD"} {
			res, body := do(t, method, url+test.path, headers...)
			want := test.body
			if method == "HEAD" {
				want = ""
				if test.body != "" && res.ContentLength != int64(len(test.body)) {
					t.Errorf("HEAD %+v: length %d", test, res.ContentLength)
				}
			}
			if res.StatusCode != test.status || test.status < 300 && body != want || test.kind != "" && res.Header.Get("Content-Type") != test.kind {
				t.Errorf("%s %+v: %d %q %v", method, test, res.StatusCode, body, res.Header)
			}
			if res.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%+v: no CORS", test)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	dir := write(t)
	url := start(t, dir, static.Options{CORS: true, Isolate: true})
	res, _ := do(t, "GET", url+"/app.wasm", "Accept-Encoding", "br")
	for name, want := range map[string]string{
		"Content-Encoding": "br", "Vary": "Accept-Encoding", "Content-Length": "6", "Cache-Control": "no-cache", "Accept-Ranges": "bytes",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "cross-origin",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	hashed, _ := do(t, "GET", url+"/main.0123ABCD.js")
	if got := hashed.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("a name with a hash: Cache-Control: %s", got)
	}
	for _, name := range []string{"Content-Range", "Content-Length", "ETag", "Accept-Ranges"} {
		if !strings.Contains(res.Header.Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("%s is not exposed", name)
		}
	}
	plain, _ := do(t, "GET", url+"/app.wasm")
	tag := plain.Header.Get("ETag")
	if tag == "" || tag == res.Header.Get("ETag") {
		t.Errorf("tags %q and %q", tag, res.Header.Get("ETag"))
	}
	if again, _ := do(t, "GET", url+"/app.wasm", "If-None-Match", tag); again.StatusCode != 304 {
		t.Errorf("unchanged: %d", again.StatusCode)
	}
	if again, _ := do(t, "GET", url+"/app.wasm", "Range", "bytes=0-1", "If-Range", `"x"`); again.StatusCode != 200 {
		t.Errorf("If-Range: %d", again.StatusCode)
	}

	res, _ = do(t, "OPTIONS", url+"/data.zarr/zarr.json", "Origin", "http://x", "Access-Control-Request-Headers", "authorization,range")
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Headers") != "authorization,range" || !strings.Contains(res.Header.Get("Access-Control-Allow-Methods"), "HEAD") {
		t.Errorf("preflight: %d %v", res.StatusCode, res.Header)
	}
	if res, _ := do(t, "PUT", url+"/empty"); res.StatusCode != 405 {
		t.Errorf("PUT: %d", res.StatusCode)
	}

	bare := start(t, dir, static.Options{})
	res, _ = do(t, "GET", bare+"/empty")
	for name := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Cross-Origin-") {
			t.Errorf("%s without being asked for", name)
		}
	}
}

func TestList(t *testing.T) {
	url := start(t, write(t), static.Options{List: true})
	res, body := do(t, "GET", url+"/data.zarr/")
	if res.StatusCode != 200 || !strings.Contains(body, `href="./my%20group/"`) || !strings.Contains(body, `href="./zarr.json"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, _ := do(t, "GET", url+"/data.zarr?q"); res.StatusCode != 301 || res.Header.Get("Location") != "./data.zarr/?q" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestLinksStayInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(outside, []byte("secret"), 0o644))
	dir := write(t)
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if res, body := do(t, "GET", start(t, dir, static.Options{})+"/link"); res.StatusCode != 404 {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}

func TestArchives(t *testing.T) {
	dir := t.TempDir()
	when := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for i, f := range []struct{ name, body string }{
		{"a/", ""}, {"a/zarr.json", "old"}, {"a/zarr.json", "{}"}, {"a/c/0", "0123"}, {"../out", "x"}, {"/abs", "x"}, {"b\u0301/é", "é"},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: []uint16{zip.Store, zip.Deflate}[i%2], Modified: when})
		if err == nil && f.body != "" {
			_, err = io.WriteString(w, f.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()

	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	for _, f := range []struct {
		name, body string
		kind       byte
	}{
		{"./a/", "", tar.TypeDir}, {"./a/zarr.json", "{}", tar.TypeReg}, {"a/c/0", "0123", tar.TypeReg}, {"../out", "x", tar.TypeReg},
		{"link", "", tar.TypeSymlink}, {"b\u0301/é", "é", tar.TypeReg},
	} {
		header := &tar.Header{Name: f.name, Size: int64(len(f.body)), Mode: 0o644, Typeflag: f.kind, ModTime: when}
		if f.kind == tar.TypeSymlink {
			header.Linkname = "/etc/passwd"
		}
		must.Do(t, w.WriteHeader(header))
		must.Get(io.WriteString(w, f.body))(t)
	}
	w.Close()
	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	_, _ = g.Write(tarred.Bytes())
	g.Close()

	for name, data := range map[string][]byte{"x.zip": zipped.Bytes(), "x.tar": tarred.Bytes(), "x.tar.gz": packed.Bytes()} {
		name = filepath.Join(dir, name)
		must.Do(t, os.WriteFile(name, data, 0o644))
		fsys := must.Get(static.Open(name))(t)
		if err := fstest.TestFS(fsys, "a/zarr.json", "a/c/0", "b\u0301/é"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		url := start(t, name, static.Options{})
		for path, want := range map[string]string{"/a/zarr.json": "{}", "/a/c/0": "0123", "/b%CC%81/%C3%A9": "é", "/out": "", "/link": "", "/abs": "", "/a": ""} {
			res, body := do(t, "GET", url+path)
			if want == "" && res.StatusCode != 404 || want != "" && (body != want || res.Header.Get("ETag") == "") {
				t.Errorf("%s %s: %d %q %v", name, path, res.StatusCode, body, res.Header)
			}
		}
		if res, body := do(t, "GET", url+"/a/c/0", "Range", "bytes=1-2"); res.StatusCode != 206 || body != "12" {
			t.Errorf("%s: range: %d %q", name, res.StatusCode, body)
		}
		must.Do(t, os.WriteFile(name, data[:100], 0o644))
		if _, err := static.Open(name); err == nil {
			t.Errorf("%s: a part of it was opened", name)
		}
	}
	if _, err := static.Open(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "x.rar"), nil, 0o644))
	if _, err := static.Open(filepath.Join(dir, "x.rar")); err == nil {
		t.Error("x.rar was opened")
	}
}

func TestDotfilesStayHidden(t *testing.T) {
	dir := write(t)
	for _, name := range []string{".env", ".git/config", "data.zarr/.secret/0", "data.zarr/.zgroup"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, []byte("{}"), 0o644))
	}
	url := start(t, dir, static.Options{List: true})
	for path, want := range map[string]int{
		"/.env": 404, "/.git/config": 404, "/.git/": 404, "/.git": 404, "/data.zarr/.secret/0": 404, "/data.zarr/%2esecret/0": 404,
		"/data.zarr/.zgroup": 200, "/data.zarr/.zattrs": 200,
	} {
		if res, body := do(t, "GET", url+path); res.StatusCode != want {
			t.Errorf("%s: %d %q", path, res.StatusCode, body)
		}
	}
	_, root := do(t, "GET", url+"/data.zarr/")
	if strings.Contains(root, "secret") || !strings.Contains(root, ".zgroup") {
		t.Error(root)
	}
}

// Documents are compressed on request; chunks, ranges and small files are not.
func TestCompress(t *testing.T) {
	long := strings.Repeat(`{"zarr_format":3}`, 1000)
	files := fstest.MapFS{}
	for _, name := range []string{"zarr.json", ".zmetadata", "c/0/0", "data.zip", "app.js", "app.js.br"} {
		files[name] = &fstest.MapFile{Data: []byte(long), Mode: 0o644, ModTime: time.Unix(1e9, 0)}
	}
	files["short.json"] = &fstest.MapFile{Data: []byte("{}"), Mode: 0o644}
	server := httptest.NewServer(static.New(files, static.Options{Compress: true}))
	defer server.Close()
	for _, test := range []struct{ path, accept, rng, coding string }{
		{"/zarr.json", "gzip, br", "", "gzip"},
		{"/.zmetadata", "gzip", "", "gzip"},
		{"/zarr.json", "br", "", ""},
		{"/zarr.json", "gzip;q=0", "", ""},
		{"/zarr.json", "gzip", "bytes=0-9", ""},
		{"/c/0/0", "gzip", "", ""},
		{"/data.zip", "gzip", "", ""},
		{"/short.json", "gzip", "", ""},
		{"/app.js", "br", "", "br"},
	} {
		headers := []string{"Accept-Encoding", test.accept}
		if test.rng != "" {
			headers = append(headers, "Range", test.rng)
		}
		res, body := do(t, "GET", server.URL+test.path, headers...)
		if got := res.Header.Get("Content-Encoding"); got != test.coding {
			t.Errorf("%+v: %q", test, got)
		}
		if res.ContentLength != int64(len(body)) {
			t.Errorf("%+v: Content-Length %d of %d bytes", test, res.ContentLength, len(body))
		}
		if test.coding != "gzip" {
			continue
		}
		z := must.Get(gzip.NewReader(strings.NewReader(body)))(t)
		if plain, err := io.ReadAll(z); string(plain) != long || err != nil {
			t.Errorf("%+v: %d bytes, %v", test, len(plain), err)
		}
		if len(body) > len(long)/10 || res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%+v: %d bytes, %v", test, len(body), res.Header)
		}
		tag := res.Header.Get("ETag")
		if again, _ := do(t, "GET", server.URL+test.path, append(headers, "If-None-Match", tag)...); again.StatusCode != 304 {
			t.Errorf("%+v: unchanged, but %d", test, again.StatusCode)
		}
		if plain, _ := do(t, "GET", server.URL+test.path, "Accept-Encoding", "identity"); plain.Header.Get("ETag") == tag {
			t.Errorf("%+v: one tag for two encodings", test)
		}
	}
}
