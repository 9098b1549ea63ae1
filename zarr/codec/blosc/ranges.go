package blosc

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// EncodedRanges implements codec.BytesPartialReader: it returns the blocks that overlap the region.
func (c *blosc) EncodedRanges(head []byte, decoded codec.Size, want codec.ByteRegion) (ranges []codec.Range, length int, ok bool) {
	h, err := parse(head)
	if err != nil || h.nbytes == 0 || int64(h.nbytes) != decoded.N || h.check(h.cbytes) != nil {
		return nil, 0, false
	}
	stored := h.flags&flagStored != 0
	first := headerSize
	if !stored {
		first += 4 * h.blocks()
	}
	if first > len(head) {
		return nil, 0, false
	}
	start := func(i int) int {
		if stored {
			return headerSize + i*h.blocksize
		}
		return int(kernel.Load32(head, headerSize+4*i))
	}
	// Writers with several threads write blocks in any order.
	starts := make([]int, 0, h.blocks()+1)
	for i := range h.blocks() {
		at := start(i)
		if at < first || at >= h.cbytes {
			return nil, 0, false
		}
		starts = append(starts, at)
	}
	starts = append(starts, h.cbytes)
	order.Sort(starts, func(a, b int) bool { return a < b })
	for i := range h.blocks() {
		if !want.Overlaps(i*h.blocksize, min((i+1)*h.blocksize, h.nbytes)) {
			continue
		}
		at := start(i)
		next, _ := slices.BinarySearch(starts, at+1)
		ranges = append(ranges, codec.Range{From: at, To: starts[next]})
	}
	return ranges, h.cbytes, true
}
