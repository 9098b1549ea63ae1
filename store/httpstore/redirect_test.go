//go:build !js

package httpstore_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
)

// A person may take longer than a server to judge a redirect.
func TestARedirectMayBeJudgedForLongerThanTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		platform, faults := piped(t, map[string][]byte{"a": data, "b": data})
		faults.Set("a", faulty.Fault{Status: 302, Header: map[string]string{"Location": "b"}})
		judged := 0
		s := open(t, nowhere, httpstore.Options{Timeout: time.Second, Retries: -1, Platform: platform, Redirect: func(context.Context, string, string) error {
			judged++
			time.Sleep(15 * time.Minute)
			return nil
		}})
		if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) || judged != 1 {
			t.Errorf("%d bytes, %v, judged %d times", len(got), err, judged)
		}
		faults.Set("b", faulty.Fault{Hang: true})
		if _, err := s.Get(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "timeout") {
			t.Error("no timeout runs afterwards:", err)
		}
	})
}

// A rejected redirect is not retried. Its error is that of the function.
func TestARejectedRedirectIsTheErrorOfTheRead(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data, "b": data})
	faults.Set("a", faulty.Fault{Status: 302, Header: map[string]string{"Location": "b?sig=2"}})
	why := errors.New("not there")
	s := open(t, url+"?sig=1", httpstore.Options{Redirect: func(_ context.Context, from, to string) error {
		if from != url+"/a" || to != url {
			t.Errorf("from %q to %q", from, to)
		}
		return why
	}})
	_, err := s.Get(t.Context(), "a")
	var e *httpstore.Error
	if !errors.Is(err, why) || errors.As(err, &e) || len(faults.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(faults.Requests()))
	}
}

// The store detects a user's fetch function that follows a redirect against the request.
func TestAnOwnFetchThatFollowsIsJudged(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }))
	defer elsewhere.Close()
	why := errors.New("not there")
	var rule func(context.Context, string, string) error
	own := func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
		return httpstore.FetchResponse{Status: 200, Type: "basic", Body: data, URL: elsewhere.URL + "/x?y"}, nil
	}
	for _, judged := range []bool{false, true} {
		if judged {
			rule = func(_ context.Context, _, to string) error {
				if to != elsewhere.URL {
					t.Errorf("judged %q", to)
				}
				return why
			}
		}
		got, err := open(t, "http://host/", httpstore.Options{Fetch: own, Redirect: rule}).Get(t.Context(), "a")
		if judged != errors.Is(err, why) || !judged && !bytes.Equal(got, data) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// A user's fetch function, such as one that signs requests, is not called for other origins.
func TestAnOwnFetchIsCalledForItsOriginOnly(t *testing.T) {
	var seen []*http.Request
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r)
		_, _ = w.Write(data)
	}))
	defer elsewhere.Close()
	url, faults := serve(t, map[string][]byte{"a": data})
	faults.Set("a", faulty.Fault{Status: 302, Header: map[string]string{"Location": elsewhere.URL + "/b"}})
	calls := 0
	own := func(ctx context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
		calls++
		r.Headers["signed"] = "yes"
		return fetch(ctx, r)
	}
	s := open(t, url, httpstore.Options{Fetch: own, Headers: map[string]string{"X-Key": "k", "Accept": "application/zarr"}})
	if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) || calls != 1 || len(seen) != 1 {
		t.Fatalf("%d bytes, %v after %d calls", len(got), err, calls)
	}
	if h := seen[0].Header; h.Get("X-Key") != "" || h.Get("signed") != "" || h.Get("Accept") != "" {
		t.Errorf("elsewhere had %v", h)
	}
}

func TestRedirectsToWhatIsNoAddress(t *testing.T) {
	url, faults := serve(t, map[string][]byte{"a": data})
	for _, to := range []string{"ftp://h/x?sig=SECRET", "http://u:SECRET@h/x", "http://[::1/x?SECRET", "http://h:99999/?SECRET", "javascript:SECRET", "//u:SECRET@h", "/\x01?SECRET", "http://h\\x/?SECRET"} {
		faults.Reset()
		faults.Set("a", faulty.Fault{Status: 302, Header: map[string]string{"Location": to}})
		sent := 0
		own := func(context.Context, httpstore.FetchRequest) (httpstore.FetchResponse, error) {
			sent++
			return httpstore.FetchResponse{Status: 302, Headers: map[string]string{"location": to}}, nil
		}
		for name, opt := range map[string]httpstore.Options{"client": {}, "fetch": {Fetch: own, Headers: map[string]string{"X": "y"}}} {
			_, err := open(t, url, opt).Get(t.Context(), "a")
			var e *httpstore.Error
			if !errors.As(err, &e) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s, %q: %v", name, to, err)
			}
			if to == "/\x01?SECRET" && name == "client" {
				continue // net/http rejects this header
			}
			if !strings.Contains(err.Error(), "invalid address") {
				t.Errorf("%s, %q: %v", name, to, err)
			}
		}
		if requests := len(faults.Requests()); sent != 1 || requests != 1 && to != "/\x01?SECRET" {
			t.Errorf("%q: sent %d times, and %d times by the client", to, sent, requests)
		}
	}
}

// Foreign error messages that repeat an address do not leak its query into ours.
func TestWhatAServerSendsDoesNotBringTheQueryIntoMessages(t *testing.T) {
	for _, answer := range []string{"GET /a?SECRET HTTP/1.1\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: /a?SECRET\x01\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n?SECRET\r\n", "HTTP/1.1 200 OK\r\nContent-Length: ?SECRET\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: http://h/?SECRET\r\n\r\n"} {
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			return http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), r)
		})}
		_, err := open(t, "http://host/?SECRET", httpstore.Options{Retries: -1, Platform: httpstore.Platform{Client: client}}).Get(t.Context(), "a")
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", answer, err)
		}
	}
}
