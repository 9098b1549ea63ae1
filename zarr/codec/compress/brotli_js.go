package compress

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/brotli"
)

// Brotli returns the codec brotli without an encoder: the library with an encoder links all of
// net/http.
func Brotli() codec.Entry { return brotli.Codec() }
