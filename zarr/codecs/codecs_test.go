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
	for _, id := range []string{"blosc", "bytes", "crc32c", "deflate", "gzip", "lz4", "transpose", "zlib", "zstd"} {
		if !slices.Contains(r.IDs(), id) {
			t.Errorf("%s is not registered for v2", id)
		}
	}
}
