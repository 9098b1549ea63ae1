package compress

import (
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
)

// Deflate returns the codecs gzip (Zarr v3, codec gzip 1.0; RFC 1952), zlib (RFC 1950) and deflate
// (RFC 1951) with encoders. The level is zlib's, from 0 (stored) to 9, or -1 for 6. The default is
// numcodecs' 1 in v2 and zarr-python's 5 in v3.
func Deflate() []codec.Entry {
	var all []codec.Entry
	for _, e := range inflate.Codecs() {
		name := e.IDs[0]
		all = append(all, adding(e, func(config json.Value, b codec.Build) (encoder, error) {
			usual := 5
			if b.Format < 3 {
				usual = 1
			}
			n, err := level(config, name, "level", usual, -1, 9)
			if err != nil {
				return nil, err
			}
			return newStreams(func() (resetter, error) {
				raw, _ := config.Get("raw").Bool()
				switch {
				case name == "gzip":
					return gzip.NewWriterLevel(nil, n)
				case name == "deflate" || name == "imagecodecs_deflate" && raw:
					return flate.NewWriter(nil, n)
				}
				return zlib.NewWriterLevel(nil, n)
			})
		}))
	}
	return all
}
