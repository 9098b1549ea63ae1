package grib

import (
	"encoding/binary"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
)

const signature = "\x89PNG\r\n\x1a\n"

// header is a PNG's chunk IHDR.
type header struct {
	width, height int64
	bits          int // of a pixel
}

// image reads the codes from the pixels of a PNG. The bits of a pixel's samples are one number.
func (p *packing) image(env *codec.Env, codes []int64, src []byte) error {
	h, data, err := chunks(src)
	if err != nil {
		return err
	}
	if h.width*h.height != int64(len(codes)) {
		return codec.Corrupt("the PNG has another number of pixels than the message has values")
	}
	line := (h.width*int64(h.bits) + 7) / 8
	size := h.height * (1 + line)
	if size > 9*int64(len(codes)) { // a byte precedes each line
		return codec.Corrupt("impossible lengths of a PNG")
	}
	b := env.Buffer(int(size))
	n, err := inflate.Zlib(b, data)
	if err != nil {
		return err
	}
	if int64(n) < size {
		return codec.Truncated("the PNG has fewer lines than its header says")
	}
	step := max(h.bits/8, 1)
	before := make([]byte, line)
	for y := range h.height {
		row := b[y*(1+line):][:1+line]
		if err := unfilter(row[0], row[1:], before, step); err != nil {
			return err
		}
		before = row[1:]
		r := bitReader{src: before}
		for x := range h.width {
			codes[y*h.width+x] = int64(r.bits(h.bits))
		}
	}
	return nil
}

// chunks returns the header and the compressed data of a PNG.
func chunks(src []byte) (h header, data []byte, err error) {
	if len(src) < len(signature) || string(src[:len(signature)]) != signature {
		return h, nil, codec.Corrupt("section 7 is not a PNG")
	}
	for src = src[len(signature):]; len(src) >= 12; {
		n := binary.BigEndian.Uint32(src)
		if int64(n) > int64(len(src)-12) {
			break
		}
		name, body := string(src[4:8]), src[8:8+n]
		src = src[12+n:]
		switch name {
		case "IHDR":
			if len(body) < 13 {
				return h, nil, codec.Corrupt("the header of the PNG is too short")
			}
			samples, ok := map[byte]int{0: 1, 2: 3, 4: 2, 6: 4}[body[9]]
			if h.bits = samples * int(body[8]); !ok || h.bits < 1 || h.bits > 32 || body[12] != 0 {
				return h, nil, &codec.UnsupportedError{Feature: "a PNG in GRIB that is interlaced or has this format of pixels"}
			}
			h.width, h.height = int64(binary.BigEndian.Uint32(body)), int64(binary.BigEndian.Uint32(body[4:]))
			if h.width < 1 || h.width > 1<<31-1 || h.height < 1 || h.height > 1<<31-1 {
				return h, nil, codec.Corrupt("impossible lengths of a PNG")
			}
		case "IDAT":
			if data == nil {
				data = body[:n:n]
			} else {
				data = append(data, body...)
			}
		case "IEND":
			if h.bits == 0 {
				return h, nil, codec.Corrupt("a PNG without a header")
			}
			return h, data, nil
		}
	}
	return h, nil, codec.Truncated("the PNG ends too early")
}

// unfilter undoes a filter of PNG (ISO/IEC 15948, section 9) in place.
func unfilter(filter byte, row, before []byte, step int) error {
	switch filter {
	case 0:
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		for i := range row {
			row[i] += before[i]
		}
	case 3:
		for i := range row {
			left := 0
			if i >= step {
				left = int(row[i-step])
			}
			row[i] += byte((left + int(before[i])) / 2)
		}
	case 4:
		for i := range row {
			left, corner := 0, 0
			if i >= step {
				left, corner = int(row[i-step]), int(before[i-step])
			}
			row[i] += byte(paeth(left, int(before[i]), corner))
		}
	default:
		return codec.Corrupt("an unknown filter in a PNG")
	}
	return nil
}

// paeth returns the neighbour that is nearest to left + up - corner.
func paeth(left, up, corner int) int {
	distance := func(a int) int { return max(a-(left+up-corner), left+up-corner-a) }
	l, u, c := distance(left), distance(up), distance(corner)
	switch {
	case l <= u && l <= c:
		return left
	case u <= c:
		return up
	}
	return corner
}
