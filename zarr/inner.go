package zarr

import (
	"context"
	"slices"
	"strconv"

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

// ReadInnerChunk reads one chunk of a shard by its coordinates in the grid of
// inner chunks. Elements beyond the array's end are the fill value.
func (a *Array) ReadInnerChunk(ctx context.Context, coords []int64) (*Result, error) {
	inner := a.InnerChunks()
	if len(coords) != len(a.Shape) || inner == nil {
		return nil, &InvalidSelectionError{a.path, &grid.Error{Dim: -1,
			Msg: strconv.Itoa(len(coords)) + " chunk coordinates for " + strconv.Itoa(len(a.Shape)) + " dimensions"}}
	}
	sel := make([]grid.Item, len(coords))
	whole := true
	for d, c := range coords {
		n := inner[d]
		if c < 0 || a.Shape[d] == 0 || c > (a.Shape[d]-1)/n {
			return nil, &InvalidSelectionError{a.path, &grid.Error{Dim: d, Msg: "no chunk " + strconv.FormatInt(c, 10)}}
		}
		start := c * n
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
