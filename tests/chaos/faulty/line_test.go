package faulty_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestRate(t *testing.T) {
	files := fstest.MapFS{"a": {Data: make([]byte, 100_000), Mode: 0o644}}
	line := faulty.Line{Rate: 2e6}
	server := httptest.NewServer(line.Over(static.New(files, static.Options{})))
	defer server.Close()
	began := time.Now()
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			answer, err := http.Get(server.URL + "/a")
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			if n, err := io.Copy(io.Discard, answer.Body); n != 100_000 || err != nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	wait.Wait()
	if took := time.Since(began); took < 95*time.Millisecond {
		t.Errorf("200 kB at 2 MB/s came in %v", took)
	}
}

func TestLatency(t *testing.T) {
	line := faulty.Line{Latency: 60 * time.Millisecond}
	server := httptest.NewServer(line.Over(static.New(fstest.MapFS{}, static.Options{})))
	defer server.Close()
	began := time.Now()
	answer := must.Get(http.Get(server.URL))(t)
	answer.Body.Close()
	if d := time.Since(began); d < 60*time.Millisecond {
		t.Errorf("%v", d)
	}
}
