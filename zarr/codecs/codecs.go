// Package codecs is the only place that links the codecs. To add a codec, write its package and add
// a line to Default or Full; go generate then updates the lists of names.
package codecs

//go:generate go run ../../tests/tools/codecnames

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/blosc"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/checksum"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/crc32c"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/filter"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lz4"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/shard"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/shuffle"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/snappy"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/transpose"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/vlen"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Default returns a new registry of the codecs that nearly all public data needs. Registries do not
// share the memory of their decoders.
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
