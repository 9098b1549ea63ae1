package faulty_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestFaults(t *testing.T) {
	faults := &faulty.Faults{}
	control := httptest.NewServer(faults.Control())
	defer control.Close()
	const key = "data.zarr/c/0/0"
	files := fstest.MapFS{key: {Data: []byte("0123456789")}, "app.wasm": {Data: []byte("plain wasm")}, "empty": {}}
	server := httptest.NewServer(faulty.New(files, static.Options{CORS: true}, faults))
	defer server.Close()
	url := server.URL
	set := func(body string) int {
		res := must.Get(http.Post(control.URL, "application/json", strings.NewReader(body)))(t)
		res.Body.Close()
		return res.StatusCode
	}
	for _, bad := range []string{"", "{", `{"key":"a","faults":[{"sattus":500}]}`} {
		if got := set(bad); got != 400 {
			t.Errorf("%q: %d", bad, got)
		}
	}
	if got := set(`{"key":"` + key + `","faults":[{"status":503,"times":2,"body":"wait","header":{"Retry-After":"1"}},{"ignoreRange":true,"times":1,"method":"GET"},{"html":true,"times":1}]}`); got != 204 {
		t.Fatal(got)
	}
	for _, want := range []struct {
		status int
		body   string
	}{{503, "wait"}, {503, "wait"}, {200, "0123456789"}, {200, "<!doctype html>"}, {206, "12"}, {206, "12"}} {
		res, body := do(t, "GET", url+"/"+key, "Range", "bytes=1-2")
		if res.StatusCode != want.status || !strings.HasPrefix(body, want.body) || res.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%d %q, want %+v", res.StatusCode, body, want)
		}
	}
	set(`{"key":"*","faults":[{"noCORS":true,"resize":-1,"header":{"Content-Range":"","X-Mine":"1"}}]}`)
	res, body := do(t, "GET", url+"/app.wasm", "Range", "bytes=1-2")
	if body != "l" || res.Header.Get("Access-Control-Allow-Origin") != "" || res.Header.Get("Content-Range") != "" || res.Header.Get("X-Mine") != "1" {
		t.Errorf("%q %v", body, res.Header)
	}

	set(`{"key":"empty","faults":[{"hang":true}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // it ends once the server has the request
		for version := 0; len(faults.Requests()) < 8 && ctx.Err() == nil; {
			version = faults.Changed(ctx, version)
		}
		cancel()
	}()
	req, _ := http.NewRequestWithContext(ctx, "GET", url+"/empty?q=1", nil)
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Error("no hang")
	}

	var seen struct {
		Requests []faulty.Request
		Most     int
	}
	_, body = do(t, "GET", control.URL)
	if err := json.Unmarshal([]byte(body), &seen); err != nil || len(seen.Requests) != 8 || seen.Most < 1 {
		t.Fatalf("%v %s", err, body)
	}
	if last := seen.Requests[7]; last.Path != "/empty" || last.Query != "q=1" || last.Method != "GET" {
		t.Errorf("%+v", last)
	}
	do(t, "DELETE", control.URL)
	if len(faults.Requests()) != 0 {
		t.Error("not reset")
	}
	if _, body := do(t, "GET", url+"/app.wasm"); body != "plain wasm" {
		t.Errorf("%q", body)
	}
}

// do sends a request and reads its answer.
func do(t *testing.T, method, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), method, url, nil))(t)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer res.Body.Close()
	return res, string(must.Get(io.ReadAll(res.Body))(t))
}
