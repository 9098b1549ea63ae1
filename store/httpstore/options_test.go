//go:build !js

package httpstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
)

func TestTimeout(t *testing.T) { synctest.Test(t, timesOut) }

func timesOut(t *testing.T) {
	platform, faults := piped(t, map[string][]byte{"a": data})
	for _, fault := range []faulty.Fault{{Hang: true}, {HangBody: true}, {HangBody: true, Chunked: true}} {
		fault.Times = 1
		faults.Reset()
		faults.Set("a", fault)
		s := open(t, nowhere, httpstore.Options{Timeout: 50 * time.Millisecond, Platform: platform})
		if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) || len(faults.Requests()) != 2 {
			t.Errorf("%+v, once: %d bytes after %d requests, %v", fault, len(got), len(faults.Requests()), err)
		}
		fault.Times = 0
		faults.Set("a", fault)
		s = open(t, nowhere, httpstore.Options{Timeout: 20 * time.Millisecond, Retries: -1, Platform: platform})
		_, err := s.Get(t.Context(), "a")
		if e := wantStatus(t, err, "a", 0); !strings.Contains(e.Error(), map[bool]string{true: "nothing arrived for 0.02 seconds", false: "less than 256 KiB arrived in 0.02 seconds"}[fault.Hang]) {
			t.Errorf("%+v: %v", fault, err)
		}
	}
}

// A body must arrive at a minimum rate: a request to a dripping server fails.
func TestDrip(t *testing.T) { synctest.Test(t, drips) }

func drips(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	platform, faults := piped(t, map[string][]byte{"a": data, "large": large})
	for _, fault := range []faulty.Fault{{Drip: 64}, {Drip: 64, Chunked: true}, {Drip: 64, Chunked: true, Endless: true}} {
		faults.Set("a", fault)
		s := open(t, nowhere, httpstore.Options{Timeout: 60 * time.Millisecond, Retries: -1, Platform: platform})
		for _, read := range []func() ([]byte, error){
			func() ([]byte, error) { return s.Get(t.Context(), "a") },
			func() ([]byte, error) { return s.GetRange(t.Context(), "a", store.ByteRange{Length: 9_999}) },
		} {
			got, err := read()
			if e := wantStatus(t, err, "a", 0); !strings.Contains(e.Error(), "less than 256 KiB arrived in 0.06 seconds (timeout)") {
				t.Errorf("%+v: %d bytes, %v", fault, len(got), err)
			}
		}
	}
	// A slow server may take longer than the timeout in total.
	faults.Set("large", faulty.Fault{Drip: 16 << 10, Chunked: true})
	s := open(t, nowhere, httpstore.Options{Timeout: 500 * time.Millisecond, Retries: -1, Platform: platform})
	if got, err := s.Get(t.Context(), "large"); err != nil || !bytes.Equal(got, large) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestHeaderFunc(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	var calls atomic.Int32
	s := open(t, url, httpstore.Options{
		Headers: map[string]string{"x-key": "old", "X-Other": "o"},
		HeaderFunc: func(context.Context) (map[string]string, error) {
			calls.Add(1)
			return map[string]string{"X-Key": "new"}, nil
		},
	})
	faults.Set("a", faulty.Fault{Status: 503, Times: 1})
	if _, err := s.Get(t.Context(), "a"); err != nil || calls.Load() != 2 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
	for _, r := range faults.Requests() {
		if r.Header["X-Key"] != "new" || r.Header["X-Other"] != "o" {
			t.Errorf("headers %v", r.Header)
		}
	}
	for name, give := range map[string]func(context.Context) (map[string]string, error){
		"fails":   func(context.Context) (map[string]string, error) { return nil, errors.New("no token") },
		"invalid": func(context.Context) (map[string]string, error) { return map[string]string{"a b": "c"}, nil },
		"range":   func(context.Context) (map[string]string, error) { return map[string]string{"Range": "bytes=0-1"}, nil },
	} {
		faults.Reset()
		_, err := open(t, url, httpstore.Options{HeaderFunc: give}).Get(t.Context(), "a")
		wantStatus(t, err, "a", 0)
		if len(faults.Requests()) != 0 {
			t.Errorf("%s: a request was sent", name)
		}
	}
}

// TestOrigins checks that two stores of one origin share one limit.
func TestOrigins(t *testing.T) {
	url, _ := serve(t, map[string][]byte{"a": data})
	var count underway
	var origins httpstore.Origins
	var wait sync.WaitGroup
	for range 2 {
		s := open(t, url, httpstore.Options{Concurrency: 2, Origins: &origins, Platform: count.platform()})
		for range 20 {
			wait.Go(func() {
				if _, err := s.Get(t.Context(), "a"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	if n := count.peak(); n > 2 {
		t.Errorf("%d requests at once, want at most 2", n)
	}
}

// TestOriginsLimits checks that a low limit of one store does not delay another, and that an
// abandoned read does not delay others.
func TestOriginsLimits(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data, "b": data})
	faults.Set("a", faulty.Fault{Hang: true})
	var origins httpstore.Origins
	low := open(t, url, httpstore.Options{Concurrency: 1, Origins: &origins})
	high := open(t, url, httpstore.Options{Concurrency: 2, Origins: &origins})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if _, err := low.Get(ctx, "a"); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	faults.Changed(t.Context(), 0)
	if _, err := high.Get(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	cancel()
	wait.Wait()
	if _, err := low.Get(t.Context(), "b"); err != nil {
		t.Error(err)
	}
}

// fetch is a user's fetch function over net/http.
func fetch(ctx context.Context, ask httpstore.FetchRequest) (httpstore.FetchResponse, error) {
	req, err := http.NewRequestWithContext(ctx, ask.Method, ask.URL, bytes.NewReader(ask.Body))
	if err != nil {
		return httpstore.FetchResponse{}, err
	}
	for name, value := range ask.Headers {
		req.Header.Set(name, value)
	}
	client := http.Client{}
	if ask.Redirect == "manual" {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	res, err := client.Do(req)
	if err != nil {
		return httpstore.FetchResponse{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	headers := map[string]string{}
	for name := range res.Header {
		headers[strings.ToLower(name)] = res.Header.Get(name)
	}
	return httpstore.FetchResponse{Status: res.StatusCode, Headers: headers, Type: "basic", Body: body}, err
}

func TestOwnFetch(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	for name, test := range map[string]struct {
		fault  faulty.Fault
		suffix bool
		ok     bool
	}{
		"right":         {ok: true},
		"suffix":        {suffix: true, ok: true},
		"whole":         {fault: faulty.Fault{IgnoreRange: true}, ok: true},
		"once":          {fault: faulty.Fault{Status: 500, Times: 1}, ok: true},
		"short":         {fault: faulty.Fault{Resize: -1, Method: "GET"}},
		"another range": {fault: faulty.Fault{Header: map[string]string{"Content-Range": "bytes 1-50/10000"}}},
		"page":          {fault: faulty.Fault{HTML: true}},
	} {
		faults.Reset()
		faults.Set("a", test.fault)
		s := open(t, url, httpstore.Options{Fetch: fetch, Headers: map[string]string{"X-Key": "k"}, UseSuffixRequest: test.suffix})
		got, err := s.GetRange(t.Context(), "a", store.ByteRange{Length: 50, Suffix: true})
		if test.ok != (err == nil) || test.ok && !bytes.Equal(got, data[9950:]) || faults.Requests()[0].Header["X-Key"] != "k" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	faults.Reset()
	if _, err := open(t, url, httpstore.Options{Fetch: fetch, MaxBytes: 9_999}).Get(t.Context(), "a"); err == nil {
		t.Error("too large: no error")
	}
	for name, own := range map[string]func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error){
		"fails": func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			return httpstore.FetchResponse{}, errors.New("no way")
		},
		"redirect": func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			return httpstore.FetchResponse{Type: "opaqueredirect"}, nil
		},
		"status 0": func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			return httpstore.FetchResponse{}, nil
		},
	} {
		_, err := open(t, url, httpstore.Options{Fetch: own}).Get(t.Context(), "a")
		if wantStatus(t, err, "a", 0).Err == nil {
			t.Errorf("%s: no cause", name)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	hang := func(ctx context.Context, _ httpstore.FetchRequest) (httpstore.FetchResponse, error) {
		<-ctx.Done()
		return httpstore.FetchResponse{}, errors.New("whatever")
	}
	if _, err := open(t, url, httpstore.Options{Fetch: hang}).Get(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
