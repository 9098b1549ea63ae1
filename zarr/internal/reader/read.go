package reader

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Options are the options of one read.
type Options struct {
	// Progress, if set, is called after each chunk with the chunks done and the
	// chunks in all. Calls do not overlap.
	Progress func(done, total int)
	// Partial, if set, is called after each chunk, before Progress, with the box of the
	// result that it is, in the result's dimensions. Where the result is
	// scattered (lists of indices, points) it is not called. After an object changed while it was
	// read, boxes are told once more.
	Partial func(p Partial)
	// Of the chunks that wait, those of a read of higher Priority go first, and
	// among reads of one priority and View (when it is not "") those of the newest.
	Priority int
	View     string
	// Output, if set, is asked for the memory of the result, of elements of size
	// bytes, most of which come in runs of about chunk bytes (0 where they are
	// scattered). Where it returns one, Result.Data is nil; where it returns none, Go's
	// memory is taken.
	Output func(shape []int, size, chunk int) (Output, error)
}

// Result is what a read returns: a block in C order, packed and little-endian.
// Dimensions that were selected by an integer are not in its shape.
type Result struct {
	ndarray.Block
	Type *dtype.Type
}

// Read reads a selection; nil selects everything. Short selections are padded with whole
// dimensions.
//
// Errors are [*InvalidSelectionError], *codec.LimitError (before anything is
// fetched, if the result or the number of chunks is too large),
// [*CodecPipelineError], [*UnsupportedError], the store's and the context's.
// The first error ends the read.
func (a *Array) Read(ctx context.Context, sel []grid.Item, opt Options) (*Result, error) {
	axes, err := grid.Resolve(sel, a.Shape)
	if err != nil {
		return nil, selectionError(a.Path, err)
	}
	r := &read{a: a, opt: opt, axes: axes}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	shape, err := toInts(grid.OutShape(axes))
	if err != nil {
		return nil, err
	}
	return r.execute(ctx, shape)
}

// ReadChunk reads one whole chunk as it is stored: with the shape that the grid
// gives it, also where it reaches beyond the array. A chunk that is not there is the fill value.
func (a *Array) ReadChunk(ctx context.Context, coords []int64, opt Options) (*Result, error) {
	_, shape, err := a.planFor(coords)
	if err != nil {
		return nil, err
	}
	return a.readBox(ctx, coords, make([]int, len(shape)), shape, opt)
}

// readBox reads a box of one chunk of the grid, whether it lies in the array or not.
func (a *Array) readBox(ctx context.Context, coords []int64, from, shape []int, opt Options) (*Result, error) {
	if err := a.allowsChunk(shape); err != nil {
		return nil, err
	}
	r := &read{a: a, opt: opt, axes: make([]grid.Axis, len(shape)), total: 1, projections: make([][]projection, len(shape))}
	for d, n := range shape {
		r.projections[d] = []projection{{coords[d], positions{start: from[d], step: 1, count: n}, positions{step: 1, count: n}}}
	}
	if slices.Contains(shape, 0) {
		r.total = 0
	}
	err := r.size(shape)
	if err == nil {
		err = r.takeOutput(shape)
	}
	if err != nil {
		return nil, err
	}
	return r.execute(ctx, shape)
}

// read is one read under way.
type read struct {
	a    *Array
	opt  Options
	axes []grid.Axis
	to   Output        // nil where out has memory of its own
	out  ndarray.Block // with one dimension an axis, dropped ones as 1

	projections [][]projection // of each dimension, on the touched chunks
	pointChunks []pointChunk   // in their place, for points
	total       int            // chunks touched
	innermost   int            // chunks touched that hold no chunks
	chunkBytes  int            // about how many bytes one of them is, decoded
	share       int64          // how many bytes one takes while it is under way; of variable length, none before it is decoded
	limit       int            // how many of them are under way at once
	together    int            // how many objects are asked for at once where a source can do that
	keep        bool           // decoded chunks go into the cache

	queue    *queue
	mu       sync.Mutex
	progress int   // of innermost
	text     int64 // what the elements of variable length that were read refer to, in bytes
	pins     map[objectID]*store.Version
	fresh    map[objectID]bool
}

// prepare checks the read against the limits, finds the chunks and takes the memory for the result.
func (r *read) prepare() error {
	a, lim := r.a, r.a.engine.opt.Limits
	counts := make([]int64, len(r.axes))
	for d, ax := range r.axes {
		counts[d] = ax.Count
	}
	shape, err := toInts(counts)
	if err != nil {
		return err
	}
	if err := a.allows(shape, "selection"); err != nil {
		return err
	}
	r.total = 1
	if slices.Contains(shape, 0) {
		r.total = 0
	}
	for d, ax := range r.axes {
		if r.total == 0 {
			break
		}
		spans, err := a.Grid.Spans(d, ax, lim.Chunks/int64(r.total))
		if errors.Is(err, grid.ErrTooMany) {
			return &codec.LimitError{Limit: "Chunks", Max: lim.Chunks, Asked: lim.Chunks + 1, What: "selection"}
		}
		if err != nil {
			return selectionError(a.Path, err)
		}
		r.total *= len(spans)
		of := make([]projection, len(spans))
		for i, s := range spans {
			of[i] = projection{s.Chunk, newPositions(s.In), newPositions(s.Out)}
		}
		r.projections = append(r.projections, of)
	}
	if err := r.size(shape); err != nil {
		return err
	}
	return r.takeOutput(shape)
}

// So many bytes of chunks, decoded, are under way at most, where chunks are large: readAhead; readFar where
// requests take time, and browsers have less work with 16 large answers at once than with 8; readWide where fewer
// chunks would leave processors without work; readMost where they are so large that four of them fill the memory.
const (
	readAhead = 32 << 20
	readFar   = 64 << 20
	readWide  = 128 << 20
	readMost  = 1 << 30
)

// ahead is how many chunks of a size are under way at once.
func ahead(size int, executor codec.Executor, memory bool) int {
	bytes := readFar
	if memory {
		bytes = readAhead
	}
	size = max(1, size)
	n := max(1, min(4, readMost/size), bytes/size)
	if p, ok := executor.(codec.Parallel); ok {
		n = max(n, min(p.Parallel(), readWide/size))
	}
	return n
}

// firstChunk returns the coordinates of the first touched chunk.
func (r *read) firstChunk() []int64 {
	if r.pointChunks != nil {
		return r.pointChunks[0].coords
	}
	coords := make([]int64, len(r.projections))
	for d := range r.projections {
		coords[d] = r.projections[d][0].chunk
	}
	return coords
}

// size counts the chunks that are to be decoded for a result of the shape, and decides how many
// are under way at once, which is as many as there may be requests, unless they are so
// large that they would fill the memory; and whether they are kept: a read of more than
// the cache holds would only push out what others need.
func (r *read) size(shape []int) error {
	a, e := r.a, r.a.engine
	if r.innermost, r.together = r.total, 1; r.total == 0 {
		return nil
	}
	plan, _, err := a.planFor(r.firstChunk())
	if err != nil {
		return err
	}
	if e.ranges && plan.Shard() != nil {
		if err := r.countInnermost(plan); err != nil {
			return err
		}
		for plan.Shard() != nil {
			plan = plan.Shard().Inner
		}
	}
	size := plan.Array().Memory()
	if a.Type.Variable() {
		size = codec.Bytes(plan.Array().Shape, 64) // with what they refer to, about
	}
	r.chunkBytes = int(min(size, readAhead))
	held := int(min(size, readMost))
	if _, packed := plan.Raw(); packed && e.ranges {
		held = min(held, int(codec.Array{Shape: shape, Type: a.Type}.Memory())/r.innermost) // only what is wanted of it may be read
	}
	if !a.Type.Variable() {
		r.share = int64(held)
	}
	r.limit = min(r.innermost, e.opt.Limits.Requests*slot/weight(r.chunkBytes), ahead(held, e.opt.Executor, e.opt.Objects.Memory))
	budget := e.opt.Caches.Chunks.Budget()
	r.keep = !plan.ZeroCopy() && plan.Shard() == nil && e.opt.Caches.Chunks.Fits(size) && size <= budget/8/int64(r.innermost)
	if r.innermost == r.total && !r.keep && plan.Shard() == nil {
		r.together = a.together(r.chunkBytes)
	}
	return nil
}

// countInnermost counts the chunks inside of shards.
func (r *read) countInnermost(plan *codec.Plan) error {
	most := int(min(r.a.engine.opt.Limits.Chunks, 1<<30))
	tooMany := &codec.LimitError{Limit: "Chunks", Max: int64(most), Asked: int64(most) + 1, What: "selection"}
	if r.pointChunks != nil {
		r.innermost = 0
		for i := range r.pointChunks {
			if r.innermost += r.pointChunks[i].points.innermost(plan, most); r.innermost > most {
				return tooMany
			}
		}
		return nil
	}
	r.innermost = 1
	for d := range r.projections {
		n := 0
		for i := range r.projections[d] {
			if n += r.projections[d][i].innermost(d, plan, most); n > most {
				break
			}
		}
		if n > most/r.innermost {
			return tooMany
		}
		r.innermost *= n
	}
	return nil
}
