//go:build !js

package compress

import (
	lib "github.com/andybalholm/brotli"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/brotli"
)

// Brotli returns the codec brotli with an encoder. The configuration's level (or quality) is the
// library's, from 0 to 11, by default 5. Browsers have no encoder: the library also serves HTTP
// servers, and links all of net/http.
func Brotli() codec.Entry {
	return adding(brotli.Codec(), func(config json.Value, _ codec.Build) (encoder, error) {
		n, err := level(config, "brotli", "quality", 5, 0, 11)
		if err == nil {
			n, err = level(config, "brotli", "level", n, 0, 11)
		}
		if err != nil {
			return nil, err
		}
		return newStreams(func() (resetter, error) { return lib.NewWriterLevel(nil, n), nil })
	})
}
