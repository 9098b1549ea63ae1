//go:build !js

package httpstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestForget answers the request that refreshes a browser's cache at random. The request must end
// at the first answer that may stay cached. It repeats with growing pauses, as often as other
// reads, and ends with its context.
func TestForget(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var at []time.Time
			ended := false
			w := &writeRequest{method: methodPut, body: []byte{7, 8}}
			if r.IntN(2) == 0 {
				w = &writeRequest{method: methodDelete}
			}
			asked := time.Duration(0)
			fetch := func(_ context.Context, req FetchRequest) (FetchResponse, error) {
				now := time.Now()
				if ended {
					t.Errorf("seed %d: asked once more", seed)
				}
				if n := len(at); n > 0 && now.Sub(at[n-1]) < max(asked, time.Second<<(n-1)/2) {
					t.Errorf("seed %d: request %d after %v", seed, n, now.Sub(at[n-1]))
				}
				at, asked = append(at, now), 0
				if req.Method != "GET" || req.Cache != "reload" || req.Headers["range"] != "bytes=0-0" {
					t.Errorf("seed %d: %+v", seed, req)
				}
				put := w.method == methodPut
				headers := map[string]string{"content-range": "bytes 0-0/2", "content-length": "1"}
				switch r.IntN(9) {
				case 0:
					ended = true
					return FetchResponse{Status: 404 + 6*r.IntN(2)}, nil
				case 1:
					ended = true
					// the store's own status for absent objects
					return FetchResponse{Status: 418}, nil
				case 2:
					ended = put
					return FetchResponse{Status: 206, Headers: headers, Body: []byte{7}}, nil
				case 3:
					return FetchResponse{Status: 206, Headers: headers, Body: []byte{9}}, nil
				case 4:
					return FetchResponse{Status: 200, Headers: map[string]string{"content-type": "text/html"}}, nil
				case 5:
					ended = put
					return FetchResponse{Status: 200, Large: 2}, nil
				case 6:
					asked = 5 * time.Second
					if ended = r.IntN(2) == 0; ended {
						return FetchResponse{Status: 503, Headers: map[string]string{"retry-after": "3600"}}, nil
					}
					return FetchResponse{Status: 503, Headers: map[string]string{"retry-after": "5"}}, nil
				case 7:
					ended = true
					cancel()
					return FetchResponse{}, errors.New("ended")
				}
				return FetchResponse{}, errors.New("the network failed")
			}
			retries := r.IntN(6) - 1
			s := must.Get(New("http://example.org/data", Options{Fetch: fetch, RetryDelay: time.Second, Retries: retries, MissingStatus: []int{418}}))(t)
			before := time.Now()
			s.forget(ctx, "key", "http://example.org/data/key", w)
			most := map[int]int{-1: 3, 0: 4, 1: 3, 2: 3}[retries]
			if most == 0 {
				most = retries + 1
			}
			if took := time.Since(before); took > 2*time.Minute {
				t.Errorf("seed %d: a write waited %v more", seed, took)
			}
			if len(at) > most || !ended && len(at) < most {
				t.Errorf("seed %d: %d requests, of %d", seed, len(at), most)
			}
		})
	}
}
