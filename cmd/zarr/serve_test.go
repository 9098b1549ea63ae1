package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestServe(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte("{}"), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	var log strings.Builder
	go func() {
		ended <- run(ctx, []string{"zarr", "serve", "--addr", "127.0.0.1:0", "--verbose", dir}, w, &log)
	}()
	lines := bufio.NewReader(r)
	url, err := lines.ReadString('\n')
	last(t, lines)
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", url, err)
	}
	url = strings.TrimSpace(url)
	if got := get(t, url+"zarr.json"); got != "{}" {
		t.Errorf("zarr.json: %q", got)
	}
	res := must.Get(http.Post(url+"-/faults", "application/json", strings.NewReader(`{"key":"*","faults":[{"status":500}]}`)))(t)
	res.Body.Close()
	if got := get(t, url+"zarr.json"); res.StatusCode != http.StatusMethodNotAllowed || got != "{}" {
		t.Errorf("faults can be set: %d, then %q", res.StatusCode, got)
	}
	cancel()
	if status := <-ended; status != done {
		t.Errorf("status %d", status)
	}
	if !strings.Contains(log.String(), `GET "/zarr.json"`) {
		t.Errorf("log: %q", log.String())
	}
}

func TestServeWithViewer(t *testing.T) {
	page := t.TempDir()
	writeFiles(t, page, map[string]string{"index.html": "<!doctype html>the viewer", "folder.html": "the list", "main.js": strings.Repeat("run();", 1000)})
	one := filepath.Join(t.TempDir(), "my data.zarr")
	writeFiles(t, one, map[string]string{"zarr.json": "{}", "evil.html": "<script>", "a/zarr.json": "{}"})
	many := filepath.Join(t.TempDir(), "many")
	writeFiles(t, many, map[string]string{"a.zarr/zarr.json": "{}", "b&c/d.zarr/.zgroup": "{}", "deep/1/2/3/4/e.zarr/zarr.json": "{}", "f.zarr.zip": "PK", ".hidden/zarr.json": "{}", "notes.txt": "x"})
	for _, test := range []struct {
		dir   string
		pages []string
		data  string
	}{
		{one, []string{"index.html#url=data/my%2520data.zarr"}, "data/my%20data.zarr/zarr.json"},
		{many, []string{"index.html#url=data/many/a.zarr", "index.html#url=data/many/b%26c/d.zarr", "index.html#url=data/many/deep/1/2/3/4/e.zarr", "index.html#url=data/many/f.zarr.zip"}, "data/many/a.zarr/zarr.json"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, []string{"zarr", "serve", "--addr", "127.0.0.1:0", "--viewer", page, test.dir}, w, io.Discard)
		}()
		lines := bufio.NewReader(r)
		address := must.Get(lines.ReadString('\n'))(t)
		address = strings.TrimSpace(address)
		for _, page := range test.pages { // all, before it serves
			line, err := lines.ReadString('\n')
			if want := "viewer: " + address + page + "\n"; line != want || err != nil {
				t.Errorf("%q, %v; want %q", line, err, want)
			}
		}
		last(t, lines)
		for _, page := range test.pages {
			if got := get(t, address+page); got != "<!doctype html>the viewer" {
				t.Errorf("%s: %q", page, got)
			}
		}
		if got := get(t, address+test.data); got != "{}" {
			t.Errorf("%s: %q", test.data, got)
		}
		root := get(t, address)
		if len(test.pages) == 1 && root != "<!doctype html>the viewer" {
			t.Errorf("the root of one: %q", root)
		}
		if len(test.pages) > 1 {
			if root != "the list" {
				t.Errorf("the root of many: %q", root)
			}
			var list struct {
				Name        string
				Complete    bool
				Hierarchies []struct{ Name, Page string }
			}
			must.Do(t, json.Unmarshal([]byte(get(t, address+"hierarchies.json")), &list))
			if list.Name != filepath.Base(test.dir) || !list.Complete || len(list.Hierarchies) != len(test.pages) {
				t.Errorf("%+v", list)
			}
			for i, one := range list.Hierarchies {
				if one.Page != test.pages[i] {
					t.Errorf("%+v; want the page %s", one, test.pages[i])
				}
			}
			if !slices.ContainsFunc(list.Hierarchies, func(one struct{ Name, Page string }) bool { return one.Name == "many/b&c/d.zarr" }) {
				t.Errorf("%+v", list)
			}
		}
		for path, want := range map[string]int{"zarr.json": 404, "data/": 404, "data/../index.html": 404, "data/" + filepath.Base(test.dir) + "/%2e%2e/secret": 404} {
			res := must.Get(http.Get(address + path))(t)
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("%s: %d", path, res.StatusCode)
			}
		}
		cancel()
		if status := <-ended; status != done {
			t.Errorf("status %d", status)
		}
	}
}

// last reads up to the last line that is printed before requests are answered.
func last(t *testing.T, lines *bufio.Reader) {
	t.Helper()
	if line, err := lines.ReadString('\n'); line != "Ctrl-C ends it.\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, body := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, []byte(body), 0o644))
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	res := must.Get(http.Get(url))(t)
	defer res.Body.Close()
	return string(must.Get(io.ReadAll(res.Body))(t))
}

func TestServeRefuses(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"a", "b"}, misused}, {[]string{"--addr"}, misused}, {[]string{"--nonsense"}, misused}, {[]string{"--faults", "."}, misused},
		{[]string{filepath.Join(t.TempDir(), "nothing")}, absent}, {[]string{"--viewer", filepath.Join(t.TempDir(), "nothing"), "."}, absent},
		{[]string{"--addr", "nowhere:x", "."}, failed},
	} {
		if r := zarrs(t, append([]string{"serve"}, c.args...)...); r.status != c.status || r.errs == "" {
			t.Errorf("%q: status %d, %s", c.args, r.status, r.errs)
		}
	}
}
