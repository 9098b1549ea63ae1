package codecs

import (
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
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
	for _, id := range []string{"imagecodecs_bz2", "imagecodecs_delta", "imagecodecs_floatpred", "imagecodecs_lzf", "imagecodecs_lzw", "imagecodecs_packbits", "imagecodecs_xor"} {
		if !slices.Contains(ids, id) {
			t.Errorf("%s is not registered for v2", id)
		}
	}
	for _, id := range []string{"imagecodecs_jpeg2k", "imagecodecs_tiff"} {
		if slices.Contains(ids, id) {
			t.Errorf("%s is registered", id)
		}
	}
}

// TestEntriesAreComplete checks what lists and executors read from an entry.
func TestEntriesAreComplete(t *testing.T) {
	common := Default()
	documented := codec.Doc("text") != "" // not in the browser
	for _, e := range Full().Entries() {
		if e.Doc == "" && documented || e.Kind.String() == "" || len(e.Names)+len(e.IDs) == 0 {
			t.Errorf("%v %v: %q, kind %q", e.Names, e.IDs, e.Doc, e.Kind)
		}
		for _, name := range e.Names {
			if rare := !slices.Contains(common.Names(), name); rare != e.Rare {
				t.Errorf("%s: rare is %v", name, e.Rare)
			}
		}
		for _, id := range e.IDs {
			if rare := !slices.Contains(common.IDs(), id); rare != e.Rare {
				t.Errorf("%s: rare is %v", id, e.Rare)
			}
		}
	}
	if name := common.Sharding(); name != "sharding_indexed" {
		t.Errorf("the codec for shards is %q", name)
	}
}
