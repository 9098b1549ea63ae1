package reader

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// ChunkGrid returns the grid of the array's smallest chunks: the inner chunks, if it has shards. A
// sharded array has a regular one, because each shard holds a whole number of inner chunks.
func (a *Array) ChunkGrid() *grid.Grid {
	if inner := a.InnerChunks(); inner != nil {
		if g, err := grid.Regular(a.Shape, inner); err == nil {
			return g
		}
	}
	return a.Grid
}

// ReadInnerChunk reads one chunk of [Array.ChunkGrid] with its stored shape, even where it reaches
// beyond the array.
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
