// Package lz4 decodes LZ4 in three forms. The form of numcodecs' codec lz4 is the uncompressed size
// as a little-endian 32-bit integer, then one block. The others are a single block, and the frames
// of the lz4 tools. [DecodeBlock] decodes a block, also for blosc.
package lz4

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// DecodeBlock decodes one raw LZ4 block into dst and returns the number of bytes written. All of
// src must be the block. Errors match [codec.ErrTruncated] if src ends inside the block. They match
// [codec.ErrCorrupt] if it refers to missing bytes or needs more room than dst has. After an error
// dst's contents are arbitrary.
func DecodeBlock(dst, src []byte) (int, error) { return decodeBlock(dst, 0, src) }

// decodeBlock decodes a block to dst[d:] and returns its end in dst. Matches may start before d.
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
