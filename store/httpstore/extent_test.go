//go:build !js

package httpstore

import (
	"bytes"
	"errors"
	"maps"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/inmemory"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestPart reads parts like a page of the same origin. It also reads like a page of another origin,
// which may not ask for the end of an object.
func TestPart(t *testing.T) {
	data := storetest.Pattern(5000)
	files := fstest.MapFS{"a": {Data: data}, "empty": {}}
	tail := store.ByteRange{Length: 100, Suffix: true}
	middle := store.ByteRange{Offset: 50, Length: 10}
	noRange := faulty.Fault{IgnoreRange: true}
	capped := faulty.Fault{Times: 1, Status: 206, Body: string(data[:700]), Header: map[string]string{"Content-Range": "bytes 0-699/5000"}}
	// the store waits for a share of the time that the answer took to begin
	later := faulty.Fault{Delay: 800}
	enough := func(n int64) store.Hint { return store.Hint{Enough: n} }
	from := func(n int64) store.Hint { return store.Hint{From: n} }
	for _, c := range []struct {
		name   string
		suffix bool
		r      *store.ByteRange
		hint   store.Hint
		faults []faulty.Fault
		asked  []string // method and range
		offset int64
		n      int
	}{
		{"tail", true, &tail, store.Hint{}, nil, []string{"GET bytes=-100"}, 4900, 100},
		{"tail, enough", true, &tail, store.Hint{Enough: 9000, From: 4900}, nil, []string{"GET bytes=-100"}, 4900, 100},
		{"tail, elsewhere", false, &tail, store.Hint{}, nil, []string{"HEAD bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, elsewhere, small", false, &tail, enough(5000), nil, []string{"GET bytes=0-"}, 0, 5000},
		{"tail, elsewhere, larger, fast", false, &tail, enough(4999), []faulty.Fault{later}, []string{"GET bytes=0-"}, 0, 5000},
		{"tail, elsewhere, larger, slow", false, &tail, enough(4999), []faulty.Fault{{Times: 1, HangBody: true}}, []string{"GET bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, elsewhere, much larger", false, &tail, enough(1000), nil, []string{"GET bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, guessed", false, &tail, from(4900), nil, []string{"GET bytes=4900-"}, 4900, 100},
		{"tail, guessed, and more", false, &tail, store.Hint{From: 4000, Enough: 1000}, nil, []string{"GET bytes=4000-"}, 4000, 1000},
		{"tail, guessed too low", false, &tail, from(4000), nil, []string{"GET bytes=4000-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, guessed too high", false, &tail, from(4950), nil, []string{"GET bytes=4950-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, guessed beyond", false, &tail, from(6000), nil, []string{"GET bytes=6000-", "GET bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, guessed, ranges not known", false, &tail, from(4900), []faulty.Fault{noRange}, []string{"GET bytes=4900-"}, 0, 5000},
		{"tail, elsewhere, large, ranges not known", false, &tail, enough(1000), []faulty.Fault{noRange}, []string{"GET bytes=0-"}, 0, 5000},
		{"tail, elsewhere, less than all is sent", false, &tail, enough(1000), []faulty.Fault{capped, {}}, []string{"GET bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, not known", true, &tail, store.Hint{}, []faulty.Fault{{Times: 1, Status: 416}}, []string{"GET bytes=-100", "HEAD bytes=0-", "GET bytes=4900-4999"}, 4900, 100},
		{"tail, ranges not known", true, &tail, store.Hint{}, []faulty.Fault{noRange}, []string{"GET bytes=-100"}, 0, 5000},
		{"middle", true, &middle, store.Hint{}, nil, []string{"GET bytes=50-59"}, 50, 10},
		{"middle, ranges not known", true, &middle, store.Hint{}, []faulty.Fault{noRange}, []string{"GET bytes=50-59"}, 0, 5000},
		{"whole", true, nil, store.Hint{}, nil, []string{"GET "}, 0, 5000},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				faults := &faulty.Faults{}
				s := must.Get(New("http://host.example", Options{Platform: Platform{Client: inmemory.Serve(t, faulty.New(files, static.Options{}, faults))}}))(t)
				if !s.suffix.Load() {
					t.Error("outside of a browser the end of an object needs no permission")
				}
				s.suffix.Store(c.suffix)
				tag := map[string]string{"Etag": `"tag"`}
				for i := range c.faults {
					c.faults[i].Header = maps.Clone(c.faults[i].Header)
					if c.faults[i].Header == nil {
						c.faults[i].Header = map[string]string{}
					}
					maps.Copy(c.faults[i].Header, tag)
				}
				faults.Set("a", append(c.faults, faulty.Fault{Header: tag})...)
				p := must.Get(s.Read(t.Context(), "a", store.Ask{Range: c.r, Hint: c.hint}))(t)
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
		})
	}
	faults := &faulty.Faults{}
	server := httptest.NewServer(faulty.New(files, static.Options{}, faults))
	defer server.Close()
	for _, suffix := range []bool{true, false} {
		for _, hint := range []store.Hint{{}, enough(9000), from(4000), from(6000), {Enough: 9000, From: 4900}} {
			s := must.Get(New(server.URL, Options{}))(t)
			s.suffix.Store(suffix)
			faults.Reset()
			for _, r := range []store.ByteRange{{Length: 5001, Suffix: true}, {Offset: 4990, Length: 11}} {
				if _, err := s.Read(t.Context(), "a", store.Ask{Range: &r, Hint: hint}); !errors.Is(err, store.ErrRange) {
					t.Errorf("%v: %v", r, err)
				}
			}
			if _, err := s.Read(t.Context(), "empty", store.Ask{Range: &tail, Hint: hint}); !errors.Is(err, store.ErrRange) {
				t.Errorf("the end of nothing: %v", err)
			}
		}
	}
}
