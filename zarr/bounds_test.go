package zarr_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// v2Doc returns a .zarray of one dimension without a compressor.
func v2Doc(shape, chunk int64, more string) []byte {
	return fmt.Appendf(nil, `{"zarr_format":2,"shape":[%d],"chunks":[%d],"compressor":null,%s}`, shape, chunk, more)
}

// v3Doc returns a zarr.json of one dimension.
func v3Doc(shape int64, grid, typ, fill, codecs string) []byte {
	return fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":[%d],"chunk_grid":%s,"chunk_key_encoding":{"name":"default"},
		"data_type":%s,"fill_value":%s,"codecs":%s}`, shape, grid, typ, fill, codecs)
}

func regular(n int64) string {
	return fmt.Sprintf(`{"name":"regular","configuration":{"chunk_shape":[%d]}}`, n)
}

const objectFilter = `"dtype":"|O","fill_value":null,"order":"%s","filters":[{"id":"%s"}]`

// endless returns arrays of one short dimension whose only chunk has n elements.
func endless(n int64) map[string]map[string][]byte {
	all := map[string]map[string][]byte{}
	for _, order := range []string{"C", "F"} {
		for _, id := range []string{"vlen-utf8", "vlen-bytes", `vlen-array","dtype":"<i4`, "json2", "msgpack2"} {
			all["v2 "+order+" "+strings.Trim(id, `"`)] = map[string][]byte{
				".zarray": v2Doc(1, n, fmt.Sprintf(objectFilter, order, id)), "0": {1, 0, 0, 0},
			}
		}
	}
	strs, fill := `"string"`, `""`
	vlen := `[{"name":"vlen-utf8"}]`
	all["v3"] = map[string][]byte{"zarr.json": v3Doc(1, regular(n), strs, fill, vlen), "c/0": {1, 0, 0, 0}}
	all["v3 bytes"] = map[string][]byte{"zarr.json": v3Doc(1, regular(n), `"bytes"`, `[]`, `[{"name":"vlen-bytes"}]`), "c/0": {1, 0, 0, 0}}
	all["v3 transposed"] = map[string][]byte{
		"zarr.json": v3Doc(1, regular(n), strs, fill, `[{"name":"transpose","configuration":{"order":[0]}},{"name":"vlen-utf8"}]`), "c/0": {1, 0, 0, 0},
	}
	all["v3 compressed"] = map[string][]byte{
		"zarr.json": v3Doc(1, regular(n), strs, fill, `[{"name":"vlen-utf8"},{"name":"crc32c"}]`), "c/0": append([]byte{1, 0, 0, 0}, crc([]byte{1, 0, 0, 0})...),
	}
	all["v3 rectilinear"] = map[string][]byte{
		"zarr.json": v3Doc(1, fmt.Sprintf(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[%d,1]]]}}`, n), strs, fill, vlen), "c/0": {1, 0, 0, 0},
	}
	all["v3 optional"] = map[string][]byte{
		"zarr.json": v3Doc(1, regular(n), `{"name":"optional","configuration":{"name":"string"}}`, "null",
			`[{"name":"optional","configuration":{"mask_codecs":[{"name":"packbits"}],"data_codecs":[{"name":"vlen-utf8"}]}}]`), "c/0": make([]byte, 16),
	}
	index := `[{"name":"bytes","configuration":{"endian":"little"}}]`
	shard := func(inner int64) string {
		return fmt.Sprintf(`{"name":"sharding_indexed","configuration":{"chunk_shape":[%d],"codecs":%s,"index_codecs":%s}}`, inner, vlen, index)
	}
	// The inner chunk is small enough for the codec, which takes at most 2^31-1 elements.
	m := min(n, math.MaxInt32)
	one := binary.LittleEndian.AppendUint64([]byte{1, 0, 0, 0, 0, 0, 0, 0}, 0)
	one = binary.LittleEndian.AppendUint64(one, 8)
	all["v3 shard"] = map[string][]byte{"zarr.json": v3Doc(1, regular(m), strs, fill, "["+shard(m)+"]"), "c/0": one}
	all["v3 compressed shard"] = map[string][]byte{
		"zarr.json": v3Doc(1, regular(m), strs, fill, "["+shard(m)+`,{"name":"crc32c"}]`), "c/0": append(one, crc(one)...),
	}
	return all
}

// entries are the ways to read the first element of an array.
var entries = map[string]func(t *testing.T, a *zarr.Array) error{
	"Read": func(t *testing.T, a *zarr.Array) error {
		_, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		return err
	},
	"Read of one": func(t *testing.T, a *zarr.Array) error {
		_, err := a.Read(t.Context(), []grid.Item{grid.At(0)}, zarr.ReadOptions{})
		return err
	},
	"ReadChunk": func(t *testing.T, a *zarr.Array) error {
		_, err := a.ReadChunk(t.Context(), []int64{0}, zarr.ReadOptions{})
		return err
	},
	"ReadInnerChunk": func(t *testing.T, a *zarr.Array) error {
		if a.InnerChunks() == nil {
			return nil
		}
		_, err := a.ReadInnerChunk(t.Context(), []int64{0}, zarr.ReadOptions{})
		return err
	},
	"ReadPoints": func(t *testing.T, a *zarr.Array) error {
		_, err := a.ReadPoints(t.Context(), [][]int64{{0}}, zarr.ReadOptions{})
		return err
	},
}

func TestElementsOfVariableLengthCountInTheChunkLimit(t *testing.T) {
	for _, n := range []int64{1 << 32, 100_000_000, 1 << 60} {
		for name, objects := range endless(n) {
			for entry, read := range entries {
				for _, missing := range []bool{false, true} {
					there := maps.Clone(objects)
					if missing {
						delete(there, "0")
						delete(there, "c/0")
					}
					a, err := hierarchy(memstore.New(there), zarr.Options{}).OpenArray(t.Context(), "")
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					err = read(t, a)
					runtime.ReadMemStats(&after)
					if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
						t.Errorf("%s of %d, %s took %d bytes", name, n, entry, taken)
					}
					var limit *codec.LimitError
					wants := !missing || strings.HasSuffix(entry, "Chunk")
					if entry == "ReadInnerChunk" && a.InnerChunks() == nil {
						wants = false
					}
					if wants != errors.As(err, &limit) || !wants && err != nil {
						t.Errorf("%s of %d, %s, missing: %v: %v", name, n, entry, missing, err)
					}
				}
			}
		}
	}
}

// vlenChunk returns a chunk of texts of that length.
func vlenChunk(texts, length int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(texts))
	for range texts {
		b = binary.LittleEndian.AppendUint32(b, uint32(length))
		b = append(b, strings.Repeat("x", length)...)
	}
	return b
}

func TestTextCountsInTheOutputLimit(t *testing.T) {
	objects := map[string][]byte{".zarray": v2Doc(100, 10, `"dtype":"|O","fill_value":"","order":"C","filters":[{"id":"vlen-utf8"}]`)}
	for i := range 10 {
		objects[fmt.Sprint(i)] = vlenChunk(10, 1000)
	}
	for _, decoded := range []int64{-1, 1 << 20} {
		a := must.Get(hierarchy(memstore.New(objects), zarr.Options{
			Limits: codec.Limits{OutputBytes: 50_000}, Cache: zarr.CacheOptions{Decoded: decoded},
		}).OpenArray(t.Context(), ""))(t)
		var limit *codec.LimitError
		if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); !errors.As(err, &limit) || limit.Limit != "OutputBytes" {
			t.Errorf("all of it: %v", err)
		}
		from, to, step := int64(0), int64(100), int64(5)
		for range 2 {
			// Only the selected part of a chunk counts.
			res, err := a.Read(t.Context(), []grid.Item{grid.Range(&from, &to, &step)}, zarr.ReadOptions{})
			if err != nil || len(res.Items) != 20 || len(res.Items[19]) != 1000 {
				t.Errorf("a fifth of it: %v", err)
			}
		}
	}
}

func TestChunksOfTextDoNotStayForTheirPart(t *testing.T) {
	// The other elements of the chunks are 64 MiB.
	objects := map[string][]byte{".zarray": v2Doc(64, 2, `"dtype":"|O","fill_value":"","order":"C","filters":[{"id":"vlen-utf8"}]`)}
	for i := range 32 {
		objects[fmt.Sprint(i)] = append(vlenChunk(2, 1)[:9], vlenChunk(1, 2<<20)[4:]...)
	}
	a := must.Get(hierarchy(memstore.New(objects), zarr.Options{Cache: zarr.CacheOptions{Decoded: -1, Encoded: -1}}).OpenArray(t.Context(), ""))(t)
	from, to, step := int64(0), int64(64), int64(2)
	var points []int64
	for i := from; i < to; i += step {
		points = append(points, i)
	}
	res := must.Get(a.Read(t.Context(), []grid.Item{grid.Range(&from, &to, &step)}, zarr.ReadOptions{}))(t)
	some := must.Get(a.ReadPoints(t.Context(), [][]int64{points}, zarr.ReadOptions{}))(t)
	for _, items := range [][][]byte{res.Items, some.Items} {
		for i, item := range items {
			if string(item) != "x" || cap(item) > 64 {
				t.Fatalf("element %d is %q of %d bytes", i, item, cap(item))
			}
		}
	}
}

func TestWeightOfElements(t *testing.T) {
	objects := map[string][]byte{".zarray": v2Doc(1000, 100, `"dtype":"|S1","fill_value":"YQ==","order":"C","filters":null`)}
	for weight, wants := range map[int64]bool{0: false, 1: false, 10: false, 11: true} {
		a := must.Get(hierarchy(memstore.New(objects), zarr.Options{
			Limits: codec.Limits{OutputBytes: 10_000}, Weigh: func(*dtype.Type) int64 { return weight },
		}).OpenArray(t.Context(), ""))(t)
		var limit *codec.LimitError
		if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); wants != errors.As(err, &limit) || !wants && err != nil {
			t.Errorf("Read, %d: %v", weight, err)
		}
		points := [][]int64{make([]int64, 1000)}
		if _, err := a.ReadPoints(t.Context(), points, zarr.ReadOptions{}); wants != errors.As(err, &limit) || !wants && err != nil {
			t.Errorf("ReadPoints, %d: %v", weight, err)
		}
		if _, err := a.ReadChunk(t.Context(), []int64{0}, zarr.ReadOptions{}); err != nil {
			t.Errorf("ReadChunk, %d: %v", weight, err)
		}
	}
}

func TestRowsOfAChunkBeyondTheChunkLimit(t *testing.T) {
	objects := map[string][]byte{"zarr.json": v3Doc(4<<20, regular(4<<20), `"uint8"`, "0", `[{"name":"bytes"}]`), "c/0": make([]byte, 4<<20)}
	objects["c/0"][7] = 8
	a := must.Get(hierarchy(memstore.New(objects), zarr.Options{Limits: codec.Limits{ChunkBytes: 1 << 20}}).OpenArray(t.Context(), ""))(t)
	from, to := int64(5), int64(10)
	if res, err := a.Read(t.Context(), []grid.Item{grid.Range(&from, &to, nil)}, zarr.ReadOptions{}); err != nil || res.Data[2] != 8 {
		t.Errorf("rows: %v", err)
	}
	var limit *codec.LimitError
	if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); !errors.As(err, &limit) {
		t.Errorf("all of it: %v", err)
	}
}
