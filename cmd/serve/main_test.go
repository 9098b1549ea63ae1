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
