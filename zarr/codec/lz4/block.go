// Package lz4 decodes LZ4 in the three forms that chunks have: numcodecs' codec
// lz4 (the uncompressed size as a little-endian 32-bit integer, then one block),
// a block alone, and the frames of the lz4 tools. [DecodeBlock] is the block
// decoder, which blosc uses as well.
package lz4

import (
	"zarr-wasm/internal/kernel"
	"zarr-wasm/zarr/codec"
)

// DecodeBlock decodes one raw LZ4 block into dst and returns how many bytes it
// wrote. All of src must be the block. Errors match [codec.ErrTruncated] where src ends inside
// of the block and [codec.ErrCorrupt] where it refers to what is not there or
// needs more room than dst has; then dst's content is arbitrary.
func DecodeBlock(dst, src []byte) (int, error) { return decodeBlock(dst, 0, src) }

// decodeBlock decodes a block to dst[d:] and returns where it ends in dst. Its
// matches may start in what is before d.
func decodeBlock(dst []byte, d int, src []byte) (int, error) {
	s := 0
	for {
		if s >= len(src) {
			return d, errEnd
		}
		token := int(src[s])
		s++

		n := token >> 4
		if n < 15 && len(src)-s >= 16 && len(dst)-d >= 16 {
			// Copies what comes after the literals as well: it is overwritten.
			in, out := src[s:s+16], dst[d:d+16]
			a, b := kernel.Load64(in, 0), kernel.Load64(in, 8)
			kernel.Store64(out, 0, a)
			kernel.Store64(out, 8, b)
			s += n
			d += n
		} else {
			if n == 15 {
				more, used := extension(src[s:])
				if used == 0 {
					return d, errEnd
				}
				n += more
				s += used
			}
			if n > len(src)-s {
				return d, errEnd
			}
			if n > len(dst)-d {
				return d, errRoom
			}
			copy(dst[d:d+n], src[s:s+n])
			s += n
			d += n
			if s == len(src) {
				return d, nil
			}
		}

		if len(src)-s < 2 {
			return d, errEnd
		}
		offset := int(src[s]) | int(src[s+1])<<8
		s += 2
		if offset == 0 || offset > d {
			return d, errOffset
		}
		n = token & 15
		if n == 15 {
			more, used := extension(src[s:])
			if used == 0 {
				return d, errEnd
			}
			n += more
			s += used
		}
		n += 4
		if n > len(dst)-d {
			return d, errRoom
		}
		if offset >= 8 && n <= 24 && len(dst)-d >= 24 {
			// In steps of 8 a match may overlap what it writes from 8 on.
			in, out := dst[d-offset:d-offset+24], dst[d:d+24]
			kernel.Store64(out, 0, kernel.Load64(in, 0))
			kernel.Store64(out, 8, kernel.Load64(in, 8))
			kernel.Store64(out, 16, kernel.Load64(in, 16))
			d += n
			continue
		}
		// Each copy doubles what the next one can take, if the match overlaps itself.
		from, end := d-offset, d+n
		for d < end {
			d += copy(dst[d:end], dst[from:d])
		}
	}
}

var (
	errEnd    = codec.Truncated("the LZ4 block ends inside of a sequence")
	errRoom   = codec.Corrupt("the LZ4 block decodes to more bytes than it should")
	errOffset = codec.Corrupt("an LZ4 match starts before the block")
)

// extension reads the bytes that a length of 15 goes on in; used is 0 where they do not end.
func extension(src []byte) (n, used int) {
	for i, c := range src {
		n += int(c)
		if c != 255 {
			return n, i + 1
		}
	}
	return 0, 0
}
