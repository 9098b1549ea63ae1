// Package skipframe reads the skippable frames of LZ4 and zstd (RFC 8878, section 3.1.2). Decoders
// ignore their contents.
package skipframe

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// Magic is the lowest of the 16 magic numbers of skippable frames.
const Magic = 0x184d2a50

const header = 8 // bytes: a magic number, and the length of the rest

// Is reports whether a frame with this magic number is skippable.
func Is(magic uint32) bool { return magic&^15 == Magic }

// Size returns the size of the skippable frame at the start of src, or 0 for another frame. If src
// ends inside the frame, the size exceeds the length of src.
func Size(src []byte) int64 {
	if len(src) < 4 || !Is(kernel.Load32(src, 0)) {
		return 0
	}
	if len(src) < header {
		return header
	}
	return header + int64(kernel.Load32(src, 4))
}
