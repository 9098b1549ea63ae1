package crc32c

import (
	"hash/crc32"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Encode implements codec.BytesToBytesEncoder (Zarr v3, codec crc32c 1.0).
func (c checksum) Encode(env *codec.Env, src []byte) ([]byte, error) {
	dst := env.Buffer(len(src) + 4)
	data, sum := dst, dst[len(src):]
	if c.start {
		data, sum = dst[4:], dst
	}
	copy(data, src)
	kernel.Store32(sum, 0, crc32.Checksum(src, c.table))
	return dst, nil
}
