package lzma

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// alone decodes a .lzma file: the properties, the size of the dictionary, the size of the data, and
// the stream. A size of all ones means that the stream has an end marker.
func (d *decoder) alone(out *sink, src []byte) (int, error) {
	const head = 13
	if len(src) < head {
		return 0, codec.Truncated("shorter than the header of an .lzma file")
	}
	if err := d.unpack(src[0]); err != nil {
		return 0, err
	}
	if !d.valid() {
		return 0, &codec.UnsupportedError{Feature: "LZMA with lc + lp > 4"}
	}
	size := kernel.Load64(src, 5)
	if size != math.MaxUint64 {
		if err := out.admit(size); err != nil {
			return 0, err
		}
	}
	d.reset()
	d.base = out.n
	used, err := d.decode(out, src[head:], int(size), true, errEnd)
	return head + used, err
}
