package codecs

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Expand returns what decompresses zstd for stores that are handed a decompressor, such as package store/icechunk: all frames of
// src, with a dictionary unless that is empty, to at most so many bytes. More is a *codec.LimitError.
func Expand() func(ctx context.Context, src, dictionary []byte, most int64) ([]byte, error) {
	d := &zstd.Decoder{}
	return func(ctx context.Context, src, dictionary []byte, most int64) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return d.Expand(src, dictionary, most)
	}
}
