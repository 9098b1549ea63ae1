package imagecodecs

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

// The codes of TIFF 6.0, section 13, that are not strings, and the largest number of codes.
const (
	lzwClear = 256
	lzwEnd   = 257
	lzwCodes = 4096
)

// lzw decodes TIFF's LZW: codes of 9 to 12 bits, the highest bit first, which become wider one code
// early. Every string of the table is the result of the previous code and one byte more. It is
// therefore already in the output, and the table only has its place.
func lzw(to *sink, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if len(src) < 2 {
		return codec.Truncated("shorter than the first LZW code")
	}
	if src[0] == 0 && src[1]&1 != 0 {
		return &codec.UnsupportedError{Feature: "LZW with the lowest bit first, of old TIFF files"}
	}
	if src[0] != 0x80 || src[1]&0x80 != 0 {
		return codec.Corrupt("does not begin with LZW's code for an empty table")
	}

	var table [lzwCodes]struct{ at, n int }
	next := lzwEnd + 1 // the first code that has no string
	width := 9
	last, lastN := 0, 0 // the result of the previous code; lastN is 0 after a clear
	bits, have := uint32(0), 0
	for i := 0; ; {
		for have < width {
			if i == len(src) {
				// The end code may be missing: the size then determines the end.
				if to.out.Size.Exact {
					return nil
				}
				return codec.Truncated("the LZW codes do not end")
			}
			bits = bits<<8 | uint32(src[i])
			i++
			have += 8
		}
		have -= width
		code := int(bits >> have & (1<<width - 1))

		switch {
		case code == lzwEnd:
			return nil
		case code == lzwClear:
			next, width, lastN = lzwEnd+1, 9, 0
			continue
		case lastN == 0 && code > lzwEnd, code > next:
			return codec.Corrupt("an LZW code that has no string")
		}
		from, n := 0, 1
		switch {
		case code == next: // the string that this code itself completes
			from, n = last, lastN+1
		case code >= lzwClear:
			from, n = table[code].at, table[code].n
		}
		at := to.n
		dst, err := to.room(n)
		switch {
		case err != nil:
			return err
		case code < lzwClear:
			dst[0] = byte(code)
		default:
			if k := copy(dst, to.buf[from:at]); k < n {
				dst[k] = dst[0] // the source overlaps the output
			}
		}
		if lastN > 0 && next < lzwCodes {
			table[next].at, table[next].n = last, lastN+1
			next++
			if next == 1<<width-1 && width < 12 {
				width++
			}
		}
		last, lastN = at, n
	}
}
