package references_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore/parquet"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// chance writes a document of random arrays, and returns the bytes of its chunks. Those that are
// absent are nil.
func chance(t *testing.T, r *rand.Rand, data []byte) (*references.Document, map[string][]byte) {
	doc, want := &references.Document{}, map[string][]byte{}
	for file := range 1 + r.IntN(3) {
		group := fmt.Sprintf("file%d/group", file)
		w := doc.File("https://host/data.bin", group, nil)
		must.Do(t, w.Group("", map[string]any{"title": "“a”", "nan": 0.5}))
		for n := range r.IntN(4) {
			path := fmt.Sprintf("a%d", n)
			a := references.Array{Type: "|u1", Attributes: map[string]any{"n": int64(n)}}
			total := int64(1)
			for range r.IntN(4) {
				chunk, count := 1+r.Int64N(4), r.Int64N(40)
				a.Chunks, a.Shape = append(a.Chunks, chunk), append(a.Shape, max(chunk*count-r.Int64N(chunk), 0))
				total *= count
			}
			if a.Shape == nil {
				a.Shape, a.Chunks = []int64{}, []int64{}
			}
			chunks, err := w.Array(path, a)
			if err != nil {
				t.Fatal(err)
			}
			at, grid := make([]int64, len(a.Shape)), make([]int64, len(a.Shape))
			for i := range grid {
				grid[i] = (a.Shape[i] + a.Chunks[i] - 1) / a.Chunks[i]
			}
			all, inline := r.IntN(3) == 0, r.IntN(2) == 0
			for more := total > 0; more; more = references.Next(at, grid) {
				key := group + "/" + path + "/" + name(at)
				offset, length := r.IntN(len(data)-10), 1+r.IntN(9)
				b := data[offset : offset+length]
				switch {
				case !all && r.IntN(3) > 0:
					want[key] = nil
					continue
				case inline && r.IntN(5) == 0:
					err = chunks.Inline(at, b)
				default:
					err = chunks.Range(at, int64(offset), int64(length))
				}
				if want[key] = b; err != nil {
					t.Fatal(err)
				}
			}
			// A place outside of the grid is nowhere.
			if len(at) > 0 {
				must.Do(t, chunks.Range(grid, 0, 1))
			}
		}
	}
	return doc, want
}

func name(at []int64) string {
	if len(at) == 0 {
		return "0"
	}
	s := ""
	for i, n := range at {
		if i > 0 {
			s += "."
		}
		s += fmt.Sprint(n)
	}
	return s
}

// TestBothFormatsHaveTheReferencesThatWereAdded writes random documents as JSON and as Parquet
// files. The readers of both find the bytes of every chunk, and no others.
func TestBothFormatsHaveTheReferencesThatWereAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	// found returns the bytes of a key, or nil if it is absent.
	found := func(s store.Locator, key string) ([]byte, error) {
		at, err := s.Locate(t.Context(), key)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil || at.Source == nil:
			return at.Inline, err
		case at.Name != "data.bin":
			return nil, errors.New("the file is " + at.Name)
		}
		return data[at.Offset : at.Offset+at.Length], nil
	}
	files := 0
	for range rounds.Each(60) {
		doc, want := chance(t, r, data)
		objects := map[string][]byte{}
		var text bytes.Buffer
		n, err := doc.WriteTo(&text)
		if err != nil || n != int64(text.Len()) || !json.Valid(text.Bytes()) {
			t.Fatal(err, n, text.Len())
		}
		last := ""
		if err := doc.WriteParquet(func(name string, data []byte) error {
			if objects[name] != nil {
				t.Errorf("%s is written twice", name)
			}
			objects[name], last = data, name
			files++
			return nil
		}); err != nil || last != ".zmetadata" {
			t.Fatal(err, last)
		}
		layer := object.NewLayer(1 << 20)
		sources := target.NewSources(func(string) (store.Source, error) {
			return httpstore.New("https://host", httpstore.Options{})
		}, layer.Drop)
		stores := map[string]store.Locator{
			"JSON":    refstore.New(store.Plain(memstore.New(map[string][]byte{"refs.json": text.Bytes()})), "refs.json", layer, sources, refstore.Options{}),
			"Parquet": parquet.New(store.Plain(memstore.New(objects)), layer, sources, parquet.Options{Decompress: codecs.Parquet(codecs.Full())}),
		}
		keys := 0
		for kind, s := range stores {
			for key, b := range want {
				if got, err := found(s, key); err != nil || !bytes.Equal(got, b) {
					t.Fatalf("%s: %s is %x, want %x: %v", kind, key, got, b, err)
				}
				if b != nil {
					keys++
				}
			}
		}
		var metadata struct{ Metadata map[string]json.RawMessage }
		must.Do(t, json.Unmarshal(objects[".zmetadata"], &metadata))
		if keys/2+len(metadata.Metadata) != doc.Keys() {
			t.Errorf("%d chunks and %d documents, but %d references", keys/2, len(metadata.Metadata), doc.Keys())
		}
	}
	t.Logf("%d files", files)
}
