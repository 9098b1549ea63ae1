package httpstore_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// FuzzAnswers reads from a server with arbitrary answers. Each read returns the requested length or
// an error with a name.
func FuzzAnswers(f *testing.F) {
	body := []byte("0123456789abcdef")
	for _, headers := range []string{
		"content-range: bytes 2-5/16\ncontent-length: 4\netag: \"a\"", "content-range: bytes 2-5/*", "content-range: items 2-5/16", "content-range: bytes */16",
		"content-range: bytes 0-15/16", "content-length: 16\ncontent-encoding: gzip\nlast-modified: Mon, 01 Jan 2024 00:00:00 GMT", "content-type: text/html",
		"location: https://other.test/x\nretry-after: 99999999999", "etag: W/\"\"\ncontent-range: bytes 18446744073709551615-0/0", "content-length: -1",
		"accept-ranges: none\nlast-modified: yesterday", "retry-after: Mon, 01 Jan 2024 00:00:00 GMT",
	} {
		for _, status := range []uint16{0, 200, 204, 206, 301, 304, 403, 404, 416, 429, 500, 503} {
			f.Add(status, headers, body, int64(2), int64(4))
		}
		f.Add(uint16(206), headers, body[2:6], int64(-4), int64(4))
		f.Add(uint16(206), headers, body[2:6], int64(2), int64(0))
	}
	f.Fuzz(func(t *testing.T, status uint16, headers string, body []byte, offset, length int64) {
		answer := httpstore.FetchResponse{Status: int(status % 1000), Headers: map[string]string{}, Type: "basic", Body: body}
		for _, line := range strings.Split(headers, "\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				answer.Headers[strings.ToLower(name)] = value
			}
		}
		if len(headers)%2 == 1 {
			answer.Type = "cors" // few headers are visible
		}
		asked := 0
		s := must.Get(httpstore.New("https://data.test/a.zarr?key=secret", httpstore.Options{
			Headers: map[string]string{"authorization": "secret"},
			Retries: -1, RetryDelay: 1, MaxBytes: 1 << 16,
			Fetch: func(_ context.Context, r httpstore.FetchRequest) (httpstore.FetchResponse, error) {
				if asked++; asked > 20 {
					t.Fatal("it asks for ever")
				}
				if !strings.HasPrefix(r.URL, "https://data.test/") && (r.Headers["authorization"] != "" || strings.Contains(r.URL, "secret") && !strings.Contains(headers, "secret")) {
					t.Errorf("what is meant for one origin goes to %s", r.URL)
				}
				return answer, nil
			},
		}))(t)
		check := func(err error) {
			t.Helper()
			var http *httpstore.Error
			var limit *limits.Error
			if err != nil && !errors.As(err, &http) && !errors.As(err, &limit) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrRange) && !errors.Is(err, store.ErrChanged) {
				t.Errorf("%d, %q: %T %v", answer.Status, headers, err, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") && !strings.Contains(headers, "secret") {
				t.Errorf("a secret is told: %v", err)
			}
		}
		r := store.ByteRange{Offset: offset, Length: length}
		e, err := s.Read(t.Context(), "c/0", store.Ask{Range: &r})
		check(err)
		if err == nil {
			if b, ok := e.Slice(r); !ok || int64(len(b)) != length {
				t.Errorf("%d, %q: %d bytes of %+v", answer.Status, headers, len(b), r)
			}
		}
		asked = 0
		_, err = s.Read(t.Context(), "zarr.json", store.Ask{MaxBytes: 1 << 10})
		check(err)
		asked = 0
		_, err = s.Size(t.Context(), "c/0")
		check(err)
		asked = 0
		if _, err = s.List(t.Context(), ""); !errors.Is(err, errors.ErrUnsupported) {
			check(err)
		}
	})
}
