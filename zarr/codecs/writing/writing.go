// Package writing is the one place that links the encoders that need a library. A program that only reads does not import it.
package writing

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/bz2"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/compress"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// Codecs returns a registry of all codecs, as [codecs.Full] does, with all encoders there are. (Those that need no library are in
// Full, too.) Only read are pcodec, zfp, the codecs of n5 and most of imagecodecs, pickle not at all. Each call makes a new one, which does not share the memory that its codecs keep.
func Codecs() *codec.Registry {
	r := codecs.Full()
	r.Add(bz2.Writing(), compress.Blosc(), compress.Brotli(), compress.LZMA(), compress.Snappy(), compress.Zstd())
	r.Add(compress.Deflate()...)
	r.Add(compress.LZ4()...)
	return r
}
