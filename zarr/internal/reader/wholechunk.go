package reader

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// WholeChunk is a decoded chunk that a read has used, with its coordinates in the regular grid of
// the array's smallest chunks.
type WholeChunk struct {
	Coords []int64
	ndarray.Block
}

// cached copies the elements of a cached chunk to the output.
func (w *worker) cached(c *chunk, block decoded) error {
	if err := w.r.pin(c.in, c.name, block.version); err != nil {
		return err
	}
	if err := w.copied(c, codec.Stored{Block: block.Block}); err != nil {
		return err
	}
	w.r.hand(c, block.Block)
	return nil
}

// hand adds a cached chunk to those of the result, if there is room.
func (r *read) hand(c *chunk, block ndarray.Block) {
	if r.opt.Chunks <= 0 || r.axes == nil || block.Items != nil || slices.ContainsFunc(r.axes, func(a grid.Axis) bool { return a.List != nil }) {
		return
	}
	coords := make([]int64, len(r.axes))
	for d, axis := range r.axes {
		// The coordinates in c are the shard's if c is an inner chunk.
		coords[d] = axis.At(c.Projections[d].Out.Start) / int64(c.shape[d])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if size := sizeOf(block); size <= r.room {
		r.room -= size
		r.chunks = append(r.chunks, WholeChunk{coords, block})
	}
}
