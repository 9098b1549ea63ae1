// Package skipframe reads the skippable frames that LZ4 and zstd have in common (RFC 8878, section 3.1.2): decoders pass
// over them.
package skipframe

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// Magic is the least of the 16 magic numbers of skippable frames.
const Magic = 0x184d2a50

const header = 8 // bytes: a magic number, and how many bytes follow

// Is reports whether a frame with this magic number is skippable.
func Is(magic uint32) bool { return magic&^15 == Magic }

// Size returns the size of the skippable frame that src begins with, and 0 where src begins with another frame. Where
// src ends inside of the frame, the size is more than src has.
func Size(src []byte) int64 {
	if len(src) < 4 || !Is(kernel.Load32(src, 0)) {
		return 0
	}
	if len(src) < header {
		return header
	}
	return header + int64(kernel.Load32(src, 4))
}
