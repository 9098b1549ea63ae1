package codecs

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/base64"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/bitshuffle"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/brotli"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/bz2"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/conditional"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/hdf5"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/imagecodecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lerc"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lz4"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lzma"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/n5"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/object"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/optional"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/packbits"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/pcodec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/reshape"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/value"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zarrsvlen"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zfp"
)

// Full returns a registry of all codecs: those of Default and the rare or large ones, whose entries
// are marked Rare. A program that calls only Default does not link these, apart from JPEG. Programs
// for js have JPEG with the build tag full.
func Full() *codec.Registry {
	r := Default()
	for _, family := range [][]codec.Entry{
		{base64.Codec()},
		{brotli.Codec()},
		{bz2.Codec()},
		{conditional.Codec()},
		{grib.Codec()},
		{lerc.Codec()},
		{lzma.Codec()},
		{lz4.HDF5()},
		{lz4.Stream()},
		{optional.Codec()},
		{packbits.Codec()},
		{pcodec.Codec()},
		{zarrsvlen.Codec()},
		bitshuffle.Codecs(),
		hdf5.Codecs(),
		imagecodecs.Codecs(),
		images(),
		n5.Codecs(),
		object.Codecs(),
		reshape.Codecs(),
		value.Codecs(),
		zfp.Codecs(),
	} {
		for _, e := range family {
			e.Rare = true
			r.Add(e)
		}
	}
	return r
}
