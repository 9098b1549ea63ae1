package zipstore_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// opened returns the store in an archive.
func opened(t testing.TB, archive []byte) *zipstore.Store {
	return must.Get(zipstore.New(memstore.New(map[string][]byte{"a.zip": archive}), "a.zip", object.NewLayer(1<<20), zipstore.Options{}))(t)
}

// TestWriterConformance runs the suite on archives that a Writer wrote.
func TestWriterConformance(t *testing.T) {
	storetest.Run(t, storetest.Harness{Lists: true, New: func(t testing.TB, objects map[string][]byte) store.Locator {
		var b bytes.Buffer
		w := zipstore.NewWriter(&b)
		for key, data := range objects {
			must.Do(t, w.Set(t.Context(), key, data))
		}
		must.Do(t, w.Close())
		return opened(t, b.Bytes())
	}})
}

// TestWriterSequences writes, overwrites and deletes in random order, from several goroutines. It
// compares the archive with a model, as archive/zip and as this package reads it.
func TestWriterSequences(t *testing.T) {
	for seed := range uint64(20) {
		var b bytes.Buffer
		w := zipstore.NewWriter(&b)
		models := make([]map[string][]byte, 3)
		var wait sync.WaitGroup
		for g := range models {
			models[g] = map[string][]byte{}
			wait.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(g)))
				for range 40 {
					key := strconv.Itoa(g) + "/" + strconv.Itoa(r.IntN(3)) + "/é" + strconv.Itoa(r.IntN(5))
					switch r.IntN(8) {
					case 0, 1:
						delete(models[g], key)
						if err := w.Delete(t.Context(), key); err != nil {
							t.Error(err)
						}
					case 2:
						folder := key[:3]
						for k := range models[g] {
							if strings.HasPrefix(k, folder+"/") {
								delete(models[g], k)
							}
						}
						if err := w.DeleteAll(t.Context(), folder); err != nil {
							t.Error(err)
						}
					default:
						models[g][key] = storetest.Pattern(r.IntN(2000))
						if err := w.Set(t.Context(), key, models[g][key]); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wait.Wait()
		must.Do(t, w.Close())
		if err := w.Set(t.Context(), "late", nil); err == nil {
			t.Error("a closed archive was written to")
		}
		std := must.Get(zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
		ours := opened(t, b.Bytes())
		n := 0
		for _, model := range models {
			n += len(model)
			for key, want := range model {
				if got, err := fs.ReadFile(std, key); err != nil || !bytes.Equal(got, want) {
					t.Errorf("seed %d: archive/zip reads %d bytes of %s, %v; want %d", seed, len(got), key, err, len(want))
				}
				e, err := store.ReadKey(t.Context(), ours, key, store.Ask{}, object.NewLayer(1<<20).Extent)
				if err != nil || !bytes.Equal(e.Bytes, want) {
					t.Errorf("seed %d: read %d bytes of %s, %v; want %d", seed, len(e.Bytes), key, err, len(want))
				}
			}
		}
		if len(std.File) != n {
			t.Errorf("seed %d: %d members, want %d", seed, len(std.File), n)
		}
	}
}

// TestWriterMembers writes more members than the end record counts without ZIP64. The bytes are the
// same each time.
func TestWriterMembers(t *testing.T) {
	const members = 1<<16 + 3
	var first []byte
	for range 2 {
		var b bytes.Buffer
		w := zipstore.NewWriter(&b)
		for i := range members {
			must.Do(t, w.Set(t.Context(), strconv.Itoa(i), []byte{byte(i)}))
		}
		must.Do(t, w.Close())
		if first == nil {
			first = b.Bytes()
		} else if !bytes.Equal(first, b.Bytes()) {
			t.Error("the same writes made other bytes")
		}
	}
	std, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil || len(std.File) != members {
		t.Fatalf("%d members, %v", len(std.File), err)
	}
	names, err := opened(t, first).List(t.Context(), "")
	if err != nil || len(names) != members {
		t.Errorf("%d names, %v", len(names), err)
	}
}

// failing fails after a number of bytes.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if n := min(len(b), f.left); n < len(b) {
		f.left = 0
		return n, io.ErrClosedPipe
	}
	f.left -= len(b)
	return len(b), nil
}

// TestWriterFails fills the disk at each byte. From then on every write and Close fail.
func TestWriterFails(t *testing.T) {
	for left := range 300 {
		w := zipstore.NewWriter(&failing{left})
		failed := false
		for _, key := range []string{"a", "b", "c"} {
			err := w.Set(t.Context(), key, make([]byte, 20))
			if err == nil && failed || err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("after %d bytes: Set(%s): %v", left, key, err)
			}
			failed = failed || err != nil
		}
		if err := w.Close(); (err == nil) != (left >= 3*(30+1+20)+3*(46+1)+22) {
			t.Errorf("after %d bytes: Close: %v", left, err)
		}
	}
	w := zipstore.NewWriter(io.Discard)
	if err := w.Set(t.Context(), strings.Repeat("x", 1<<16), nil); err == nil {
		t.Error("a name of 65536 bytes was written")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Set(ctx, "a", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Set with a context that has ended: %v", err)
	}
}
