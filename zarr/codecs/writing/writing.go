// Package writing is the only place that links encoders that need a library. A program that only
// reads does not import it.
package writing

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/bz2"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/compress"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// Codecs returns a registry of all codecs, like [codecs.Full], with all existing encoders. (Full
// already has those that need no library.) It cannot write with pcodec, zfp, the codecs of n5 and
// most of imagecodecs. It cannot read or write pickle. Each call makes a new registry, whose codecs
// have their own memory.
func Codecs() *codec.Registry {
	r := codecs.Full()
	r.Add(bz2.Writing(), compress.Blosc(), compress.Brotli(), compress.LZMA(), compress.Snappy(), compress.Zstd())
	r.Add(compress.Deflate()...)
	r.Add(compress.LZ4()...)
	return r
}
