package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "zarr.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	var log strings.Builder
	go func() {
		done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-v", dir}, w, &log)
	}()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", url, err)
	}
	url = strings.TrimSpace(url)
	if got := get(t, url+"zarr.json"); got != "{}" {
		t.Errorf("zarr.json: %q", got)
	}
	res, err := http.Post(url+"-/faults", "application/json", strings.NewReader(`{"key":"*","faults":[{"status":500}]}`))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := get(t, url+"zarr.json"); res.StatusCode != http.StatusMethodNotAllowed || got != "{}" {
		t.Errorf("faults can be set: %d, then %q", res.StatusCode, got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), `GET "/zarr.json"`) {
		t.Errorf("log: %q", log.String())
	}
}

func TestRunWithViewer(t *testing.T) {
	page := t.TempDir()
	writeFiles(t, page, map[string]string{"index.html": "<!doctype html>the viewer", "main.js": strings.Repeat("run();", 1000)})
	one := filepath.Join(t.TempDir(), "my data.zarr")
	writeFiles(t, one, map[string]string{"zarr.json": "{}", "evil.html": "<script>", "a/zarr.json": "{}"})
	many := filepath.Join(t.TempDir(), "many")
	writeFiles(t, many, map[string]string{"a.zarr/zarr.json": "{}", "b&c/d.zarr/.zgroup": "{}", ".hidden/zarr.json": "{}", "notes.txt": "x"})
	for _, test := range []struct {
		dir   string
		pages []string
		data  string
	}{
		{one, []string{"?url=data%2Fmy%2520data.zarr"}, "data/my%20data.zarr/zarr.json"},
		{many, []string{"?url=data%2Fmany%2Fa.zarr", "?url=data%2Fmany%2Fb%26c%2Fd.zarr"}, "data/many/a.zarr/zarr.json"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-viewer", page, test.dir}, w, io.Discard)
		}()
		lines := bufio.NewReader(r)
		address, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		address = strings.TrimSpace(address)
		for _, page := range test.pages { // all, before it serves
			line, err := lines.ReadString('\n')
			if want := "viewer: " + address + page + "\n"; line != want || err != nil {
				t.Errorf("%q, %v; want %q", line, err, want)
			}
		}
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
		if len(test.pages) == 2 && (strings.Count(root, "<li>") != 2 || !strings.Contains(root, `href="./?url=data%2Fmany%2Fb%26c%2Fd.zarr">many/b&amp;c/d.zarr<`)) {
			t.Errorf("the root of many: %q", root)
		}
		for path, want := range map[string]int{"zarr.json": 404, "data/": 404, "data/../index.html": 404, "data/" + filepath.Base(test.dir) + "/%2e%2e/secret": 404} {
			res, err := http.Get(address + path)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("%s: %d", path, res.StatusCode)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, body := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{"a", "b"}, {"-addr"}, {"-nonsense"}, {"-faults", "."}, {filepath.Join(t.TempDir(), "nothing")}, {"-addr", "nowhere:x", "."}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: accepted", args)
		}
	}
}
