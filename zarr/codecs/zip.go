package codecs

import (
	"context"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Unzip returns a decompressor for the members of zip archives with a registry's codecs:
// [zipstore.Options.Decode]. The methods are DEFLATE and Zstandard, and also bzip2 and XZ if the
// registry has their codecs.
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
		case 14, 95:
			id = "lzma"
		default:
			id = "zip method " + strconv.Itoa(int(method))
		}
		return r.Decompress(ctx, id, json.Value{}, stored, size)
	}
}
