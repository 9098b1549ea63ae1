//go:build !js || full || write

package codecs

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/jpeg"
)

// images returns the codecs that use the standard library's decoders of images. These register
// themselves when a program begins, so that every program that imports them links them. The tags
// keep 16 KB out of zarr.wasm.
func images() []codec.Entry { return []codec.Entry{jpeg.Codec()} }
