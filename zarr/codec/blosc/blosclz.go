package blosc

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

var (
	errLzEnd      = codec.Truncated("the BloscLZ stream ends too early")
	errLzRoom     = codec.Corrupt("the BloscLZ stream decodes to more bytes than it should")
	errLzDistance = codec.Corrupt("a BloscLZ match starts before the stream")
)

// blosclz decodes a stream of BloscLZ.
func blosclz(dst, src []byte) (int, error) {
	n, fault := kernel.BloscLZ(dst, src)
	switch fault {
	case kernel.Ended:
		return n, errLzEnd
	case kernel.Room:
		return n, errLzRoom
	case kernel.Offset:
		return n, errLzDistance
	}
	return n, nil
}
