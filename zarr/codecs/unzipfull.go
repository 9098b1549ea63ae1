package codecs

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// UnzipFull is [Unzip] with the method LZMA.
func UnzipFull(r *codec.Registry) func(ctx context.Context, method uint16, stored []byte, size int64) ([]byte, error) {
	usual := Unzip(r)
	alone, _ := json.Parse([]byte(`{"format":2}`), json.Limits{})
	return func(ctx context.Context, method uint16, stored []byte, size int64) ([]byte, error) {
		if method != 14 {
			return usual(ctx, method, stored, size)
		}
		// The data is a version, the length of the properties, the properties and a stream (APPNOTE
		// 5.8.8). In a file of the format ALONE, the size lies between properties and stream.
		if len(stored) < 9 || stored[2] != 5 || stored[3] != 0 {
			return nil, codec.Corrupt("LZMA without its properties")
		}
		file := append(make([]byte, 0, len(stored)+4), stored[4:9]...)
		for i := range 8 {
			file = append(file, byte(size>>(8*i)))
		}
		return r.Decompress(ctx, "lzma", alone, append(file, stored[9:]...), size)
	}
}
