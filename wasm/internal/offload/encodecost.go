package offload

import (
	"slices"
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Measured in Node by whole writes of chunks of 1 MiB, at the default levels. Other codecs cost the
// same both ways.
var encodingPrices = [...]price{
	{"lz4", 4000}, {"snappy", 4000}, {"zstd", 14_000},
	{"gzip", 20_000}, {"zlib", 20_000}, {"deflate", 20_000},
	{"bz2", 250_000}, {"lzma", 300_000}, {"xz", 300_000},
}

var bloscEncodingPrices = [...]price{
	{"lz4", 5000}, {"lz4hc", 30_000}, {"blosclz", 5000}, {"snappy", 5000}, {"zlib", 10_000}, {"zstd", 15_000},
}

// costlyToEncode reports whether another worker should encode a chunk. A shard counts as one, by
// its inner chunks' chain.
func costlyToEncode(p *codec.Plan) bool {
	bytes := p.Array().Bytes()
	for c := p.Shard(); c != nil; c = p.Shard() {
		p = c.Inner
	}
	var sum int64
	for _, c := range p.Chain() {
		list, name := encodingPrices[:], c.Name
		if name == "blosc" {
			list = bloscEncodingPrices[:]
			name, _ = c.Config.Get("cname").Text()
		}
		if i := slices.IndexFunc(list, func(p price) bool { return p.name == name }); i >= 0 {
			sum += list[i].picoseconds
		} else {
			sum += priceOf(prices[:], c.Name)
		}
	}
	return sum >= cheapByte && time.Duration(int64(bytes)*sum/1000) >= cheapChunk
}
