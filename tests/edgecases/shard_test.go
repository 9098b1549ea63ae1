package edgecases

import (
	"math"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

var crc32cCodec = doc{"name": "crc32c"}

// sharding returns a sharding_indexed codec with uncompressed inner chunks, changed by more.
func sharding(inner []int, more doc) doc {
	return named("sharding_indexed", doc{
		"chunk_shape": inner, "codecs": list{littleEndian}, "index_codecs": list{littleEndian, crc32cCodec},
	}.with(more))
}

// sharded returns an array of one shard.
func sharded(shape, inner []int, more doc, shard string) files {
	key := "c" + strings.Repeat("/0", len(shape))
	return files{"zarr.json": v3(shape, shape, doc{"codecs": list{sharding(inner, more)}, "fill_value": 9}).String(), key: shard}
}

var shardCases = []edgeCase{
	{23, "shard with missing inner chunks", func(t *testing.T) {
		wantBytes(t, sharded([]int{6}, []int{2}, nil, shard(i32(1, 2), "", i32(5, 6))), i32(1, 2, 9, 9, 5, 6))
		start := doc{"index_location": "start"}
		wantBytes(t, sharded([]int{6}, []int{2}, start, shardAtStart("", i32(3, 4), "")), i32(9, 9, 3, 4, 9, 9))
		half := index(entry{0, math.MaxUint64}, absent, absent)
		damaged(t, sharded([]int{6}, []int{2}, nil, half+crc32c(half)), errCorrupt)
		half = index(entry{math.MaxUint64, 8}, absent, absent)
		damaged(t, sharded([]int{6}, []int{2}, nil, half+crc32c(half)), errCorrupt)
	}},
	{24, "shard index at the start", func(t *testing.T) {
		start := doc{"index_location": "start"}
		s := shardAtStart(i32(1, 2), i32(3, 4))
		wantBytes(t, sharded([]int{4}, []int{2}, start, s), i32(1, 2, 3, 4))
		// Offsets count from the start of the shard. An offset into the index is invalid, wherever
		// the index is.
		for _, from := range []uint64{0, 8, 28, 35} {
			idx := index(entry{from, 8}, absent)
			damaged(t, sharded([]int{4}, []int{2}, start, idx+crc32c(idx)+i32(1, 2)), errCorrupt)
		}
		for _, from := range []uint64{1, 8, 28, 36} {
			idx := index(entry{from, 8}, absent)
			damaged(t, sharded([]int{4}, []int{2}, nil, i32(1, 2)+idx+crc32c(idx)), errCorrupt)
			// The same holds when the whole shard is decoded.
			codecs := list{sharding([]int{2}, nil), named("gzip", doc{"level": 1})}
			meta := v3([]int{4}, []int{4}, doc{"codecs": codecs})
			damaged(t, files{"zarr.json": meta.String(), "c/0": gzipped(i32(1, 2) + idx + crc32c(idx))}, errCorrupt)
		}
		idx := index(entry{36, 8}, absent)
		wantBytes(t, sharded([]int{4}, []int{2}, start, idx+crc32c(idx)+i32(1, 2)), i32(1, 2, 9, 9))
		idx = index(entry{0, 8}, absent)
		wantBytes(t, sharded([]int{4}, []int{2}, nil, i32(1, 2)+idx+crc32c(idx)), i32(1, 2, 9, 9))
	}},
	{25, "shard index without checksum, with two", func(t *testing.T) {
		idx := index(entry{0, 8}, entry{8, 8})
		for _, c := range []struct {
			codecs list
			index  string
		}{
			{list{littleEndian}, idx},
			{list{littleEndian, crc32cCodec, crc32cCodec}, idx + crc32c(idx) + crc32c(idx+crc32c(idx))},
			{list{bigEndian}, be[uint64](0, 8, 8, 8)},
		} {
			more := doc{"index_codecs": c.codecs}
			wantBytes(t, sharded([]int{4}, []int{2}, more, i32(1, 2, 3, 4)+c.index), i32(1, 2, 3, 4))
		}
		// The length of a compressed index is unknown.
		more := doc{"index_codecs": list{littleEndian, named("gzip", doc{"level": 1})}}
		refused[*zarr.InvalidMetadataError](t, sharded([]int{4}, []int{2}, more, ""), "index_codecs")
	}},
	{26, "inner chunks of one row", func(t *testing.T) {
		f := sharded([]int{3, 2}, []int{1, 2}, nil, shard(i32(1, 2), i32(3, 4), i32(5, 6)))
		a := open(t, f.store(), "")
		for i := range int32(3) {
			want(t, read(t, a, grid.At(int64(i))), 2*i+1, 2*i+2)
		}
		want[int32](t, read(t, a, cut(1, 3)), 3, 4, 5, 6)
	}},
	{27, "gzip of several members in inner chunks", func(t *testing.T) {
		more := doc{"codecs": list{littleEndian, named("gzip", doc{"level": 1})}}
		s := shard(gzipped(i32(1))+gzipped(i32(2)), gzipped(i32(3, 4)), gzipped(i32(5))+"\x00"+gzipped(i32(6)))
		wantBytes(t, sharded([]int{6}, []int{2}, more, s), i32(1, 2, 3, 4, 5, 6))
	}},
	{28, "shard index with a wrong checksum", func(t *testing.T) {
		s := []byte(shard(i32(1, 2), ""))
		s[len(s)-5] ^= 1
		damaged(t, sharded([]int{4}, []int{2}, nil, string(s)), errChecksum)
	}},
	{30, "shard smaller than its index", func(t *testing.T) {
		idx := index(absent, absent)
		full := idx + crc32c(idx)
		for n := range len(full) {
			damaged(t, sharded([]int{4}, []int{2}, nil, full[n+1:]), errTruncated)
		}
		wantBytes(t, sharded([]int{4}, []int{2}, nil, full), i32(9, 9, 9, 9))
	}},
	{31, "part of a shard in a shard", func(t *testing.T) {
		more := doc{"codecs": list{sharding([]int{2}, nil)}}
		broken := shard("damaged", "")
		s := shard(shard(i32(1, 2), i32(3, 4)), shard("", i32(7, 8)), broken)
		a := open(t, sharded([]int{12}, []int{4}, more, s).store(), "")
		want[int32](t, read(t, a, cut(1, 3)), 2, 3)
		want[int32](t, read(t, a, cut(3, 8)), 4, 9, 9, 7, 8)
		want[int32](t, read(t, a, cut(10, 12)), 9, 9) // the other half of the broken one
		if _, err := a.Read(t.Context(), []grid.Item{grid.At(8)}, zarr.ReadOptions{}); err == nil {
			t.Error("read what is damaged")
		}
	}},
	{32, "transpose before sharding", func(t *testing.T) {
		// The shard holds the transposed array [3,2] in inner chunks of [1,2]: a column of the
		// array each.
		meta := v3([]int{2, 3}, []int{2, 3}, doc{"codecs": list{named("transpose", doc{"order": []int{1, 0}}), sharding([]int{1, 2}, nil)}})
		f := files{"zarr.json": meta.String(), "c/0/0": shard(i32(1, 4), i32(2, 5), i32(3, 6))}
		wantBytes(t, f, i32(1, 2, 3, 4, 5, 6))
		want[int32](t, read(t, open(t, f.store(), ""), grid.At(1), cut(1, 3)), 5, 6)
	}},
	{84, "codecs around sharding, index_location", func(t *testing.T) {
		start := doc{"index_location": "start"}
		s := shardAtStart(i32(1, 4), i32(2, 5), i32(3, 6))
		codecs := list{
			named("transpose", doc{"order": []int{1, 0}}), sharding([]int{1, 2}, start),
			crc32cCodec, named("gzip", doc{"level": 1}),
		}
		meta := v3([]int{2, 3}, []int{2, 3}, doc{"codecs": codecs})
		wantBytes(t, files{"zarr.json": meta.String(), "c/0/0": gzipped(s + crc32c(s))}, i32(1, 2, 3, 4, 5, 6))
		refused[*zarr.InvalidMetadataError](t, sharded([]int{4}, []int{2}, doc{"index_location": "middle"}, ""), "index_location")
	}},
	{86, "shard offsets beyond 2^53", func(t *testing.T) {
		for _, e := range []entry{
			{1<<53 + 1, 8}, {0, 1 << 53}, {1 << 63, 8}, {math.MaxUint64 - 7, 8}, {8, math.MaxUint64 - 7}, {math.MaxUint64 - 1, 2},
		} {
			idx := index(e, absent)
			damaged(t, sharded([]int{4}, []int{2}, nil, i32(1, 2)+idx+crc32c(idx)), errTruncated)
		}
	}},
}
