package zipstore_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

const document = `{"zarr_format":3,"node_type":"array","shape":[%d,%d],"data_type":"uint8","fill_value":0,
	"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d,%d]}},"chunk_key_encoding":{"name":"default"},
	"codecs":[%s]}`

const sharded = `{"name":"sharding_indexed","configuration":{"chunk_shape":[32,32],"codecs":[{"name":"bytes"}],
	"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":"end"}}`

// array returns the objects of an array of n by n chunks. The document comes first, as in most
// archives.
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

// A read of a shard in an archive fetches only the index and the wanted inner chunks. This holds
// even if it must fetch the member's header first.
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
			z := must.Get(zipstore.New(store.Plain(src), "a.zip", caches.Layer(), zipstore.Options{Decode: inflate}))(t)
			a := must.Get(zarr.Over(z, codecs.Default(), zarr.Options{Caches: caches}).OpenArray(t.Context(), ""))(t)
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

// A failure leaves no trace, and a cancelled reader does not affect others.
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
	src.set(func() { src.data = archive }) // the layer caches the damaged one
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Locate(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := get(t, s, layer, "a"); err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	// A damaged archive replaces it, and then a good one.
	other := assemble(usual, plain("a", "three"))
	src.set(func() { src.data = other[:20]; src.etag = `"2"` })
	s.Refresh()
	if _, err := get(t, s, layer, "a"); !errors.As(err, &wrong) {
		t.Error(err)
	}
	src.set(func() { src.data = other; src.etag = `"3"` })
	if got, err := get(t, s, layer, "a"); err != nil || string(got) != "three" {
		t.Errorf("%q, %v", got, err)
	}
	// The first lower layer with the archive counts. The archive is absent if no layer has it.
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

// TestHammer reads an archive that is replaced repeatedly from many goroutines, and cancels some.
// Each read returns the bytes of one version.
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

// FuzzDirectory reads arbitrary archives. Reads must not panic, and allocate no more memory than
// the archive's size.
func FuzzDirectory(f *testing.F) {
	a, z := plain("a/b", "one"), plain("zarr.json", "{}")
	stream := a
	stream.flags = 8
	for _, e := range []end{usual, with(func(e *end) { e.zip64 = true }), with(func(e *end) { e.before = "MZ"; e.comment = `{"ome":{}}` })} {
		f.Add(assemble(e, a, z, stream))
	}
	f.Add(pack(f, members(map[string][]byte{"zarr.json": []byte("{}"), "c/0": storetest.Pattern(100)}, zip.Deflate)))
	f.Fuzz(func(t *testing.T, archive []byte) {
		s := must.Get(zipstore.New(store.Plain(&source{data: archive}), "a.zip", direct{}, zipstore.Options{Decode: inflate, MemberBytes: 1 << 20}))(t)
		names, err := s.List(t.Context(), "")
		if err != nil {
			return
		}
		if len(names)*46 > len(archive) {
			t.Errorf("%d names in %d bytes", len(names), len(archive))
		}
		if _, err := s.Describe(t.Context(), "info", 0); err != nil {
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
