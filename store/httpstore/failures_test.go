package httpstore_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// After a failure the store bypasses the browser's cache until a usable answer arrives. Absence is
// a usable answer.
func TestFailuresAreAskedForPastTheCache(t *testing.T) {
	statuses := []int{500, 308, 200, 200, 404, 200}
	var modes []string
	s := must.Get(httpstore.New("https://host.example/data", httpstore.Options{Retries: -1, Fetch: func(_ context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
		status := statuses[len(modes)]
		modes = append(modes, r.Cache)
		return httpstore.FetchResponse{Status: status, Type: "basic", Body: []byte("x")}, nil
	}}))(t)
	for _, status := range statuses {
		if _, err := s.Read(t.Context(), "a", store.Ask{}); (err == nil) != (status == 200) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if want := []string{"", "reload", "reload", "", "", ""}; !slices.Equal(modes, want) {
		t.Errorf("%q, not %q", modes, want)
	}
}

// A rejected answer with a good status counts as a failure until a good answer bypasses the cache.
// An answer to a request from before the failure proves nothing about the browser's cache.
func TestAnswersThatAreNotBelievedAreAskedForPastTheCache(t *testing.T) {
	type answer = httpstore.FetchResponse
	part := func(headers map[string]string) answer {
		return answer{Status: 206, Type: "basic", Body: []byte("xy"), Headers: headers}
	}
	ranged := store.Ask{Range: &store.ByteRange{Offset: 1, Length: 2}}
	for name, test := range map[string]struct {
		ask store.Ask
		bad answer
	}{
		"encoded":          {ranged, part(map[string]string{"content-encoding": "nothing"})},
		"another part":     {ranged, part(map[string]string{"content-range": "bytes 3-4/9"})},
		"several parts":    {ranged, part(map[string]string{"content-type": "multipart/byteranges; boundary=x"})},
		"a short part":     {ranged, answer{Status: 206, Type: "basic", Body: []byte("x")}},
		"a page":           {store.Ask{}, answer{Status: 200, Type: "basic", Body: []byte("<html>"), Headers: map[string]string{"content-type": "text/html"}}},
		"another length":   {store.Ask{}, answer{Status: 200, Type: "basic", Body: []byte("x"), Headers: map[string]string{"content-length": "7"}}},
		"too much":         {store.Ask{MaxBytes: 2}, answer{Status: 200, Type: "basic", Body: []byte("xyz")}},
		"a range of a bit": {ranged, answer{Status: 200, Type: "basic", Body: []byte("x")}},
	} {
		t.Run(name, func(t *testing.T) {
			good := part(nil)
			if test.ask.Range == nil {
				good = answer{Status: 200, Type: "basic", Body: []byte("xy")}
			}
			began, failed := make(chan bool), make(chan bool)
			var mu sync.Mutex
			var modes []string
			s := must.Get(httpstore.New("https://host.example/data", httpstore.Options{Retries: -1, Fetch: func(ctx context.Context, r httpstore.FetchRequest) (answer, error) {
				mu.Lock()
				modes = append(modes, r.Cache)
				n := len(modes)
				mu.Unlock()
				switch n {
				case 1: // a request that began before the failure and ends after it
					close(began)
					<-failed
				case 2:
					return test.bad, nil
				}
				return good, nil
			}}))(t)
			early := make(chan error)
			go func() {
				_, err := s.Read(t.Context(), "a", test.ask)
				early <- err
			}()
			<-began
			if _, err := s.Read(t.Context(), "a", test.ask); err == nil {
				t.Error("no error")
			}
			close(failed)
			if err := <-early; err != nil {
				t.Error(err)
			}
			for range 2 {
				if _, err := s.Read(t.Context(), "a", test.ask); err != nil {
					t.Error(err)
				}
			}
			if want := []string{"", "", "reload", ""}; !slices.Equal(modes, want) {
				t.Errorf("%q, not %q", modes, want)
			}
		})
	}
}

// TestAbandonedRequestsAreAskedForPastTheCache cancels reads, whose unread answers may leave wrong
// entries in the browser's cache. A read that ends while it waits for its turn leaves none.
func TestAbandonedRequestsAreAskedForPastTheCache(t *testing.T) {
	for name, ask := range map[string]store.Ask{"whole": {}, "part": {Range: &store.ByteRange{Length: 1}}} {
		t.Run(name, func(t *testing.T) {
			began := make(chan struct{})
			var mu sync.Mutex
			modes := map[string][]string{}
			s := must.Get(httpstore.New("https://host.example/data", httpstore.Options{Concurrency: 1, Fetch: func(ctx context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
				mu.Lock()
				modes[r.URL] = append(modes[r.URL], r.Cache)
				first := len(modes) == 1 && len(modes[r.URL]) == 1
				mu.Unlock()
				if first {
					close(began)
					<-ctx.Done()
					return httpstore.FetchResponse{}, ctx.Err()
				}
				status := 206
				if r.Headers["range"] == "" {
					status = 200
				}
				return httpstore.FetchResponse{Status: status, Type: "basic", Body: []byte("x")}, nil
			}}))(t)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			read := func(key string) {
				_, err := s.Read(ctx, key, ask)
				ended <- err
			}
			go read("sent")
			<-began
			go read("waits")
			cancel()
			for range 2 {
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
			for range 2 {
				for _, key := range []string{"sent", "waits"} {
					if _, err := s.Read(t.Context(), key, ask); err != nil {
						t.Error(err)
					}
				}
			}
			want := map[string][]string{"https://host.example/data/sent": {"", "reload", ""}, "https://host.example/data/waits": {"", ""}}
			if !maps.EqualFunc(modes, want, slices.Equal) {
				t.Errorf("%q, not %q", modes, want)
			}
		})
	}
}
