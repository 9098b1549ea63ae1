package zarr

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Array is an array that can be read. It is safe for concurrent use.
type Array struct {
	node
	*meta.Array
	reader *reader.Array
}

// DType is the type of the elements.
func (a *Array) DType() *dtype.Type { return a.Type }

// InnerChunks returns the shape of the chunks inside a shard, nil when the array is not sharded. The
// outermost of nested shards counts. An array-to-array codec in front of the shards makes inner chunks
// that are not regions of the array; such an array is not sharded.
func (a *Array) InnerChunks() []int64 { return a.reader.InnerChunks() }

// ReadOptions are the options of one read.
type ReadOptions = reader.Options

// Result is what a read returns: a block in C order, packed and little-endian, and the type of its elements.
// Dimensions that were selected by an integer are not in its shape.
type Result = reader.Result

// Partial is a box of a result that is being read, whose elements are there.
type Partial = reader.Partial

// Output is memory that a read fills where that is not Go's.
type Output = reader.Output

// Read reads a selection; nil selects everything. Short selections are padded with whole
// dimensions.
//
// Errors are [*InvalidSelectionError], *codec.LimitError (before anything is
// fetched, if the result or the number of chunks is too large),
// [*CodecPipelineError], [*UnsupportedError], [*MetadataChangedError], the store's and the context's.
// The first error ends the read. A panic is a [*PanicError].
func (a *Array) Read(ctx context.Context, sel []grid.Item, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.Read(ctx, sel, opt) })
}

// Blocks returns the selection of elements that a selection of blocks means, for [Array.Read] and [Array.Set]: zarr-python's blocks. A block is a
// chunk of the array's grid, of an array with shards a shard. Integers and ranges of step 1 select blocks; an integer
// keeps its dimension. The error is an [*InvalidSelectionError].
func (a *Array) Blocks(sel []grid.Item) ([]grid.Item, error) {
	counts := a.Grid.Counts()
	axes, err := grid.Resolve(sel, counts)
	if err != nil {
		return nil, reader.SelectionError(a.path, err)
	}
	items := make([]grid.Item, len(axes))
	for d, ax := range axes {
		if ax.List != nil || ax.Count > 1 && ax.Step != 1 {
			return nil, &InvalidSelectionError{Path: a.path, Err: &grid.SelectionError{Dim: d, Msg: "blocks are selected by integers and ranges of step 1"}}
		}
		var from, to int64
		if ax.Count > 0 {
			from, to = a.Grid.Start(d, ax.Start), a.Shape[d]
			if next := ax.Start + ax.Count; next < counts[d] {
				to = a.Grid.Start(d, next)
			}
		}
		items[d] = grid.Range(&from, &to, nil)
	}
	return items, nil
}

// ReadPoints reads single elements: coords has a list for each dimension, all
// of one length, and element i of the result is the one at coords[0][i],
// coords[1][i], and so on. Negative coordinates count from the end. Each chunk
// is read once, however many points lie in it. Errors are those of [Array.Read].
func (a *Array) ReadPoints(ctx context.Context, coords [][]int64, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.ReadPoints(ctx, coords, opt) })
}

// ReadChunk reads one whole chunk of the grid as it is stored: with the shape that the grid
// gives it, also where it reaches beyond the array. Errors are those of [Array.Read].
func (a *Array) ReadChunk(ctx context.Context, coords []int64, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.ReadChunk(ctx, coords, opt) })
}

// ChunkGrid is the grid of the array's smallest chunks: those inside the shards,
// where it has shards.
func (a *Array) ChunkGrid() *grid.Grid { return a.reader.ChunkGrid() }

// ReadInnerChunk reads one chunk of [Array.ChunkGrid], as it is stored, also where it reaches beyond the
// array. Errors are those of [Array.Read].
func (a *Array) ReadInnerChunk(ctx context.Context, coords []int64, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.ReadInnerChunk(ctx, coords, opt) })
}

// StoredChunks counts the chunks of [Array.ChunkGrid] that the store has; all those inside a
// shard that is there count. A store that can list is asked what it holds, any other
// for the first byte of each chunk: that is a request a chunk, and more chunks
// than the limit are a *codec.LimitError.
func (a *Array) StoredChunks(ctx context.Context) (int64, error) {
	if err := a.current(); err != nil {
		return 0, err
	}
	return a.reader.StoredChunks(ctx)
}

// read reads of an array whose documents have not been found to be others. A panic is a [*PanicError].
func read(a *Array, run func() (*Result, error)) (res *Result, err error) {
	if err := a.current(); err != nil {
		return nil, err
	}
	err = guard.Do(func() (err error) {
		res, err = run()
		return err
	})
	return res, err
}
