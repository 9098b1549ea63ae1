package codecs

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Parquet returns a decompressor for the pages of Parquet files, by the format's numbers of codecs
// and with a registry's codecs. It serves as Decompress in the options of package
// store/refstore/parquet.
func Parquet(r *codec.Registry) func(ctx context.Context, compression int, stored []byte, size int64) ([]byte, error) {
	return func(ctx context.Context, compression int, stored []byte, size int64) ([]byte, error) {
		id := ""
		switch compression {
		case 1:
			id = "snappy"
		case 2:
			id = "gzip"
		case 4:
			id = "brotli"
		case 6:
			id = "zstd"
		case 7:
			id = "lz4" // its blocks follow their size
			stored = append([]byte{byte(size), byte(size >> 8), byte(size >> 16), byte(size >> 24)}, stored...)
		}
		return r.Decompress(ctx, id, json.Value{}, stored, size)
	}
}
