package jpeg

import (
	"bytes"
	"encoding/binary"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// The second bytes of markers.
const (
	markSOF0  = 0xc0
	markSOF2  = 0xc2
	markSOF15 = 0xcf
	markDHT   = 0xc4
	markJPG   = 0xc8
	markDAC   = 0xcc
	markSOI   = 0xd8
	markEOI   = 0xd9
	markSOS   = 0xda
	markDQT   = 0xdb
	markAPP0  = 0xe0
	markAPP14 = 0xee
)

// maxScans limits the scans of a progressive image: each may visit every block.
const maxScans = 100

// header is what a frame header says.
type header struct {
	width, height, components int
	coefficients              int64 // of a progressive image, in bytes
}

// tablesOf returns the tables of a JPEG without an image. Its other segments, such as the marks of
// JFIF and Adobe, are not those of the images.
func tablesOf(src []byte) (tables []byte, ok bool) {
	if len(src) < 2 || src[0] != 0xff || src[1] != markSOI {
		return nil, false
	}
	for src = src[2:]; ; {
		kind, segment, _, err := cut(src)
		switch {
		case err != nil || kind == markSOS:
			return nil, false
		case kind == markEOI:
			return tables, true
		case kind == markDHT || kind == markDQT:
			tables = append(tables, segment...)
		}
		src = src[len(segment):]
	}
}

// join returns an image with its tables, and its header. A mark of Adobe says how its colours are
// stored, if the configuration does.
func (d decoder) join(env *codec.Env, src []byte) (h header, all []byte, err error) {
	if len(src) < 2 {
		return h, nil, codec.Truncated("shorter than the start of a JPEG")
	}
	if src[0] != 0xff || src[1] != markSOI {
		return h, nil, codec.Corrupt("is not a JPEG")
	}
	all = env.Buffer(len(src) + len(d.tables) + 16)[:0]
	all = append(all, 0xff, markSOI)
	all = append(all, d.tables...)
	rest, marked := src[2:], false
	for {
		kind, segment, body, err := cut(rest)
		if err != nil {
			return h, nil, err
		}
		rest = rest[len(segment):]
		switch {
		case kind == markEOI:
			return h, nil, codec.Truncated("the JPEG has no image")
		case kind == markSOS:
			if h.components == 0 {
				return h, nil, codec.Corrupt("the JPEG has no frame header")
			}
			if bytes.Count(rest, []byte{0xff, markSOS}) >= maxScans {
				return h, nil, &codec.UnsupportedError{Feature: "JPEG with more than 100 scans"}
			}
			if err := d.known(h, marked); err != nil {
				return h, nil, err
			}
			transform := byte(0)
			if d.stored == ycc {
				transform = 1
			}
			// The library needs the mark for four components, too.
			if h.components == 4 || h.components == 3 && d.stored != asMarked {
				all = append(all, "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"...)
				all = append(all, transform)
			}
			all = append(all, segment...)
			return h, append(all, rest...), nil
		case kind == markAPP0 || kind == markAPP14:
			if kind == markAPP14 && len(body) >= 14 && string(body[2:7]) == "Adobe" && body[13] != 0 {
				marked = true
			}
			if d.stored != asMarked {
				continue
			}
		case kind >= markSOF0 && kind <= markSOF15 && kind != markDHT && kind != markJPG && kind != markDAC:
			if h, err = frame(kind, body, h); err != nil {
				return h, nil, err
			}
		}
		all = append(all, segment...)
	}
}

// known returns an error for colours that are not decoded. In a marked JPEG, Adobe's mark names a
// transform.
func (d decoder) known(h header, marked bool) error {
	switch {
	case h.components == 4 && (marked || d.stored == ycc || d.stored == ycck):
		return &codec.UnsupportedError{Feature: "JPEG with the colours YCCK"}
	case h.components == 3 && d.stored != asMarked && d.stored != rgb && d.stored != ycc:
		return &codec.UnsupportedError{Feature: "JPEG of other colours than RGB and YCbCr"}
	}
	return nil
}

// cut returns the kind of the segment that begins src, the segment, and its bytes after the mark,
// which begin with its length.
func cut(src []byte) (kind byte, segment, body []byte, err error) {
	i := 0
	for i < len(src) && src[i] == 0xff { // fill bytes may precede the mark
		i++
	}
	switch {
	case i == 0 && len(src) > 0:
		return 0, nil, nil, codec.Corrupt("no marker begins where one should in the JPEG")
	case i >= len(src):
		return 0, nil, nil, codec.Truncated("the JPEG ends before its image")
	}
	if kind = src[i]; kind == markEOI {
		return kind, src[:i+1], nil, nil
	}
	if len(src) < i+3 {
		return 0, nil, nil, codec.Truncated("the JPEG ends before its image")
	}
	n := int(binary.BigEndian.Uint16(src[i+1:]))
	switch {
	case n < 2:
		return 0, nil, nil, codec.Corrupt("a segment of the JPEG is shorter than its length")
	case len(src) < i+1+n:
		return 0, nil, nil, codec.Truncated("the JPEG ends before its image")
	}
	return kind, src[:i+1+n], src[i+1 : i+1+n], nil
}

// frame reads a frame header, without its mark.
func frame(kind byte, b []byte, before header) (header, error) {
	switch {
	case before.components != 0:
		return before, codec.Corrupt("the JPEG has two frame headers")
	case kind > markSOF2:
		return before, &codec.UnsupportedError{Feature: "JPEG without loss or with arithmetic codes"}
	case len(b) < 8:
		return before, codec.Truncated("the frame header of the JPEG is short")
	case b[2] != 8:
		return before, &codec.UnsupportedError{Feature: "JPEG of other samples than 8 bits"}
	}
	h := header{width: int(binary.BigEndian.Uint16(b[5:])), height: int(binary.BigEndian.Uint16(b[3:])), components: int(b[7])}
	switch {
	case h.width == 0 || h.height == 0:
		return before, &codec.UnsupportedError{Feature: "JPEG without a width or a height"}
	case h.components != 1 && h.components != 3 && h.components != 4:
		return before, &codec.UnsupportedError{Feature: "JPEG with 2 or more than 4 components"}
	case len(b) < 8+3*h.components:
		return before, codec.Truncated("the frame header of the JPEG is short")
	case kind == markSOF2:
		h.coefficients = coefficients(h, b[8:])
	}
	return h, nil
}

// coefficients returns the memory of a progressive image's coefficients, which all scans refine.
func coefficients(h header, components []byte) int64 {
	across, down, all := 1, 1, 0
	for i := range h.components {
		x, y := int(components[3*i+1]>>4), int(components[3*i+1]&15)
		across, down, all = max(across, x), max(down, y), all+x*y
	}
	return int64(h.width) * int64(h.height) * int64(4*all) / int64(across*down)
}
