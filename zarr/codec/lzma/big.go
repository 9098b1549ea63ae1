package lzma

import (
	"math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

// Most numbers of the containers are little-endian; these are for the others.

func big16(b []byte, i int) uint16       { return bits.ReverseBytes16(kernel.Load16(b, i)) }
func big32(b []byte, i int) uint32       { return bits.ReverseBytes32(kernel.Load32(b, i)) }
func putBig32(b []byte, i int, v uint32) { kernel.Store32(b, i, bits.ReverseBytes32(v)) }
