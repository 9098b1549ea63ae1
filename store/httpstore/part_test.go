//go:build !js

package httpstore

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/fstest"

	"zarr-wasm/cmd/serve/static"
	"zarr-wasm/store"
	"zarr-wasm/store/storetest"
)

// TestPart reads parts as a page of the same origin does, and as one of another, which
// may not ask for the end of an object.
func TestPart(t *testing.T) {
	data := storetest.Pattern(5000)
	faults := &static.Faults{}
	server := httptest.NewServer(static.New(fstest.MapFS{"a": {Data: data}, "empty": {}}, static.Options{Faults: faults}))
	defer server.Close()
	tail := store.ByteRange{Length: 100, Suffix: true}
	middle := store.ByteRange{Offset: 50, Length: 10}
	noRange := static.Fault{IgnoreRange: true}
	for _, c := range []struct {
		name   string
		suffix bool
		r      *store.ByteRange
		enough int64
		faults []static.Fault
		asked  []string // method and range
		offset int64
		n      int
	}{
		{"tail", true, &tail, 0, nil, []string{"GET bytes=-100"}, 4900, 100},
		{"tail, enough", true, &tail, 9000, nil, []string{"GET bytes=-100"}, 4900, 100},
		{"tail, elsewhere", false, &tail, 0, nil, []string{"HEAD bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, elsewhere, small", false, &tail, 5000, nil, []string{"GET bytes=0-"}, 0, 5000},
		{"tail, elsewhere, large", false, &tail, 4999, nil, []string{"GET bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, not known", true, &tail, 0, []static.Fault{{Times: 1, Status: 416}}, []string{"GET bytes=-100", "HEAD bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, ranges not known", true, &tail, 0, []static.Fault{noRange}, []string{"GET bytes=-100"}, 0, 5000},
		{"middle", true, &middle, 0, nil, []string{"GET bytes=50-59"}, 50, 10},
		{"middle, ranges not known", true, &middle, 0, []static.Fault{noRange}, []string{"GET bytes=50-59"}, 0, 5000},
		{"whole", true, nil, 0, nil, []string{"GET "}, 0, 5000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := New(server.URL, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !s.suffix.Load() {
				t.Error("outside of a browser the end of an object needs no permission")
			}
			s.suffix.Store(c.suffix)
			faults.Reset()
			tag := map[string]string{"Etag": `"tag"`}
			for i := range c.faults {
				c.faults[i].Header = tag
			}
			faults.Set("a", append(c.faults, static.Fault{Header: tag})...)
			p, err := s.GetPart(t.Context(), "a", c.r, c.enough)
			if err != nil {
				t.Fatal(err)
			}
			if p.Offset != c.offset || p.Size != 5000 || !bytes.Equal(p.Bytes, data[c.offset:][:c.n]) || p.ETag != `"tag"` {
				t.Errorf("%d bytes from %d of %d, tag %q", len(p.Bytes), p.Offset, p.Size, p.ETag)
			}
			var asked []string
			for _, r := range faults.Requests() {
				asked = append(asked, r.Method+" "+r.Header["Range"])
			}
			if !slices.Equal(asked, c.asked) {
				t.Errorf("asked %q, want %q", asked, c.asked)
			}
		})
	}
	for _, suffix := range []bool{true, false} {
		for _, enough := range []int64{0, 9000} {
			s, err := New(server.URL, Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.suffix.Store(suffix)
			faults.Reset()
			for _, r := range []store.ByteRange{{Length: 5001, Suffix: true}, {Offset: 4990, Length: 11}} {
				if _, err := s.GetPart(t.Context(), "a", &r, enough); !errors.Is(err, store.ErrRange) {
					t.Errorf("%v: %v", r, err)
				}
			}
			if _, err := s.GetPart(t.Context(), "empty", &tail, enough); !errors.Is(err, store.ErrRange) {
				t.Errorf("the end of nothing: %v", err)
			}
		}
	}
}
