// Package lz4 decodes LZ4 in the three forms that chunks have: numcodecs' codec
// lz4 (the uncompressed size as a little-endian 32-bit integer, then one block),
// a block alone, and the frames of the lz4 tools. [DecodeBlock] is the block
// decoder, which blosc uses as well.
package lz4

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// DecodeBlock decodes one raw LZ4 block into dst and returns how many bytes it
// wrote. All of src must be the block. Errors match [codec.ErrTruncated] where src ends inside
// of the block and [codec.ErrCorrupt] where it refers to what is not there or
// needs more room than dst has; then dst's content is arbitrary.
func DecodeBlock(dst, src []byte) (int, error) { return decodeBlock(dst, 0, src) }

// decodeBlock decodes a block to dst[d:] and returns where it ends in dst. Its
// matches may start in what is before d.
func decodeBlock(dst []byte, d int, src []byte) (int, error) {
	d, fault := kernel.LZ4(dst, d, src)
	switch fault {
	case kernel.Ended:
		return d, errEnd
	case kernel.Room:
		return d, errRoom
	case kernel.Offset:
		return d, errOffset
	}
	return d, nil
}

var (
	errEnd    = codec.Truncated("the LZ4 block ends inside of a sequence")
	errRoom   = codec.Corrupt("the LZ4 block decodes to more bytes than it should")
	errOffset = codec.Corrupt("an LZ4 match starts before the block")
)
