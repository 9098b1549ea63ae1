package codecs

import (
	"slices"
	"testing"
)

func TestDefault(t *testing.T) {
	r := Default()
	for _, name := range []string{"blosc", "bytes", "crc32c", "endian", "gzip", "numcodecs.lz4", "numcodecs.zlib", "transpose", "zstd"} {
		if !slices.Contains(r.Names(), name) {
			t.Errorf("%s is not registered", name)
		}
	}
	for _, id := range []string{"blosc", "bytes", "crc32c", "deflate", "gzip", "lz4", "snappy", "transpose", "zlib", "zstd",
		"imagecodecs_deflate", "imagecodecs_gzip", "imagecodecs_lz4", "imagecodecs_lz4f", "imagecodecs_snappy", "imagecodecs_zlib", "imagecodecs_zstd"} {
		if !slices.Contains(r.IDs(), id) {
			t.Errorf("%s is not registered for v2", id)
		}
	}
}

func TestFull(t *testing.T) {
	ids := Full().IDs()
	for _, id := range []string{"imagecodecs_bz2", "imagecodecs_delta", "imagecodecs_lzw", "imagecodecs_packbits", "imagecodecs_xor"} {
		if !slices.Contains(ids, id) {
			t.Errorf("%s is not registered for v2", id)
		}
	}
	for _, id := range []string{"imagecodecs_jpeg2k", "imagecodecs_lerc", "imagecodecs_tiff"} {
		if slices.Contains(ids, id) {
			t.Errorf("%s is registered", id)
		}
	}
}

func TestRareNamesAreWhatFullHasMore(t *testing.T) {
	common, full := Default(), Full()
	var want []string
	for _, name := range append(full.Names(), full.IDs()...) {
		if !slices.Contains(common.Names(), name) && !slices.Contains(common.IDs(), name) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	if got := RareNames(); !slices.Equal(got, want) {
		t.Errorf("RareNames() is %q, want %q", got, want)
	}
}
