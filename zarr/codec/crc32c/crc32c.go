// Package crc32c verifies and removes a CRC-32C (Castagnoli) of four little-endian bytes. The v3
// codec crc32c stores it after the data, and numcodecs' crc32c on either side.
package crc32c

import (
	"hash/crc32"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the codec crc32c. A configuration may have location, "start" or
// "end" (the default).
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"crc32c", "numcodecs.crc32c"}, IDs: []string{"crc32c"}, Doc: codec.Doc("CRC-32C after the bytes"),
		Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 250}, New: build,
	}
}

func build(config json.Value, _ codec.Build) (any, error) {
	c := checksum{table: crc32.MakeTable(crc32.Castagnoli)}
	if v := config.Get("location"); !v.IsNull() {
		switch s, _ := v.Text(); s {
		case "end":
		case "start":
			c.start = true
		default:
			return nil, &codec.ConfigError{Codec: "crc32c", Msg: "location is neither start nor end: " + strconv.Quote(string(v.Raw()))}
		}
	}
	return c, nil
}

type checksum struct {
	table *crc32.Table
	start bool
}

func (checksum) EncodedSize(decoded codec.Size) codec.Size {
	decoded.N += 4
	return decoded
}

func (c checksum) Decode(_ *codec.Env, _ codec.Output, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, codec.Truncated("shorter than its checksum")
	}
	end := len(src) - 4
	data, sum := src[:end:end], src[end:]
	if c.start {
		data, sum = src[4:], src[:4]
	}
	if crc32.Checksum(data, c.table) != kernel.Load32(sum, 0) {
		return nil, codec.Mismatch("the CRC-32C does not match the data")
	}
	return data, nil
}
