package zarr_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// batching is a source in memory that returns many objects at once, like a Map of a page.
type batching struct{ store.Source }

func (b batching) ReadAll(ctx context.Context, names []string) ([]store.Found, error) {
	found := make([]store.Found, len(names))
	for i, name := range names {
		found[i].Bytes, found[i].Err = store.Get(ctx, b.Source, name)
	}
	return found, nil
}

// wholes returns all objects of a store, as those of another folder.
func wholes(tb testing.TB, objects map[string][]byte) store.Locator {
	tb.Helper()
	below := map[string][]byte{}
	for key, b := range objects {
		below["a/"+key] = b
	}
	return must.Get(prefix.New(store.Plain(memstore.New(below)), "a"))(tb)
}

// written returns the objects of an array of float32 with a compressor or a checksum.
func written(tb testing.TB, shape, chunks []int64, compressor string) map[string][]byte {
	tb.Helper()
	st := memstore.New(nil)
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	a := must.Get(h.Create(tb.Context(), "", zarr.ArraySpec{Shape: shape, Chunks: chunks, DType: "float32", Codecs: []zarr.Codec{{Name: "bytes", Config: map[string]any{"endian": "little"}}, {Name: compressor}}}))(tb)
	n := int64(1)
	for _, size := range shape {
		n *= size
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i / 7)
	}
	must.Do(tb, a.Set(tb.Context(), nil, values, zarr.WriteOptions{}))
	objects := map[string][]byte{}
	var walk func(folder string)
	walk = func(folder string) {
		names, err := st.List(tb.Context(), folder)
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			key := store.Join(folder, name)
			if folder, ok := strings.CutSuffix(key, "/"); ok {
				walk(folder)
			} else if objects[key], err = store.Get(tb.Context(), st, key); err != nil {
				tb.Fatal(err)
			}
		}
	}
	walk("")
	return objects
}

func between(from, to int64) grid.Item { return grid.Range(&from, &to, nil) }

// BenchmarkRead reads chunks stored in all possible ways, and reports the cost of one chunk.
func BenchmarkRead(b *testing.B) {
	raw := array([]int{1024, 1024}, []int{32, 32}, nil)
	sparse := array([]int{1024, 1024}, []int{32, 32}, func([]int) bool { return true })
	coded := written(b, []int64{1024, 1024}, []int64{32, 32}, "crc32c")
	large := written(b, []int64{4096, 1024}, []int64{1024, 1024}, "zstd")
	shards := sharding{shape: []int{1024, 1024}, levels: [][]int{{512, 512}, {32, 32}}}.objects()
	nested := sharding{shape: []int{1024, 1024}, levels: [][]int{{512, 512}, {128, 128}, {32, 32}}}.objects()
	memory := zarr.Options{Requests: zarr.RequestOptions{Memory: true}, Cache: zarr.CacheOptions{Decoded: -1}}
	none := zarr.Options{Cache: zarr.CacheOptions{Decoded: -1, Encoded: -1, Indexes: -1}}
	over := func(l store.Locator, opt zarr.Options) *zarr.Hierarchy { return zarr.Over(l, codecs.Full(), opt) }
	packed := func(objects map[string][]byte) store.Locator {
		a, _ := pack(objects)
		return a
	}
	part := []grid.Item{between(100, 900), between(3, 1000)}
	for _, c := range []struct {
		name   string
		h      *zarr.Hierarchy
		sel    []grid.Item
		chunks int
	}{
		{"raw", hierarchy(memstore.New(raw), none), nil, 1024},
		{"raw in memory", hierarchy(memstore.New(raw), memory), nil, 1024},
		{"raw in batches", hierarchy(batching{memstore.New(raw)}, memory), nil, 1024},
		{"raw, whole objects", hierarchy(whole{memstore.New(raw)}, none), nil, 1024},
		{"raw, part", hierarchy(memstore.New(raw), none), part, 26 * 32},
		{"absent", hierarchy(memstore.New(sparse), none), nil, 1024},
		{"coded", hierarchy(memstore.New(coded), none), nil, 1024},
		{"coded in batches", hierarchy(batching{memstore.New(coded)}, memory), nil, 1024},
		{"coded and kept", hierarchy(memstore.New(coded), zarr.Options{}), nil, 1024},
		{"coded, one chunk", hierarchy(memstore.New(coded), none), []grid.Item{grid.At(5), grid.At(7)}, 1},
		{"large", hierarchy(memstore.New(large), none), nil, 4},
		{"large, rows", hierarchy(memstore.New(large), none), []grid.Item{between(100, 4000), between(10, 20)}, 4},
		{"shards", hierarchy(memstore.New(shards), none), nil, 1024},
		{"shards, kept", hierarchy(memstore.New(shards), zarr.Options{}), nil, 1024},
		{"shards, one chunk", hierarchy(memstore.New(shards), none), []grid.Item{grid.At(5), grid.At(7)}, 1},
		{"nested shards", hierarchy(memstore.New(nested), none), nil, 1024},
		{"locator, whole objects", over(wholes(b, raw), none), nil, 1024},
		{"locator, extents", over(packed(raw), none), nil, 1024},
		{"locator, extents, coded", over(packed(coded), none), nil, 1024},
		{"locator, shards", over(packed(shards), none), nil, 1024},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := must.Get(c.h.OpenArray(b.Context(), ""))(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Read(b.Context(), c.sel, zarr.ReadOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.chunks), "ns/chunk")
		})
	}
	points := make([][]int64, 2)
	for i := range int64(4096) {
		points[0] = append(points[0], i*37%1024)
		points[1] = append(points[1], i*91%1024)
	}
	for name, objects := range map[string]map[string][]byte{"points": raw, "points of shards": shards} {
		b.Run(name, func(b *testing.B) {
			a := must.Get(hierarchy(memstore.New(objects), none).OpenArray(b.Context(), ""))(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.ReadPoints(b.Context(), slices.Clone(points), zarr.ReadOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
