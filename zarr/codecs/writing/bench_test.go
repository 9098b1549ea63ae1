package writing_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// BenchmarkEncode encodes chunks of 1 MiB of a smooth field of float32. It reports the input rate
// in bytes and the compression ratio.
func BenchmarkEncode(b *testing.B) {
	const rows, columns = 512, 512
	field := ndarray.New([]int{rows, columns}, 4, false)
	for i := range rows {
		for j := range columns {
			v := math.Round(100*(280+20*math.Sin(float64(i)/40)+8*math.Cos(float64(j)/25))) / 100
			binary.LittleEndian.PutUint32(field.Data[4*(i*columns+j):], math.Float32bits(float32(v)))
		}
	}
	const plain = `{"name":"bytes","configuration":{"endian":"little"}}`
	for _, c := range []struct{ name, chain string }{
		{"bytes-big", `[{"name":"bytes","configuration":{"endian":"big"}}]`},
		{"transpose", `[{"name":"transpose","configuration":{"order":[1,0]}},` + plain + `]`},
		{"crc32c", `[` + plain + `,"crc32c"]`},
		{"shuffle", `[` + plain + `,"numcodecs.shuffle"]`},
		{"bitround", filter("bitround", `{"keepbits":12}`)},
		{"delta", filter("delta", `{"dtype":"<f4"}`)},
		{"fixedscaleoffset", filter("fixedscaleoffset", `{"offset":280,"scale":100,"dtype":"<f4","astype":"<i2"}`)},
		{"gzip-1", `[` + plain + `,{"name":"gzip","configuration":{"level":1}}]`},
		{"gzip-5", `[` + plain + `,{"name":"gzip","configuration":{"level":5}}]`},
		{"zstd-1", `[` + plain + `,{"name":"zstd","configuration":{"level":1}}]`},
		{"zstd-3", `[` + plain + `,{"name":"zstd","configuration":{"level":3}}]`},
		{"lz4", `[` + plain + `,"numcodecs.lz4"]`},
		{"blosc-lz4-shuffle", `[` + plain + `,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4}}]`},
		{"blosc-lz4-bitshuffle", `[` + plain + `,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":4}}]`},
		{"blosc-blosclz-shuffle", `[` + plain + `,{"name":"blosc","configuration":{"cname":"blosclz","clevel":5,"shuffle":"shuffle","typesize":4}}]`},
		{"blosc-zstd-shuffle", `[` + plain + `,{"name":"blosc","configuration":{"cname":"zstd","clevel":5,"shuffle":"shuffle","typesize":4}}]`},
		{"bz2-1", `[` + plain + `,{"name":"numcodecs.bz2","configuration":{"level":1}}]`},
		{"lzma", `[` + plain + `,{"name":"numcodecs.lzma","configuration":{"preset":1}}]`},
		{"brotli", `[` + plain + `,{"name":"brotli","configuration":{"level":5}}]`},
		{"sharding-zstd", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[64,64],"codecs":[` + plain + `,"zstd"],"index_codecs":[` + plain + `,"crc32c"]}}]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, a := pipeline(b, writing.Codecs(), `"float32"`, c.chain, rows, columns)
			e := env()
			b.SetBytes(int64(len(field.Data)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				stored := must.Get(p.Encode(e, a, field))(b)
				n = len(stored)
			}
			b.ReportMetric(float64(len(field.Data))/float64(n), "ratio")
		})
	}
}
