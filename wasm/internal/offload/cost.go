package offload

import (
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// price is what a codec needs for a byte that it decodes.
type price struct {
	name        string
	picoseconds int64
}

// Measured in Chromium over chunks of 1 MiB. It only has to be of the right size: it
// decides where a chunk is decoded.
var prices = [...]price{
	{"bytes", 30}, {"transpose", 500}, {"crc32c", 250}, {"shuffle", 150}, {"bitshuffle", 400},
	{"lz4", 150}, {"snappy", 300}, {"zstd", 1400},
	{"gzip", 3400}, {"zlib", 3400}, {"deflate", 3400},
	{"brotli", 4000}, {"bz2", 40_000}, {"lzma", 20_000}, {"xz", 20_000}, {"zfp", 10_000}, {"pcodec", 3000},
	{"sharding_indexed", 200},
}

// What is inside of blosc decides.
var bloscPrices = [...]price{
	{"lz4", 330}, {"lz4hc", 330}, {"blosclz", 500}, {"snappy", 500}, {"zlib", 3500}, {"zstd", 1800},
}

// priceOf is a price of the list, and for a codec that was not measured, filters
// mostly, a guess.
func priceOf(list []price, name string) int64 {
	for i := range list {
		if list[i].name == name {
			return list[i].picoseconds
		}
	}
	return 1000
}

// Work of less than cheapByte a byte gains nothing elsewhere: moving the bytes
// there and back costs as much. Work of less than cheapChunk costs less than the
// messages about it.
const (
	cheapByte  = 600
	cheapChunk = time.Millisecond / 2
)

// freshByte is what it costs besides to write a byte to memory that was not used
// before, where the decoder itself writes it: to shared memory.
const freshByte = 500

// costly is true for a chunk that is better decoded by another worker than waited for.
func costly(p *codec.Plan, shared bool) bool {
	var sum int64
	if shared {
		sum = freshByte
	}
	for _, c := range p.Chain() {
		if c.Name == "blosc" {
			inside, _ := c.Config.Get("cname").Text()
			sum += priceOf(bloscPrices[:], inside)
		} else {
			sum += priceOf(prices[:], c.Name)
		}
	}
	return sum >= cheapByte && time.Duration(int64(p.Array().Bytes())*sum/1000) >= cheapChunk
}
