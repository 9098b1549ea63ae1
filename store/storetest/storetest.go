// Package storetest has the suite that every store passes.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Harness creates the store under test for the suite.
type Harness struct {
	// New returns a store with exactly these objects: a locator, or a source wrapped by
	// store.Plain. The suite calls it once per test. No name is both object and folder.
	New func(t testing.TB, objects map[string][]byte) store.Locator
	// Lists requires that the store lists. A store that lists is tested in any case.
	Lists bool
	// Unsupported reports keys of the suite that this kind of store cannot hold; nil means none.
	// Keys of letters, digits, dots and slashes must be supported.
	Unsupported func(key string) bool
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Run("Get", h.get)
	t.Run("Keys", h.keys)
	t.Run("Absent", h.absent)
	t.Run("BadKeys", h.badKeys)
	t.Run("Range", h.ranges)
	t.Run("List", h.list)
	t.Run("Context", h.context)
	t.Run("Concurrent", h.concurrent)
}

// reader reads from a store by key.
type reader struct {
	store.Locator
	*store.Capabilities
}

func (h Harness) open(t testing.TB, objects map[string][]byte) reader {
	l := h.New(t, objects)
	return reader{l, store.CapabilitiesOf(l)}
}

func (r reader) read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	return store.ReadKey(ctx, r.Locator, key, ask, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	})
}

// Get returns the object under a key.
func (r reader) Get(ctx context.Context, key string) ([]byte, error) {
	e, err := r.read(ctx, key, store.Ask{})
	return e.Bytes, err
}

// GetRange returns a part of the object under a key.
func (r reader) GetRange(ctx context.Context, key string, br store.ByteRange) ([]byte, error) {
	e, err := r.read(ctx, key, store.Ask{Range: &br})
	if err != nil {
		return nil, err
	}
	return e.Cut(key, br)
}

// Pattern returns n bytes that differ by position, for tests that must detect bytes from a wrong
// place.
func Pattern(n int) []byte {
	data := make([]byte, n)
	x := uint32(n)*2654435761 + 1
	for i := range data {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		data[i] = byte(x >> 8)
	}
	return data
}

// Sizes of the largest object. Compressing a large one takes long, and few tests read it.
const (
	large = 3<<20 + 17
	small = 70_001
)

// hierarchy returns the objects of most tests. The largest has this size in bytes.
func hierarchy(largest int) map[string][]byte {
	return map[string][]byte{
		"zarr.json":         []byte(`{"zarr_format":3,"node_type":"group"}`),
		".zattrs":           []byte("{}"),
		"a/.zarray":         Pattern(300),
		"a/0.0":             Pattern(1000),
		"a/0.1":             {},
		"a/1.0":             {7},
		"ab/zarr.json":      Pattern(20),
		"ab/c/0/0/0":        Pattern(largest),
		"ab/c/0/0/1":        Pattern(70_000),
		"deep/er/and/er/0":  Pattern(5),
		"deep/er-and/er/0":  Pattern(6),
		"deep/er.and/er/00": Pattern(7),
	}
}

func (h Harness) get(t *testing.T) {
	objects := hierarchy(large)
	s := h.open(t, objects)
	for range 2 { // the second read may come from caches
		for key, want := range objects {
			got, err := s.Get(t.Context(), key)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("Get(%q): %d bytes, %v; want %d bytes", key, len(got), err, len(want))
			}
			// Appending to a result must not change the results of other readers.
			_ = append(got, 0xEE, 0xEE, 0xEE)
		}
	}
}

func (h Harness) keys(t *testing.T) {
	objects := map[string][]byte{}
	for i, key := range []string{
		"my group with spaces/zarr.json", "plus+plus/0", "per%cent/0", "a%2Bb", "a%2Fb", "%2e%2e/0", "hash#tag/0", "quest?ion=1/0",
		"amp&ersand", "semi;colon", "col:on", "at@sign", "equals=sign", "comma,comma", "dollar$", "tilde~", "quote'single", "star*!()",
		`quote"double`, `back\slash`, "angle<>", "[brackets]", "{braces}", "pipe|caret^tick`", "grüße/日本/🧊", "e\u0301",
		"c/0/1/2", "0.0.0", ".hidden", "...", "..a", "a..", ".a/.b", " ", " lead", "trail ", strings.Repeat("long", 60),
	} {
		if h.Unsupported == nil || !h.Unsupported(key) {
			objects[key] = Pattern(10 + i)
		}
	}
	s := h.open(t, objects)
	for key, want := range objects {
		if got, err := s.Get(t.Context(), key); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Get(%q): %d bytes, %v; want %d bytes", key, len(got), err, len(want))
		}
		if got, err := s.GetRange(t.Context(), key, store.ByteRange{Offset: 2, Length: 5}); err != nil || !bytes.Equal(got, want[2:7]) {
			t.Errorf("GetRange(%q, 2+5): % x, %v; want % x", key, got, err, want[2:7])
		}
	}
}

func (h Harness) absent(t *testing.T) {
	s := h.open(t, hierarchy(small))
	for _, key := range []string{
		"nothing", "a/nothing", "nothing/at/all", "zarr", "zarr.jso", "zarr.jsonx", "ZARR.JSON?", "a/0.2", "a%2F0.0",
		"a", "ab/c", "ab/c/0/0", "deep", // folders
		"zarr.json/x", "a/0.0/x/y", // below an object
	} {
		if got, err := s.Get(t.Context(), key); got != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%q): %d bytes, %v; want an error that matches fs.ErrNotExist", key, len(got), err)
		}
		for _, r := range []store.ByteRange{{Length: 1}, {Offset: 10, Length: 5}, {Length: 0}, {Length: 4, Suffix: true}, {Length: 0, Suffix: true}} {
			if got, err := s.GetRange(t.Context(), key, r); got != nil || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("GetRange(%q, %+v): %d bytes, %v; want an error that matches fs.ErrNotExist", key, r, len(got), err)
			}
		}
	}
}

func (h Harness) badKeys(t *testing.T) {
	s := h.open(t, hierarchy(small))
	for _, key := range []string{
		"", "/", "/zarr.json", "zarr.json/", "a//0.0", "a/./0.0", "./zarr.json", "a/../zarr.json", "../zarr.json", "..", ".", "a/..", "a/.",
	} {
		if got, err := s.Get(t.Context(), key); got != nil || !errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%q): %d bytes, %v; want an error that matches fs.ErrInvalid", key, len(got), err)
		}
		if got, err := s.GetRange(t.Context(), key, store.ByteRange{Length: 1}); got != nil || !errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("GetRange(%q): %d bytes, %v; want an error that matches fs.ErrInvalid", key, len(got), err)
		}
		if s.Lister != nil && key != "" {
			if got, err := s.List(t.Context(), key); got != nil || !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("List(%q): %q, %v; want an error that matches fs.ErrInvalid", key, got, err)
			}
		}
	}
}

func (h Harness) ranges(t *testing.T) {
	objects := hierarchy(large)
	s := h.open(t, objects)
	const huge = math.MaxInt64
	for _, test := range []struct {
		key  string
		r    store.ByteRange
		fail bool
	}{
		{key: "a/0.0", r: store.ByteRange{Offset: 0, Length: 1000}},
		{key: "a/0.0", r: store.ByteRange{Offset: 0, Length: 1}},
		{key: "a/0.0", r: store.ByteRange{Offset: 999, Length: 1}},
		{key: "a/0.0", r: store.ByteRange{Offset: 100, Length: 500}},
		{key: "a/0.0", r: store.ByteRange{Offset: 0, Length: 0}},
		{key: "a/0.0", r: store.ByteRange{Offset: 1000, Length: 0}},
		{key: "a/0.0", r: store.ByteRange{Length: 1000, Suffix: true}},
		{key: "a/0.0", r: store.ByteRange{Length: 16, Suffix: true}},
		{key: "a/0.0", r: store.ByteRange{Length: 1, Suffix: true}},
		{key: "a/0.0", r: store.ByteRange{Length: 0, Suffix: true}},
		{key: "a/1.0", r: store.ByteRange{Length: 1, Suffix: true}},
		{key: "a/0.1", r: store.ByteRange{Length: 0}},
		{key: "a/0.1", r: store.ByteRange{Length: 0, Suffix: true}},
		{key: "ab/c/0/0/0", r: store.ByteRange{Offset: 1 << 20, Length: 1<<21 + 17}},
		{key: "ab/c/0/0/0", r: store.ByteRange{Length: 1<<20 + 1, Suffix: true}},

		{key: "a/0.0", r: store.ByteRange{Offset: 0, Length: 1001}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: 990, Length: 11}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: 1000, Length: 1}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: 1001, Length: 0}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: 1 << 40, Length: 10}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: 10, Length: huge}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: huge, Length: huge}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: huge, Length: 1}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: -1, Length: 2}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Offset: 5, Length: -1}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Length: 1001, Suffix: true}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Length: huge, Suffix: true}, fail: true},
		{key: "a/0.0", r: store.ByteRange{Length: -1, Suffix: true}, fail: true},
		{key: "a/0.1", r: store.ByteRange{Length: 1}, fail: true},
		{key: "a/0.1", r: store.ByteRange{Length: 1, Suffix: true}, fail: true},
	} {
		got, err := s.GetRange(t.Context(), test.key, test.r)
		if test.fail {
			if got != nil || !errors.Is(err, store.ErrRange) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("GetRange(%q, %+v): %d bytes, %v; want an error that matches store.ErrRange", test.key, test.r, len(got), err)
			}
			continue
		}
		from, to, _ := test.r.Resolve(int64(len(objects[test.key])))
		if err != nil || !bytes.Equal(got, objects[test.key][from:to]) {
			t.Errorf("GetRange(%q, %+v): %d bytes, %v; want %d bytes", test.key, test.r, len(got), err, to-from)
		}
		_ = append(got, 0xEE, 0xEE)
	}
	for key, want := range objects {
		if got, err := s.Get(t.Context(), key); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Get(%q) after reading ranges: %d bytes, %v; want the %d bytes as they were", key, len(got), err, len(want))
		}
	}
}

func (h Harness) list(t *testing.T) {
	s := h.open(t, hierarchy(small))
	if s.Lister == nil {
		if h.Lists {
			t.Fatal("not a store.Lister")
		}
		t.Skip("not a store.Lister")
	}
	for prefix, want := range map[string][]string{
		"":            {".zattrs", "a/", "ab/", "deep/", "zarr.json"},
		"a":           {".zarray", "0.0", "0.1", "1.0"},
		"ab":          {"c/", "zarr.json"},
		"ab/c":        {"0/"},
		"ab/c/0/0":    {"0", "1"},
		"deep":        {"er-and/", "er.and/", "er/"},
		"deep/er":     {"and/"},
		"nothing":     nil,
		"dee":         nil,
		"zarr.json":   nil,
		"zarr.json/a": nil,
		"a/0.0/1":     nil,
	} {
		got, err := s.List(t.Context(), prefix)
		if unknown(s, err) && (!h.Lists || want == nil) {
			continue
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
	empty := h.open(t, map[string][]byte{})
	if empty.Lister == nil {
		t.Fatal("an empty store is not a store.Lister")
	}
	if got, err := empty.List(t.Context(), ""); err != nil && !unknown(empty, err) || len(got) != 0 {
		t.Errorf("List of an empty store = %q, %v", got, err)
	}
}

// unknown reports whether a list may fail with that error, because the store's lists are
// incomplete.
func unknown(s reader, err error) bool {
	return errors.Is(err, errors.ErrUnsupported) && !s.ListsAll()
}

func (h Harness) context(t *testing.T) {
	s := h.open(t, hierarchy(small))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, ctx := range []context.Context{cancelled, late} {
		for _, key := range []string{"a/0.0", "nothing"} {
			if got, err := s.Get(ctx, key); got != nil || !errors.Is(err, ctx.Err()) {
				t.Errorf("Get(%q): %d bytes, %v; want %v", key, len(got), err, ctx.Err())
			}
			if got, err := s.GetRange(ctx, key, store.ByteRange{Length: 1}); got != nil || !errors.Is(err, ctx.Err()) {
				t.Errorf("GetRange(%q): %d bytes, %v; want %v", key, len(got), err, ctx.Err())
			}
			if s.Lister != nil {
				if got, err := s.List(ctx, key); got != nil || !errors.Is(err, ctx.Err()) {
					t.Errorf("List(%q): %q, %v; want %v", key, got, err, ctx.Err())
				}
			}
		}
	}
	if _, err := s.Get(t.Context(), "a/0.0"); err != nil {
		t.Errorf("after cancelled calls: %v", err)
	}
}

// concurrent reads from many goroutines and cancels a third of them midway. The others must get
// whole objects.
func (h Harness) concurrent(t *testing.T) {
	objects := hierarchy(1<<18 + 17)
	s := h.open(t, objects)
	keys := make([]string, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var wait sync.WaitGroup
	for i := range 48 {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			quitter := i%3 == 2
			if quitter {
				timer := time.AfterFunc(time.Duration(i)*100*time.Microsecond, cancel)
				defer timer.Stop()
			}
			for j := range 6 {
				key := keys[(i+j)%len(keys)]
				want := objects[key]
				got, err := s.Get(ctx, key)
				if err == nil && len(want) > 0 {
					if !bytes.Equal(got, want) {
						t.Errorf("Get(%q): wrong bytes", key)
					}
					n := int64(len(want)) / 2
					want = want[n:]
					got, err = s.GetRange(ctx, key, store.ByteRange{Offset: n, Length: int64(len(want))})
				}
				if err == nil && s.Lister != nil {
					if _, err = s.List(ctx, "a"); unknown(s, err) {
						err = nil
					}
				}
				switch {
				case err == nil && !bytes.Equal(got, want):
					t.Errorf("%q: wrong bytes", key)
				case err != nil && !(quitter && errors.Is(err, context.Canceled)):
					t.Errorf("%q: %v", key, err)
				}
			}
		})
	}
	wait.Wait()
}
