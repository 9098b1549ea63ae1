package codecs

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Expand returns a zstd decompressor for stores that take one, such as package store/icechunk. It
// decompresses all frames of src, with a dictionary unless that is empty, to at most most bytes. A
// larger result is a *codec.LimitError.
func Expand() func(ctx context.Context, src, dictionary []byte, most int64) ([]byte, error) {
	d := &zstd.Decoder{}
	return func(ctx context.Context, src, dictionary []byte, most int64) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return d.Expand(src, dictionary, most)
	}
}
