package checksum

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Encode implements codec.BytesToBytesEncoder.
func (s sum) Encode(env *codec.Env, src []byte) ([]byte, error) {
	dst := env.Buffer(len(src) + 4)
	data, b := dst, dst[len(src):]
	if s.start {
		data, b = dst[4:], dst
	}
	copy(data, src)
	kernel.Store32(b, 0, s.of(src))
	return dst, nil
}
