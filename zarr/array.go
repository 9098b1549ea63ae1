package zarr

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Array is an array that can be read and written. It is safe for concurrent use.
type Array struct {
	node
	*meta.Array
	reader *reader.Array
}

// DType returns the type of the elements.
func (a *Array) DType() *dtype.Type { return a.Type }

// InnerChunks returns the shape of the chunks inside a shard, or nil if the array is not sharded.
// The outermost of nested shards counts. If an array-to-array codec precedes the shards, inner
// chunks are not regions of the array; such an array counts as not sharded.
func (a *Array) InnerChunks() []int64 { return a.reader.InnerChunks() }

// ReadOptions are the options of one read.
type ReadOptions = reader.Options

// Result is the result of a read: a block in C order, packed and little-endian, and the type of its
// elements. Its shape omits dimensions that an integer selected.
type Result = reader.Result

// WholeChunk is a decoded chunk that a read has used.
type WholeChunk = reader.WholeChunk

// Partial is a box of an unfinished result whose elements are complete.
type Partial = reader.Partial

// Output is memory that a read fills where that is not Go's.
type Output = reader.Output

// Read reads a selection; nil selects everything. Short selections are padded with whole
// dimensions.
//
// A result or a number of chunks that is too large is a *codec.LimitError, before any request.
// Other errors are [*InvalidSelectionError], [*CodecPipelineError], [*UnsupportedError],
// [*MetadataChangedError], the store's and the context's. The first error ends the read. A panic
// becomes a [*PanicError].
func (a *Array) Read(ctx context.Context, sel []grid.Item, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.Read(ctx, sel, opt) })
}

// Blocks converts a selection of blocks to a selection of elements for [Array.Read] and
// [Array.Set], like zarr-python's blocks. A block is a chunk of the array's grid, or a shard if the
// array is sharded. Integers and ranges of step 1 select blocks; an integer keeps its dimension.
// The error is an [*InvalidSelectionError].
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

// ReadPoints reads single elements. coords has one list for each dimension, all of the same length.
// Element i of the result is the one at coords[0][i], coords[1][i], and so on. Negative coordinates
// count from the end. Each chunk is read once, however many points lie in it. Errors are those of
// [Array.Read].
func (a *Array) ReadPoints(ctx context.Context, coords [][]int64, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.ReadPoints(ctx, coords, opt) })
}

// ReadChunk reads one whole chunk of the grid with the shape that the grid gives it, even where it
// reaches beyond the array. Errors are those of [Array.Read].
func (a *Array) ReadChunk(ctx context.Context, coords []int64, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.ReadChunk(ctx, coords, opt) })
}

// ChunkGrid returns the grid of the array's smallest chunks: the inner chunks, if it has shards.
func (a *Array) ChunkGrid() *grid.Grid { return a.reader.ChunkGrid() }

// ReadInnerChunk reads one chunk of [Array.ChunkGrid] with its stored shape, even where it reaches
// beyond the array. Errors are those of [Array.Read].
func (a *Array) ReadInnerChunk(ctx context.Context, coords []int64, opt ReadOptions) (*Result, error) {
	return read(a, func() (*Result, error) { return a.reader.ReadInnerChunk(ctx, coords, opt) })
}

// DecodeChunk decodes stored bytes of a chunk to the beginning of dst, and returns the number of
// decoded bytes. The elements are packed, in C order and little-endian. DecodeChunk reads nothing
// and never waits. It fails if dst is too short, if chunks differ in shape or elements in size, and
// if a codec would wait. Other errors are [*CodecPipelineError] and [*MetadataChangedError].
func (a *Array) DecodeChunk(ctx context.Context, dst, src []byte) (int, error) {
	if err := a.current(); err != nil {
		return 0, err
	}
	return a.reader.DecodeChunk(ctx, dst, src)
}

// StoredChunks counts the stored chunks of [Array.ChunkGrid]. Every inner chunk of a stored shard
// counts. A store that can list is listed. Any other store is asked for the first byte of each
// chunk, one request a chunk. More chunks than the limit are a *codec.LimitError.
func (a *Array) StoredChunks(ctx context.Context) (int64, error) {
	if err := a.current(); err != nil {
		return 0, err
	}
	return a.reader.StoredChunks(ctx)
}

// read runs a read, unless the array's documents are known to have changed. A panic becomes a
// [*PanicError].
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
