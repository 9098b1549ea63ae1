// Package codecs is the one place that links the codecs.
package codecs

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codec/blosc"
	"zarr-wasm/zarr/codec/bytes"
	"zarr-wasm/zarr/codec/checksum"
	"zarr-wasm/zarr/codec/crc32c"
	"zarr-wasm/zarr/codec/filter"
	"zarr-wasm/zarr/codec/inflate"
	"zarr-wasm/zarr/codec/lz4"
	"zarr-wasm/zarr/codec/shard"
	"zarr-wasm/zarr/codec/shuffle"
	"zarr-wasm/zarr/codec/snappy"
	"zarr-wasm/zarr/codec/transpose"
	"zarr-wasm/zarr/codec/vlen"
	"zarr-wasm/zarr/codec/zstd"
)

// Default returns a registry of the codecs that nearly all public data needs.
// Each call makes a new one, which does not share the memory that its decoders
// keep.
func Default() *codec.Registry {
	r := &codec.Registry{}
	for _, family := range [][]codec.Entry{
		{blosc.Codec()},
		{bytes.Codec()},
		{crc32c.Codec()},
		{shard.Codec()},
		{shuffle.Codec()},
		{snappy.Codec()},
		{transpose.Codec()},
		{zstd.Codec()},
		checksum.Codecs(),
		filter.Codecs(),
		inflate.Codecs(),
		lz4.Codecs(),
		vlen.Codecs(),
	} {
		r.Add(family...)
	}
	return r
}
