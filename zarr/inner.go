package zarr

import (
	"context"
	"slices"

	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/grid"
	"zarr-wasm/zarr/ndarray"
)

// InnerChunks is the shape of the chunks inside a shard, nil when the array is
// not sharded. Of nested shards it is the outermost that counts. Where another codec stands
// before the shard's, its chunks are not boxes of the array, and it counts as not sharded.
func (a *Array) InnerChunks() []int64 {
	if len(a.Codecs) == 0 || a.Codecs[0].Name != "sharding_indexed" {
		return nil
	}
	list := a.Codecs[0].Config.Get("chunk_shape").Items()
	shape := make([]int64, len(list))
	for i, v := range list {
		// The codec was built, so these are positive integers.
		shape[i], _ = v.Int64()
	}
	return shape
}

// ChunkGrid is the grid of the array's smallest chunks: those inside the shards,
// where it has shards. All shards being whole numbers of them, it is regular then.
func (a *Array) ChunkGrid() *grid.Grid {
	if inner := a.InnerChunks(); inner != nil {
		if g, err := grid.Regular(a.Shape, inner); err == nil {
			return g
		}
	}
	return a.Grid
}

// ReadInnerChunk reads one chunk of a shard by its coordinates in the grid of
// inner chunks. Elements beyond the array's end are the fill value.
func (a *Array) ReadInnerChunk(ctx context.Context, coords []int64) (*Result, error) {
	chunks := a.ChunkGrid()
	inner, err := chunks.ChunkShape(coords)
	if err != nil {
		return nil, &InvalidSelectionError{a.path, err}
	}
	sel := make([]grid.Item, len(coords))
	whole := true
	for d, n := range inner {
		start := chunks.Start(d, coords[d])
		stop := start + min(n, a.Shape[d]-start)
		sel[d] = grid.Range(&start, &stop, nil)
		whole = whole && stop-start == n
	}
	part, err := a.Read(ctx, sel, ReadOptions{})
	if err != nil || whole {
		return part, err
	}
	shape, err := toInts(inner)
	if err != nil {
		return nil, err
	}
	if n, err := bytesOf("chunk", shape, a.Type.Size); err != nil {
		return nil, err
	} else if n > a.h.opt.Limits.ChunkBytes {
		return nil, &codec.LimitError{Limit: "ChunkBytes", Max: a.h.opt.Limits.ChunkBytes, Asked: n, What: "chunk"}
	}
	b := ndarray.New(shape, a.Type.Size, a.Type.Variable())
	at := ndarray.Layout{Strides: ndarray.Strides(shape)}
	if err := ndarray.Fill(b, at, shape, a.Fill); err != nil {
		return nil, err
	}
	err = ndarray.Copy(b, at, part.Block, ndarray.Layout{Strides: ndarray.Strides(part.Shape)}, slices.Clone(part.Shape))
	return &Result{b, a.Type}, err
}
