package compress

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codec/brotli"
)

// Brotli returns the codec brotli without an encoder: the library that has one brings all of net/http.
func Brotli() codec.Entry { return brotli.Codec() }
