package hdf5

import (
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/grib"
)

// The options of szip that change the data.
const (
	szipBig         = 16
	szipDifferences = 32
)

// szip is the filter szip. A line of pixels is an interval of the coder: its last block is filled.
// The coder takes each byte of a pixel of 32 or 64 bits as a pixel. The first bytes of all pixels
// precede the second bytes, and so on.
type szip struct {
	coder grib.Adaptive
	bits  int
	line  int // pixels
	big   bool
}

// newSzip reads the parameters of the filter, which have HDF5's names.
func newSzip(config json.Value, _ codec.Build) (any, error) {
	const id = "hdf5_szip"
	var c szip
	var n [4]int
	for i, one := range [4]struct {
		name        string
		least, most int64
	}{
		{"options_mask", 0, 1 << 16}, {"pixels_per_block", 2, 32}, {"bits_per_pixel", 1, 64}, {"pixels_per_scanline", 1, 1 << 16},
	} {
		var err error
		if n[i], err = number(id, config, one.name, one.least, one.most); err != nil {
			return nil, err
		}
	}
	c.bits, c.line, c.big = n[2], n[3], n[0]&szipBig != 0
	c.coder = grib.Adaptive{Width: c.bits, Block: n[1], Interval: (c.line + n[1] - 1) / n[1], Differences: n[0]&szipDifferences != 0}
	switch {
	case n[3] < n[1]:
		return nil, &codec.ConfigError{Codec: id, Msg: "a scanline is shorter than a block"}
	case c.divided():
		c.coder.Width = 8
	case c.bits > 24:
		return nil, &codec.UnsupportedError{Feature: id + " of 25 to 31, or 33 to 63 bits"}
	}
	return c, nil
}

// divided reports whether a byte is a pixel of the coder.
func (c szip) divided() bool { return c.bits == 32 || c.bits == 64 }

// width returns the bytes of a pixel of the coder.
func (c szip) width() int {
	switch {
	case c.coder.Width <= 8:
		return 1
	case c.coder.Width <= 16:
		return 2
	}
	return 4
}

// EncodedSize implements codec.BytesToBytes.
func (szip) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// szipStored is a size that no chunk has. The output follows it. HDF5 does not write it: it is for
// chunks that skip the filter.
const szipStored = 1<<32 - 1

// Decode implements codec.BytesToBytes. The size of the output comes first.
func (c szip) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, codec.Truncated("shorter than the 4 bytes of its size")
	}
	size, width := int64(kernel.Load32(src, 0)), int64(c.width())
	switch {
	case size == szipStored:
		return out.Check(src[4:])
	case size > out.Most(env):
		return nil, out.TooMany(env)
	case out.Size.Exact && size < out.Size.N:
		return nil, codec.Truncated("its size is less than the chunk's")
	case size%width != 0 || c.divided() && size%int64(c.bits/8) != 0:
		return nil, codec.Corrupt("its size is not that of whole pixels")
	}
	dst, lanes := out.Grow(env, size)[:size], int64(1)
	if c.divided() {
		lanes = int64(c.bits / 8)
	}
	pixels := size / width
	block := c.coder.Block * c.coder.Interval
	count := int(pixels)/c.line*block + int(pixels)%c.line
	at := int64(0)
	err := c.coder.Intervals(count, src[4:], func(codes []int64) error {
		for _, v := range codes[:min(c.line, len(codes))] {
			switch {
			case width == 1: // a byte of each element after another
				dst[at%(pixels/lanes)*lanes+at/(pixels/lanes)] = byte(v)
			case width == 2:
				kernel.Store16(dst, int(2*at), uint16(v))
			default:
				kernel.Store32(dst, int(4*at), uint32(v))
			}
			at++
		}
		return env.Ctx.Err()
	})
	if c.big && width > 1 {
		kernel.Swap(dst, dst, int(width))
	}
	if errors.Is(err, codec.ErrTruncated) {
		err = codec.Truncated("ends inside of its pixels")
	}
	return dst, err
}
