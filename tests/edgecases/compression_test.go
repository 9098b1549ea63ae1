package edgecases

import (
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/naive"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

var compressionCases = []edgeCase{
	{1, "zstd frame without content size", func(t *testing.T) {
		frame := zstdStream(i32(1, 2, 3, 4))
		if frame[4]&0xe0 != 0 {
			t.Fatalf("the frame says its content's size: % x", frame[:8])
		}
		wantBytes(t, compressed(doc{"id": "zstd"}, frame), i32(1, 2, 3, 4))
		damaged(t, compressed(doc{"id": "zstd"}, zstdStream(i32(1, 2, 3, 4, 5))), errCorrupt)
		damaged(t, compressed(doc{"id": "zstd"}, zstdStream(i32(1, 2, 3))), errTruncated)
	}},
	{2, "zstd frame after frame, skippable frame", func(t *testing.T) {
		skippable := le(uint32(0x184d2a50), 3) + "any"
		frames := skippable + zstdFrame(i32(1, 2)) + skippable + zstdStream(i32(3, 4)) + skippable
		wantBytes(t, compressed(doc{"id": "zstd"}, frames), i32(1, 2, 3, 4))
	}},
	{3, "zstd configuration without checksum, v2 with checksum", func(t *testing.T) {
		frame := zstdFrame(i32(1, 2, 3, 4))
		for _, config := range []doc{{"level": 3}, {"level": 3, "checksum": false}, {}} {
			meta := v3([]int{4}, []int{4}, doc{"codecs": list{littleEndian, named("zstd", config)}})
			wantBytes(t, files{"zarr.json": meta.String(), "c/0": frame}, i32(1, 2, 3, 4))
		}
		wantBytes(t, compressed(doc{"id": "zstd", "level": 3, "checksum": true}, frame), i32(1, 2, 3, 4))
	}},
	{4, "gzip with several members or zero padding, zlib with trailing bytes", func(t *testing.T) {
		members := gzipped(i32(1)) + gzipped("") + gzipped(i32(2, 3)) + strings.Repeat("\x00", 7) + gzipped(i32(4)) + "\x00"
		wantBytes(t, compressed(doc{"id": "gzip"}, members), i32(1, 2, 3, 4))
		wantBytes(t, compressed(doc{"id": "zlib"}, codectest.Zlib(i32(1, 2, 3, 4))+"anything"), i32(1, 2, 3, 4))
	}},
	{5, "gzip that is zlib, or the reverse", func(t *testing.T) {
		// Some readers guess. The fixtures (v2_gzip_is_zlib) expect an error: metadata with this
		// fault may have others.
		damaged(t, compressed(doc{"id": "gzip"}, codectest.Zlib(i32(1, 2, 3, 4))), errCorrupt)
		damaged(t, compressed(doc{"id": "zlib"}, gzipped(i32(1, 2, 3, 4))), errCorrupt)
	}},
	{6, "zlib that is raw deflate", func(t *testing.T) {
		raw := deflated(i32(1, 2, 3, 4))
		wantBytes(t, compressed(doc{"id": "zlib"}, raw), i32(1, 2, 3, 4))
		// No checksum protects such data, so its size must match.
		damaged(t, compressed(doc{"id": "zlib"}, raw+"x"), errCorrupt)
		damaged(t, compressed(doc{"id": "zlib"}, raw[:len(raw)-1]), errCorrupt)
		damaged(t, compressed(doc{"id": "zlib"}, deflated(i32(1, 2, 3))), errCorrupt)
	}},
	{7, "lz4 with a size, lz4 frame, lz4 of imagecodecs", func(t *testing.T) {
		wantBytes(t, compressed(doc{"id": "lz4"}, lz4Sized(i32(1, 2, 3, 4))), i32(1, 2, 3, 4))
		frame := le(uint32(0x184d2204)) + "\x60\x40\x82" + le(uint32(0x80000010)) + i32(1, 2, 3, 4) + le(uint32(0))
		wantBytes(t, compressed(doc{"id": "lz4"}, frame), i32(1, 2, 3, 4))
		wantBytes(t, compressed(doc{"id": "imagecodecs_lz4f"}, frame), i32(1, 2, 3, 4))
		wantBytes(t, compressed(doc{"id": "imagecodecs_lz4"}, lz4Block(i32(1, 2, 3, 4))), i32(1, 2, 3, 4))
		wantBytes(t, compressed(doc{"id": "imagecodecs_lz4", "header": true}, lz4Sized(i32(1, 2, 3, 4))), i32(1, 2, 3, 4))
		e := refused[*zarr.UnknownCodecError](t, compressed(doc{"id": "imagecodecs_lz4x"}, lz4Block(i32(1, 2, 3, 4))))
		if e.Codec != "imagecodecs_lz4x" || len(e.Known) == 0 {
			t.Errorf("%+v", e)
		}
	}},
	{8, "raw lzma with filters, xz with filters that do not count", func(t *testing.T) {
		// One LZMA2 chunk of plain bytes, and the end.
		data := i32(1, 2, 3, 4)
		raw := "\x01" + be(uint16(len(data)-1)) + data + "\x00"
		config := doc{"id": "lzma", "format": 3, "check": -1, "preset": nil, "filters": list{doc{"id": 33, "preset": 1}}}
		wantBytes(t, compressed(config, raw), data)
		refused[*zarr.InvalidMetadataError](t, compressed(config.with(doc{"filters": nil}), raw), "filters")
		wantFixture(t, "v2.compressor.lzma_raw_lzma2")
		// Its configuration has filters (delta, LZMA2) although format 1 defines them itself.
		wantFixture(t, "v2.compressor.lzma_xz_delta4")
	}},
	{9, "blosc header with another typesize than the type", func(t *testing.T) {
		data := i32(1, -2, 3, 0x01020304)
		for _, size := range []int{1, 2, 4, 8} {
			stored := data
			if size > 1 {
				stored = string(naive.Shuffle([]byte(data), size))
			}
			chunk := blosc(bloscShuffle|bloscNoSplit|bloscLZ4, size, len(data), []string{stored})
			wantBytes(t, compressed(doc{"id": "blosc", "cname": "lz4", "shuffle": 1, "typesize": 4}, chunk), data)
		}
	}},
	{10, "blosc container that was only copied", func(t *testing.T) {
		data := i32(1, 2, 3, 4)
		for _, flags := range []byte{0, bloscShuffle, bloscBitShuffle} {
			wantBytes(t, compressed(doc{"id": "blosc"}, bloscMemcpy(flags, 4, data)), data)
		}
	}},
	{11, "blosc bit shuffle of elements that are not a multiple of 8", func(t *testing.T) {
		data := i32(1, 2, 3, 4) // 4 elements, stored unchanged
		wantBytes(t, compressed(doc{"id": "blosc"}, blosc(bloscBitShuffle|bloscNoSplit|bloscLZ4, 4, len(data), []string{data})), data)
	}},
	{12, "blosc blocks with and without streams of their own", func(t *testing.T) {
		var numbers []int32
		for i := range int32(1000) {
			numbers = append(numbers, i*i)
		}
		data := i32(numbers...)
		meta := v2([]int{1000}, []int{1000}, doc{"compressor": doc{"id": "blosc"}})
		const size = 2048 // bytes of a block: 512 elements, so four streams of 512 bytes
		block, rest := string(naive.Shuffle([]byte(data[:size]), 4)), string(naive.Shuffle([]byte(data[size:]), 4))
		streams := []string{block[:512], block[512:1024], block[1024:1536], block[1536:]}
		// The last block is smaller and never split.
		wantBytes(t, files{".zarray": meta.String(), "0": blosc(bloscShuffle|bloscLZ4, 4, size, streams, []string{rest})}, data)
		wantBytes(t, files{".zarray": meta.String(), "0": blosc(bloscShuffle|bloscNoSplit|bloscLZ4, 4, size, []string{block}, []string{rest})}, data)
	}},
	{13, "blosc container of no bytes", func(t *testing.T) {
		empty := blosc(0, 1, 0)
		meta := v2([]int{2}, []int{2}, doc{"dtype": "|S0", "fill_value": "", "compressor": doc{"id": "blosc"}})
		wantBytes(t, files{".zarray": meta.String(), "0": empty}, "")
		damaged(t, compressed(doc{"id": "blosc"}, empty), errTruncated)
	}},
	{14, "blosc configuration that names another compressor, unknown compressor", func(t *testing.T) {
		data := i32(1, 2, 3, 4)
		chunk := blosc(bloscNoSplit|bloscLZ4, 4, len(data), []string{data})
		wantBytes(t, compressed(doc{"id": "blosc", "cname": "zstd"}, chunk), data)
		wantBytes(t, compressed(doc{"id": "blosc", "cname": "unheard-of"}, chunk), data)
		unknown := blosc(bloscNoSplit|6<<5, 4, len(data), []string{data})
		refused[*zarr.UnsupportedError](t, compressed(doc{"id": "blosc", "cname": "lz4"}, unknown), "blosc compressor number 6")
	}},
}

// compressed is a v2 array of four int32 in one chunk.
func compressed(compressor doc, chunk string) files {
	return files{".zarray": v2([]int{4}, []int{4}, doc{"compressor": compressor}).String(), "0": chunk}
}
