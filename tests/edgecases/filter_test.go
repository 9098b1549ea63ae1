package edgecases

import (
	"hash/adler32"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/naive"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// filtered returns a v2 array of one chunk without compressor.
func filtered(n int, dtype any, chunk string, filters ...any) files {
	return files{".zarray": v2([]int{n}, []int{n}, doc{"dtype": dtype, "filters": filters, "fill_value": nil}).String(), "0": chunk}
}

var filterCases = []edgeCase{
	{43, "zfpy chunk of flattened dimensions", func(t *testing.T) {
		// Two blocks of four times the number 5: all precision, and one coefficient.
		block := "11111" + strings.Repeat("0", 29) + "110" + "00" + "10"
		chunk := func(n int64) string {
			size := bits(n-1, 48)
			// int32, one dimension, reversible
			return "zfp\x05" + lowFirst("00"+"00"+size+bits(2176, 12)+block+block)
		}
		meta := v2([]int{2, 4}, []int{2, 4}, doc{"compressor": doc{"id": "zfpy", "mode": 5}})
		f := files{".zarray": meta.String(), "0.0": chunk(8)}
		wantBytes(t, f, i32(5, 5, 5, 5, 5, 5, 5, 5))
		f["0.0"] = chunk(7)
		refused[*zarr.CodecPipelineError](t, f)
	}},
	{55, "shuffle of bytes that are not a multiple of elementsize", func(t *testing.T) {
		wantBytes(t, filtered(10, "|u1", "aebfcgdhij", doc{"id": "shuffle", "elementsize": 4}), "abcdefghij")
		// As in HDF5, the checksum's bytes are shuffled together with the data.
		data := i32(1, 2, 3)
		sum := data + le(fletcher(data))
		f := filtered(3, "<i4", string(naive.Shuffle([]byte(sum), 8)), doc{"id": "fletcher32"}, doc{"id": "shuffle", "elementsize": 8})
		wantBytes(t, f, data)
	}},
	{56, "fletcher32 of sums that are multiples of 65535", func(t *testing.T) {
		for _, data := range []string{
			strings.Repeat("\xff", 4), strings.Repeat("\xff", 2000), strings.Repeat("\x00", 8), strings.Repeat("\xff\xfe\x00\x01", 500), "abcde", "\xff", "abc\xff",
		} {
			wantBytes(t, filtered(len(data), "|u1", data+le(fletcher(data)), doc{"id": "fletcher32"}), data)
		}
		// A sum modulo 65535 would be 0 here.
		if sum := fletcher("\xff\xff\xff\xff"); sum != 0xffffffff {
			t.Errorf("the test's own sum is %#x", sum)
		}
		damaged(t, filtered(4, "|u1", "\xff\xff\xff\xff"+le[uint32](0), doc{"id": "fletcher32"}), errChecksum)
	}},
	{64, "json2 with nested lists and NaN", func(t *testing.T) {
		meta := v2([]int{2, 2}, []int{2, 2}, doc{"dtype": "|O", "fill_value": nil, "filters": list{doc{"id": "json2"}}})
		f := files{".zarray": meta.String(), "0.0": `[[[1,[2,NaN]],"a"],[null,{"k":-Infinity}],"|O",[2,2]]`}
		wantItems(t, read(t, open(t, f.store(), "")), `[1,[2,NaN]]`, `"a"`, "", `{"k":-Infinity}`)
		f["0.0"] = `[1,2,3,"|O",[3]]`
		refused[*zarr.CodecPipelineError](t, f)
	}},
	{65, "dtypes without byte order, numpy's names in filters", func(t *testing.T) {
		for _, dtype := range []string{"i4", "=i4", "|i4", "int32"} {
			wantBytes(t, filtered(3, dtype, i32(1, 2, 3)), i32(1, 2, 3))
			wantBytes(t, filtered(3, "<i4", i32(1, 1, 1), doc{"id": "delta", "dtype": dtype}), i32(1, 2, 3))
		}
		for _, dtype := range []string{"<u1", ">u1", "|u1", "u1"} {
			wantBytes(t, filtered(3, dtype, "abc"), "abc")
		}
	}},
	{68, "packbits of v2 and of v3", func(t *testing.T) {
		flags := "\x00\x01\x00\x01\x01"
		wantBytes(t, filtered(5, "|b1", "\x03\x58", doc{"id": "packbits"}), flags)
		meta := v3([]int{5}, []int{5}, doc{"data_type": "bool", "fill_value": false, "codecs": list{"numcodecs.packbits", "bytes"}})
		wantBytes(t, files{"zarr.json": meta.String(), "c/0": "\x03\x58"}, flags)
		meta["codecs"] = list{"packbits"}
		wantBytes(t, files{"zarr.json": meta.String(), "c/0": "\x1a"}, flags)
		meta = v3([]int{2}, []int{2}, doc{"data_type": "int4", "codecs": list{"packbits"}})
		wantBytes(t, files{"zarr.json": meta.String(), "c/0": "\x98"}, le[int8](-8, -7))
	}},
	{69, "cast_value with keys of NaN, +Infinity", func(t *testing.T) {
		cast := named("cast_value", doc{"data_type": "uint8", "scalar_map": doc{
			"encode": list{list{"NaN", 0}, list{"+Infinity", 255}, list{"-Infinity", 1}},
			"decode": list{list{0, "NaN"}, list{255, "+Infinity"}, list{1, "-Infinity"}},
		}})
		meta := v3([]int{4}, []int{4}, doc{"data_type": "float32", "fill_value": "NaN", "codecs": list{cast, "bytes"}})
		f := files{"zarr.json": meta.String(), "c/0": "\x00\xff\x01\x07"}
		inf := float32(math.Inf(1))
		wantBytes(t, f, le[uint32](nan32)+le(inf, -inf, 7))
		// Any NaN matches, such as one of two that are stored in full.
		cast = named("cast_value", doc{"data_type": "float32", "scalar_map": doc{"encode": list{list{7, "NaN"}}, "decode": list{list{"NaN", 7}}}})
		meta = v3([]int{2}, []int{2}, doc{"data_type": "uint8", "codecs": list{cast, littleEndian}})
		wantBytes(t, files{"zarr.json": meta.String(), "c/0": le[uint32](0xffc01234, 0x40000000)}, "\x07\x02")
	}},
	{72, "place of checksums", func(t *testing.T) {
		data := "abcd"
		sums := map[string]string{
			"crc32": le(crc32.ChecksumIEEE([]byte(data))), "adler32": le(adler32.Checksum([]byte(data))), "crc32c": crc32c(data),
		}
		for id, sum := range sums {
			end, start := doc{"id": id, "location": "end"}, doc{"id": id, "location": "start"}
			wantBytes(t, filtered(4, "|u1", data+sum, end), data)
			wantBytes(t, filtered(4, "|u1", sum+data, start), data)
			damaged(t, filtered(4, "|u1", sum+data, end), errChecksum)
			damaged(t, filtered(4, "|u1", data+sum, start), errChecksum)
		}
		wantBytes(t, filtered(4, "|u1", sums["crc32"]+data, doc{"id": "crc32"}), data)
		wantBytes(t, filtered(4, "|u1", sums["adler32"]+data, doc{"id": "adler32"}), data)
		wantBytes(t, filtered(4, "|u1", data+sums["crc32c"], doc{"id": "crc32c"}), data)
	}},
	{73, "categorize with codes that have no label", func(t *testing.T) {
		filter := doc{"id": "categorize", "labels": list{"a", "bc"}, "dtype": "|O", "astype": "|u1"}
		f := filtered(4, "|O", "\x00\x02\x01\x09", filter)
		wantItems(t, read(t, open(t, f.store(), "")), "", "bc", "a", "")
		f = filtered(4, "<U2", "\x00\x02\x01\x09", filter.with(doc{"dtype": "<U2"}))
		wantBytes(t, f, i32(0, 0, 'b', 'c', 'a', 0, 0, 0))
	}},
	{83, "shuffle with an elementsize of 0 or 1", func(t *testing.T) {
		for _, size := range []int{0, 1} {
			wantBytes(t, filtered(2, "<i4", i32(1, 2), doc{"id": "shuffle", "elementsize": size}), i32(1, 2))
		}
		wantBytes(t, filtered(2, "<i4", string(naive.Shuffle([]byte(i32(1, 2)), 4)), doc{"id": "shuffle"}), i32(1, 2))
	}},
}

// bits returns the lowest bits of a number, lowest first.
func bits(n int64, count int) string {
	s := ""
	for i := range count {
		s += strconv.Itoa(int(n >> i & 1))
	}
	return s
}

// lowFirst packs bits, the first in the lowest bit, into words of 8 bytes.
func lowFirst(s string) string {
	b := make([]byte, (len(s)+63)/64*8)
	for i, c := range s {
		b[i/8] |= byte(c-'0') << (i % 8)
	}
	return string(b)
}
