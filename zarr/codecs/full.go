package codecs

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codec/base64"
	"zarr-wasm/zarr/codec/brotli"
	"zarr-wasm/zarr/codec/bz2"
	"zarr-wasm/zarr/codec/conditional"
	"zarr-wasm/zarr/codec/imagecodecs"
	"zarr-wasm/zarr/codec/lz4"
	"zarr-wasm/zarr/codec/lzma"
	"zarr-wasm/zarr/codec/n5"
	"zarr-wasm/zarr/codec/object"
	"zarr-wasm/zarr/codec/optional"
	"zarr-wasm/zarr/codec/packbits"
	"zarr-wasm/zarr/codec/pcodec"
	"zarr-wasm/zarr/codec/reshape"
	"zarr-wasm/zarr/codec/value"
	"zarr-wasm/zarr/codec/zarrsvlen"
	"zarr-wasm/zarr/codec/zfp"
)

// Full returns a registry of all codecs: those of Default and those that are
// rare, or large. A program that calls only Default does not link these.
func Full() *codec.Registry {
	r := Default()
	for _, family := range [][]codec.Entry{
		{base64.Codec()},
		{brotli.Codec()},
		{bz2.Codec()},
		{conditional.Codec()},
		{lzma.Codec()},
		{lz4.Stream()},
		{optional.Codec()},
		{packbits.Codec()},
		{pcodec.Codec()},
		{zarrsvlen.Codec()},
		imagecodecs.Codecs(),
		n5.Codecs(),
		object.Codecs(),
		reshape.Codecs(),
		value.Codecs(),
		zfp.Codecs(),
	} {
		r.Add(family...)
	}
	return r
}
