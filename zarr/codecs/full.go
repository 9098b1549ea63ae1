package codecs

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codec/brotli"
	"zarr-wasm/zarr/codec/bz2"
	"zarr-wasm/zarr/codec/conditional"
	"zarr-wasm/zarr/codec/imagecodecs"
	"zarr-wasm/zarr/codec/lzma"
	"zarr-wasm/zarr/codec/n5"
	"zarr-wasm/zarr/codec/object"
	"zarr-wasm/zarr/codec/optional"
	"zarr-wasm/zarr/codec/pcodec"
	"zarr-wasm/zarr/codec/zarrsvlen"
	"zarr-wasm/zarr/codec/zfp"
)

// Full returns a registry of all codecs: those of Default and those that are
// rare, or large. A program that calls only Default does not link these.
func Full() *codec.Registry {
	r := Default()
	for _, family := range [][]codec.Entry{
		{brotli.Codec()},
		{bz2.Codec()},
		{conditional.Codec()},
		{lzma.Codec()},
		{n5.Codec()},
		{optional.Codec()},
		{pcodec.Codec()},
		{zarrsvlen.Codec()},
		imagecodecs.Codecs(),
		object.Codecs(),
		zfp.Codecs(),
	} {
		r.Add(family...)
	}
	return r
}
