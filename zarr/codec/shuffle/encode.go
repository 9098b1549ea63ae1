package shuffle

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Encode implements codec.BytesToBytesEncoder.
func (s shuffle) Encode(env *codec.Env, src []byte) ([]byte, error) {
	if s.size == 1 {
		return src, nil
	}
	dst := env.Buffer(len(src))
	kernel.Shuffle(dst, src, s.size)
	return dst, nil
}
