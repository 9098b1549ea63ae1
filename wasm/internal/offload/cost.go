package offload

import (
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// price is a codec's cost per decoded byte.
type price struct {
	name        string
	picoseconds int64
}

// Measured in Chromium with chunks of 1 MiB. Only the magnitude matters: it decides where a chunk
// is decoded.
var prices = [...]price{
	{"bytes", 30}, {"transpose", 500}, {"crc32c", 250}, {"shuffle", 150}, {"bitshuffle", 400},
	{"lz4", 150}, {"snappy", 300}, {"zstd", 1400},
	{"gzip", 3400}, {"zlib", 3400}, {"deflate", 3400},
	{"brotli", 4000}, {"bz2", 40_000}, {"lzma", 20_000}, {"xz", 20_000}, {"zfp", 10_000}, {"pcodec", 3000},
	{"sharding_indexed", 200},
}

// The codec inside of blosc decides.
var bloscPrices = [...]price{
	{"lz4", 330}, {"lz4hc", 330}, {"blosclz", 500}, {"snappy", 500}, {"zlib", 3500}, {"zstd", 1800},
}

// priceOf returns a price from the list. For unmeasured codecs, mostly filters, it guesses.
func priceOf(list []price, name string) int64 {
	for i := range list {
		if list[i].name == name {
			return list[i].picoseconds
		}
	}
	return 1000
}

// Work of less than cheapByte per byte is decoded here, because moving the bytes costs as much.
// Work of less than cheapChunk costs less than its messages.
const (
	cheapByte  = 600
	cheapChunk = time.Millisecond / 2
)

// freshByte is the further cost of a byte that the decoder writes to fresh memory, which shared
// memory is.
const freshByte = 500

// costly reports whether another worker should decode a chunk.
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
