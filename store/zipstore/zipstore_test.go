package zipstore_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// file is a member that a test writes.
type file struct {
	name string
	data []byte
	zip.FileHeader
}

// pack writes an archive like archive/zip: with data descriptors, unless the header has sizes.
func pack(t testing.TB, files []file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	fast := func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) }
	w.RegisterCompressor(zip.Deflate, fast)
	for _, f := range files {
		h := f.FileHeader
		h.Name = f.name
		to, err := w.CreateHeader(&h)
		if err == nil {
			_, err = to.Write(f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

// members returns objects as members with a method, sorted by name.
func members(objects map[string][]byte, method uint16) []file {
	var files []file
	for name, data := range objects {
		files = append(files, file{name, data, zip.FileHeader{Method: method}})
	}
	slices.SortFunc(files, func(a, b file) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return files
}

// source is a mutable source in memory that records reads.
type source struct {
	mu    sync.Mutex
	data  []byte
	etag  string
	fails error
	asked []string
}

func (s *source) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := "all"
	if ask.Range != nil {
		text = ask.Range.String()
	}
	s.asked = append(s.asked, text)
	if s.fails != nil {
		return store.Extent{}, s.fails
	}
	if name != "a.zip" || s.data == nil {
		return store.Extent{}, store.NotFound(name)
	}
	e, err := store.Select(name, s.data, ask)
	e.ETag = s.etag
	return e, err
}

func (s *source) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *source) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func inflate(_ context.Context, method uint16, stored []byte, size int64) ([]byte, error) {
	if method != zip.Deflate {
		return nil, fmt.Errorf("method %d", method)
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(stored)), size+1))
	if err == nil && int64(len(b)) != size {
		err = fmt.Errorf("%d bytes, declared were %d", len(b), size)
	}
	return b, err
}

// open returns the store in an archive, and its source.
func open(t testing.TB, archive []byte, opt zipstore.Options) (*zipstore.Store, *source, *object.Layer) {
	t.Helper()
	src, layer := &source{data: archive}, object.NewLayer(64<<20)
	if opt.Decode == nil {
		opt.Decode = inflate
	}
	return must.Get(zipstore.New(store.Plain(src), "a.zip", layer, opt))(t), src, layer
}

func get(t testing.TB, s *zipstore.Store, l *object.Layer, key string) ([]byte, error) {
	t.Helper()
	e, err := store.ReadKey(t.Context(), s, key, store.Ask{}, l.Extent)
	return e.Bytes, err
}

func TestConformance(t *testing.T) {
	for name, h := range map[string]storetest.Harness{
		"stored": {New: func(t testing.TB, o map[string][]byte) store.Locator {
			s, _, _ := open(t, pack(t, members(o, zip.Store)), zipstore.Options{})
			return s
		}},
		"deflated": {New: func(t testing.TB, o map[string][]byte) store.Locator {
			s, _, _ := open(t, pack(t, members(o, zip.Deflate)), zipstore.Options{})
			return s
		}},
		"top folder": {New: func(t testing.TB, o map[string][]byte) store.Locator {
			below := map[string][]byte{}
			for name, data := range o {
				below["top.zarr/"+name] = data
			}
			if len(o) > 0 && o["zarr.json"] == nil {
				s, _, _ := open(t, pack(t, members(below, zip.Store)), zipstore.Options{Path: "/top.zarr/"})
				return s
			}
			s, _, _ := open(t, pack(t, members(below, zip.Store)), zipstore.Options{})
			return s
		}},
		"in an archive":        {New: func(t testing.TB, o map[string][]byte) store.Locator { return nested(t, o, zip.Store) }},
		"in a deflated member": {New: func(t testing.TB, o map[string][]byte) store.Locator { return nested(t, o, zip.Deflate) }},
	} {
		t.Run(name, func(t *testing.T) { h.Lists = true; storetest.Run(t, h) })
	}
}

// nested puts an archive into an archive, below a folder of a store.
func nested(t testing.TB, objects map[string][]byte, method uint16) store.Locator {
	inner := pack(t, members(objects, zip.Store))
	outer := pack(t, members(map[string][]byte{"x/in.zip": inner, "y": {1, 2, 3}}, method))
	layer := object.NewLayer(64 << 20)
	s, err := zipstore.New(store.Plain(memstore.New(map[string][]byte{"a.zip": outer})), "a.zip", layer, zipstore.Options{Decode: inflate})
	if err != nil {
		t.Fatal(err)
	}
	x := must.Get(prefix.New(s, "x"))(t)
	if s, err = zipstore.New(x, "in.zip", layer, zipstore.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

func crc32c(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
