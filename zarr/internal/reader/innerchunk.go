package reader

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
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

// ReadInnerChunk reads one chunk of [Array.ChunkGrid], as it is stored, also where it reaches beyond the array.
func (a *Array) ReadInnerChunk(ctx context.Context, coords []int64, opt Options) (*Result, error) {
	chunks := a.ChunkGrid()
	inner, err := chunks.ChunkShape(coords)
	if err != nil {
		return nil, &InvalidSelectionError{a.Path, err}
	}
	stored, from := make([]int64, len(coords)), make([]int, len(coords))
	for d, c := range coords {
		start := chunks.Start(d, c)
		stored[d] = a.Grid.Find(d, start)
		from[d] = int(start - a.Grid.Start(d, stored[d]))
	}
	shape, err := toInts(inner)
	if err != nil {
		return nil, err
	}
	return a.readBox(ctx, stored, from, shape, opt)
}
