package zfp

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// header is zfp's full header (zfp_write_header with ZFP_HEADER_FULL).
type header struct {
	scalar scalar
	field  field
	params params
}

// headerBytes is the largest length of a header, in bytes.
const headerBytes = (32 + 52 + 64 + 7) / 8

// readHeader reads the header; the blocks follow at the very next bit.
func readHeader(r *bitio.Reader) (header, error) {
	var h header
	if r.Left() < 32+52+12 {
		return h, codec.Truncated("shorter than a header")
	}
	if r.Bits(24) != 'z'|'f'<<8|'p'<<16 {
		return h, codec.Corrupt("not a zfp header")
	}
	if v := r.Bits(8); v != 5 {
		return h, &codec.UnsupportedError{Feature: "zfp codec version " + strconv.Itoa(int(v))}
	}
	h.scalar = scalar(r.Bits(2))
	h.field.rank = int(r.Bits(2)) + 1
	width := uint(48 / h.field.rank)
	for d := range h.field.n {
		h.field.n[d] = 1
		if d < h.field.rank {
			h.field.n[d] += int64(r.Bits(width))
		}
	}
	switch mode := int(r.Bits(12)); {
	case mode < 2048:
		h.params = fixedRate(mode + 1)
	case mode < 2048+128:
		h.params = fixedPrecision(mode - 2047)
	case mode == 2176:
		h.params = reversible()
	case mode < 4095:
		h.params = fixedAccuracy(mode - 2177 + minExp)
	default:
		h.params.minbits = int(r.Bits(15)) + 1
		h.params.maxbits = int(r.Bits(15)) + 1
		h.params.maxprec = int(r.Bits(7)) + 1
		h.params.minexp = int(r.Bits(15)) - 16495
	}
	if r.Past() {
		return h, codec.Truncated("shorter than its header")
	}
	if !h.params.valid() {
		return h, codec.Corrupt("the header's parameters are out of range")
	}
	return h, nil
}
