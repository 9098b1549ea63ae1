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

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte("{}"), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-faults", dir}, w, io.Discard) }()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", url, err)
	}
	url = strings.TrimSpace(url)
	if status, got := read(t)(http.Get(url + "zarr.json")); status != 200 || got != "{}" {
		t.Errorf("zarr.json: %d %q", status, got)
	}
	if _, got := read(t)(http.Get(url + "-/faults")); !strings.Contains(got, `"path":"/zarr.json"`) {
		t.Errorf("requests: %q", got)
	}
	if status, got := read(t)(http.Post(url+"-/faults", "", strings.NewReader(`{"key":"*","faults":[{"status":500}]}`))); status != 204 {
		t.Errorf("faults: %d %q", status, got)
	}
	if status, got := read(t)(http.Get(url + "zarr.json")); status != 500 {
		t.Errorf("zarr.json with a fault: %d %q", status, got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// read returns a function that reads an answer.
func read(t *testing.T) func(*http.Response, error) (int, string) {
	return func(res *http.Response, err error) (int, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode, string(must.Get(io.ReadAll(res.Body))(t))
	}
}
