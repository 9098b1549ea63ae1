package zipstore_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/store/overlay"
	"zarr-wasm/store/storetest"
	"zarr-wasm/store/zipstore"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codecs"
	"zarr-wasm/zarr/grid"
)

const document = `{"zarr_format":3,"node_type":"array","shape":[%d,%d],"data_type":"uint8","fill_value":0,
	"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d,%d]}},"chunk_key_encoding":{"name":"default"},
	"codecs":[%s]}`

const sharded = `{"name":"sharding_indexed","configuration":{"chunk_shape":[32,32],"codecs":[{"name":"bytes"}],
	"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":"end"}}`

// array is the objects of an array of n by n chunks of a size: the document first, which is what most writers do.
func array(n, size int, spare int) []file {
	files := []file{{name: "zarr.json", data: fmt.Appendf(nil, document, n*size, n*size, size, size, `{"name":"bytes"}`)}}
	for i := range n {
		for j := range n {
			files = append(files, file{name: fmt.Sprintf("c/%d/%d", i, j), data: bytes.Repeat([]byte{byte(i*n + j)}, size*size)})
		}
	}
	for i := range spare {
		files = append(files, file{name: fmt.Sprintf("other/%d", i), data: storetest.Pattern(1 << 20)})
	}
	return files
}

// server sends one object, slowly, and notes requests and trips.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	data     []byte
	etag     string
	status   int
	requests []string
	trips    int
	until    time.Time
}

func serve(t *testing.T, data []byte) *server {
	s := &server{data: data, etag: `"1"`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.Header.Get("Range"))
		if now := time.Now(); now.After(s.until) {
			s.trips++
			s.until = now.Add(50 * time.Millisecond)
		}
		data, etag, status := s.data, s.etag, s.status
		s.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) take() (requests []string, trips int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, trips = s.requests, s.trips
	s.requests, s.trips = nil, 0
	return requests, trips
}

// hierarchy is the hierarchy in the archive.
func (s *server) hierarchy(t *testing.T) *zarr.Hierarchy {
	t.Helper()
	st, err := httpstore.New(s.URL, httpstore.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	caches := zarr.NewCaches(zarr.CacheOptions{})
	z, err := zipstore.New(store.Plain(st), "a.zip", caches.Layer(), zipstore.Options{Decode: inflate})
	if err != nil {
		t.Fatal(err)
	}
	return zarr.Over(z, codecs.Default(), zarr.Options{Caches: caches})
}

// Opening and reading 16 chunks that lie together takes 3 requests and 2 trips at most, and then none.
func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		archive         []byte
		requests, trips int
	}{
		"small":               {pack(t, array(4, 64, 0)), 2, 1},
		"large":               {assemble(usual, raws(array(4, 64, 4))...), 3, 2},
		"large, descriptors":  {pack(t, array(4, 64, 4)), 3, 2},
		"large, deflated":     {pack(t, method(array(4, 64, 4), zip.Deflate)), 3, 2},
		"large, extra fields": {assemble(usual, change(raws(array(4, 64, 4)), func(m *raw) { m.local = make([]byte, 28) })...), 3, 2},
		"large, aligned":      {assemble(usual, change(raws(array(4, 64, 4)), func(m *raw) { m.local = make([]byte, 2048) })...), 3, 2},
		"large chunks":        {assemble(usual, raws(array(4, 512, 4))...), 3, 2},
		"a large directory":   {assemble(usual, append(raws(array(4, 64, 0)), make70k(20_000)...)...), 4, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.archive)
			h := s.hierarchy(t)
			for again := range 2 {
				a, err := h.OpenArray(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				n := res.Shape[0]
				for i, v := range res.Data {
					if want := byte(i/n*4/n*4 + i%n*4/n); v != want {
						t.Fatalf("element %d is %d, want %d", i, v, want)
					}
				}
				requests, trips := s.take()
				t.Log(trips, requests)
				if again == 1 {
					c.requests, c.trips = 0, 0
				}
				if len(requests) > c.requests || trips > c.trips {
					t.Errorf("%d requests in %d trips, want %d in %d: %q", len(requests), trips, c.requests, c.trips, requests)
				}
			}
		})
	}
}

func raws(files []file) []raw {
	var all []raw
	for _, f := range files {
		all = append(all, plain(f.name, string(f.data)))
	}
	return all
}

func change(members []raw, f func(*raw)) []raw {
	for i := range members {
		f(&members[i])
	}
	return members
}

func method(files []file, method uint16) []file {
	for i := range files {
		files[i].Method = method
	}
	return files
}

// Of a shard in an archive only the index and the wanted inner chunks are read, also where its header has to be read first.
func TestShardInArchive(t *testing.T) {
	shard := make([]byte, 0, 2<<20)
	var index bytes.Buffer
	for i := range 1024 {
		put(&index, uint64(len(shard)), uint64(1024))
		shard = append(shard, bytes.Repeat([]byte{byte(i)}, 1024)...)
	}
	put(&index, crc32c(index.Bytes()))
	shard = append(shard, index.Bytes()...)
	files := []file{{name: "zarr.json", data: fmt.Appendf(nil, document, 1024, 1024, 1024, 1024, sharded)}, {name: "c/0/0", data: shard}}
	for name, c := range map[string]struct {
		archive []byte
		bytes   int
	}{
		"stored":     {assemble(usual, raws(files)...), 512 << 10},
		"descriptor": {pack(t, files), 512 << 10},
		"deflated":   {pack(t, method(files, zip.Deflate)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			src := &source{data: c.archive}
			caches := zarr.NewCaches(zarr.CacheOptions{})
			z, err := zipstore.New(store.Plain(src), "a.zip", caches.Layer(), zipstore.Options{Decode: inflate})
			if err != nil {
				t.Fatal(err)
			}
			a, err := zarr.Over(z, codecs.Default(), zarr.Options{Caches: caches}).OpenArray(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			src.take()
			for _, at := range []int64{33, 500, 1000} {
				res, err := a.Read(t.Context(), []grid.Item{grid.At(at), grid.At(64)}, zarr.ReadOptions{})
				if want := byte(at/32*32 + 2); err != nil || res.Data[0] != want {
					t.Fatalf("%v, %v; want %d", res, err, want)
				}
			}
			asked := src.take()
			t.Log(asked)
			total := int64(0)
			for _, text := range asked {
				var from, to int64
				if _, err := fmt.Sscanf(text, "bytes=%d-%d", &from, &to); err != nil {
					t.Fatal(text)
				}
				total += to - from + 1
			}
			if c.bytes > 0 && total > int64(c.bytes) {
				t.Errorf("%d bytes of %d were read: %q", total, len(shard), asked)
			}
		})
	}
}

// An archive that is replaced is read again, and never mixed with the old one.
func TestReplaced(t *testing.T) {
	with := func(v byte, more int) []byte {
		files := array(4, 64, 0)
		for i := range files[1:] {
			files[1+i].data = bytes.Repeat([]byte{v}, 64*64)
		}
		return assemble(usual, raws(append(files, file{name: "more", data: storetest.Pattern(1<<20 + more)}))...)
	}
	s := serve(t, with(1, 0))
	h := s.hierarchy(t)
	a, err := h.OpenArray(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	read := func() ([]byte, error) {
		res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil {
			return nil, err
		}
		return slices.Compact(res.Data), nil
	}
	one := func(i int64) ([]byte, error) {
		res, err := a.Read(t.Context(), []grid.Item{grid.At(i), grid.At(0)}, zarr.ReadOptions{})
		if err != nil {
			return nil, err
		}
		return res.Data, nil
	}
	if got, err := one(0); err != nil || got[0] != 1 {
		t.Fatal(got, err)
	}
	s.mu.Lock()
	s.data, s.etag = with(2, 1000), `"2"`
	s.mu.Unlock()
	if got, err := read(); err != nil || !bytes.Equal(got, []byte{2}) && !bytes.Equal(got, []byte{1}) {
		t.Error("mixed:", got, err)
	}
	h.Close()
	s.mu.Lock()
	s.status = 500
	s.mu.Unlock()
	h = s.hierarchy(t)
	if _, err := h.OpenArray(t.Context(), ""); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	s.mu.Lock()
	s.status = 404
	s.mu.Unlock()
	if _, err = h.OpenArray(t.Context(), ""); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "is absent") {
		t.Error(err)
	}
	s.mu.Lock()
	s.status = 0
	s.mu.Unlock()
	time.Sleep(10 * time.Millisecond)
}

// What fails leaves no trace, and who gives up leaves the others alone.
func TestFailureThenSuccess(t *testing.T) {
	archive := assemble(usual, plain("a", "one"), plain("b", strings.Repeat("two", 100_000)))
	s, src, layer := open(t, archive, zipstore.Options{})
	fault := errors.New("fault")
	src.set(func() { src.fails = fault })
	for range 2 {
		if _, err := get(t, s, layer, "a"); !errors.Is(err, fault) {
			t.Error(err)
		}
	}
	src.set(func() { src.fails = nil; src.data = archive[:len(archive)-30] })
	var wrong *zipstore.Error
	if _, err := get(t, s, layer, "a"); !errors.As(err, &wrong) {
		t.Error(err)
	}
	layer.Drop(src)
	src.set(func() { src.data = archive })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Locate(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := get(t, s, layer, "a"); err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	// Replaced by one that is damaged, and by a good one.
	other := assemble(usual, plain("a", "three"))
	src.set(func() { src.data = other[:20]; src.etag = `"2"` })
	layer.Drop(src)
	s.Refresh()
	if _, err := get(t, s, layer, "a"); !errors.As(err, &wrong) {
		t.Error(err)
	}
	src.set(func() { src.data = other; src.etag = `"3"` })
	if got, err := get(t, s, layer, "a"); err != nil || string(got) != "three" {
		t.Errorf("%q, %v", got, err)
	}
	// The one below that has it counts, and the archive is absent of which none has.
	none := store.Plain(&source{})
	over, err := zipstore.New(overlay.New(none, store.Plain(src)), "a.zip", layer, zipstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := get(t, over, layer, "a"); err != nil || string(got) != "three" {
		t.Errorf("%q, %v", got, err)
	}
	if over, err = zipstore.New(none, "a.zip", layer, zipstore.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, over, layer, "a"); !errors.As(err, &wrong) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, bad := range []string{"", "../a.zip", "/a.zip"} {
		if _, err := zipstore.New(none, bad, layer, zipstore.Options{}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := zipstore.New(none, "a.zip", layer, zipstore.Options{Path: "a/../b"}); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

// Many readers, some of whom give up, of an archive that is replaced over and over: each gets the bytes of one of the versions.
func TestHammer(t *testing.T) {
	var archives [3][]byte
	for v := range archives {
		members := []raw{plain("v", fmt.Sprint(v))}
		for i := range 40 {
			m := plain(fmt.Sprint("m", i), strings.Repeat(fmt.Sprint(v), 2000+100*i+v))
			if i%3 == 0 {
				m.flags = 8
			}
			members = append(members, m)
		}
		archives[v] = assemble(usual, members...)
	}
	s, src, layer := open(t, archives[0], zipstore.Options{})
	src.set(func() { src.etag = `"0"` })
	var wait sync.WaitGroup
	stop := make(chan struct{})
	for g := range 16 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 7))
			for range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(5) == 0 {
					time.AfterFunc(time.Duration(rng.IntN(200))*time.Microsecond, cancel)
				}
				i := rng.IntN(40)
				ask := store.Ask{Fresh: rng.IntN(10) == 0}
				if rng.IntN(3) == 0 {
					ask.Range = &store.ByteRange{Offset: int64(rng.IntN(1000)), Length: 500}
				}
				e, err := store.ReadKey(ctx, s, fmt.Sprint("m", i), ask, layer.Extent)
				switch {
				case errors.Is(err, context.Canceled) || ctx.Err() != nil:
				case errors.Is(err, store.ErrChanged):
					s.Refresh()
				case err != nil:
					t.Error(err)
				default:
					b := e.Bytes
					if ask.Range != nil {
						b, err = e.Cut("m", *ask.Range)
					}
					if err != nil || strings.Trim(string(b), string(b[:1])) != "" || ask.Range == nil && len(b) != 2000+100*i+int(b[0]-'0') {
						t.Errorf("%d bytes of %q..., %v", len(b), b[:1], err)
					}
				}
				if rng.IntN(20) == 0 {
					if _, err := s.List(ctx, ""); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrChanged) {
						t.Error(err)
					}
				}
				cancel()
			}
		})
	}
	go func() {
		for v := 1; ; v++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				src.set(func() { src.data, src.etag = archives[v%3], fmt.Sprintf(`"%d"`, v) })
			}
		}
	}()
	wait.Wait()
	close(stop)
}

// FuzzDirectory reads whatever an archive is made of: no panic, and no more memory than there is an archive.
func FuzzDirectory(f *testing.F) {
	a, z := plain("a/b", "one"), plain("zarr.json", "{}")
	stream := a
	stream.flags = 8
	for _, e := range []end{usual, with(func(e *end) { e.zip64 = true }), with(func(e *end) { e.before = "MZ"; e.comment = `{"ome":{}}` })} {
		f.Add(assemble(e, a, z, stream))
	}
	f.Add(pack(f, members(map[string][]byte{"zarr.json": []byte("{}"), "c/0": storetest.Pattern(100)}, zip.Deflate)))
	f.Fuzz(func(t *testing.T, archive []byte) {
		s, err := zipstore.New(store.Plain(&source{data: archive}), "a.zip", direct{}, zipstore.Options{Decode: inflate, MemberBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		names, err := s.List(t.Context(), "")
		if err != nil {
			return
		}
		if len(names)*46 > len(archive) {
			t.Errorf("%d names in %d bytes", len(names), len(archive))
		}
		if _, err := s.Tell(t.Context(), "info", 0); err != nil {
			t.Error(err)
		}
		for _, name := range names {
			if name, folder := strings.CutSuffix(name, "/"); folder {
				if below, err := s.List(t.Context(), name); err != nil || len(below) == 0 {
					t.Errorf("%q has %q, %v", name, below, err)
				}
				continue
			}
			whole, err := store.ReadKey(t.Context(), s, name, store.Ask{}, direct{}.Extent)
			if err != nil {
				continue
			}
			n := int64(len(whole.Bytes))
			r := store.ByteRange{Offset: n / 2, Length: n - n/2}
			part, err := store.ReadKey(t.Context(), s, name, store.Ask{Range: &r}, direct{}.Extent)
			if b, _ := part.Slice(r); err != nil || !bytes.Equal(b, whole.Bytes[n/2:]) {
				t.Errorf("%q: %v of it is %q, %v; all is %q", name, r, b, err, whole.Bytes)
			}
		}
	})
}
