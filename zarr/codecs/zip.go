package codecs

import (
	"context"

	"zarr-wasm/zarr/codec"
)

// Unzip returns what decompresses the members of zip archives with the codecs of a registry: [zipstore.Options.Decode].
func Unzip(r *codec.Registry) func(ctx context.Context, method uint16, stored []byte, size int64) ([]byte, error) {
	return func(ctx context.Context, method uint16, stored []byte, size int64) ([]byte, error) {
		id := ""
		switch method {
		case 8:
			id = "deflate"
		case 12:
			id = "bz2"
		case 93:
			id = "zstd"
		case 95:
			id = "lzma"
		}
		return r.Decompress(ctx, id, stored, size)
	}
}
