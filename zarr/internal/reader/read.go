package reader

import (
	"context"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
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
	counts := make([]int64, len(axes))
	for d, axis := range axes {
		counts[d] = axis.Count
	}
	shape, err := toInts(counts)
	if err != nil {
		return nil, err
	}
	if err := a.allows(shape, "selection"); err != nil {
		return nil, err
	}
	p, err := plan.New(a.Grid, axes, a.engine.opt.Limits.Chunks)
	if err != nil {
		return nil, selectionError(a.Path, err)
	}
	r := &read{a: a, opt: opt, axes: axes, plan: p}
	if err := r.prepare(shape); err != nil {
		return nil, err
	}
	if shape, err = toInts(grid.OutShape(axes)); err != nil {
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
	r := &read{a: a, opt: opt, plan: plan.NewRegion(coords, from, shape)}
	if err := r.prepare(shape); err != nil {
		return nil, err
	}
	return r.execute(ctx, shape)
}

// read is one read under way.
type read struct {
	a    *Array
	opt  Options
	plan *plan.Plan
	axes []grid.Axis   // of the selection; nil for points and chunks
	to   Output        // nil where out has memory of its own
	out  ndarray.Block // with one dimension an axis, dropped ones as 1

	innermost  int   // chunks touched that hold no chunks
	chunkBytes int   // about how many bytes one of them is, decoded
	share      int64 // how many bytes one takes while it is under way; of variable length, none before it is decoded
	limit      int   // how many of them are under way at once
	together   int   // how many objects are asked for at once where a source can do that
	keep       bool  // decoded chunks go into the cache

	queue    *queue
	mu       sync.Mutex
	progress int   // of innermost
	text     int64 // what the elements of variable length that were read refer to, in bytes
	pins     map[objectID]*store.Version
	fresh    map[objectID]bool
}

// prepare sizes the read, and takes the memory for a result of the shape.
func (r *read) prepare(shape []int) error {
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

// size counts the chunks that are to be decoded for a result of the shape, and decides how many
// are under way at once, which is as many as there may be requests, unless they are so
// large that they would fill the memory; and whether they are kept: a read of more than
// the cache holds would only push out what others need.
func (r *read) size(shape []int) error {
	a, e := r.a, r.a.engine
	if r.innermost, r.together = r.plan.Total(), 1; r.plan.Total() == 0 {
		return nil
	}
	first := plan.Room(1, len(a.Shape))
	r.plan.Touch(&first[0], 0)
	p, _, err := a.planFor(first[0].Coords)
	if err != nil {
		return err
	}
	if e.ranges && p.Shard() != nil {
		if err := r.countInnermost(p); err != nil {
			return err
		}
		for p.Shard() != nil {
			p = p.Shard().Inner
		}
	}
	size := p.Array().Memory()
	if a.Type.Variable() {
		size = codec.Bytes(p.Array().Shape, 64) // with what they refer to, about
	}
	r.chunkBytes = int(min(size, readAhead))
	held := int(min(size, readMost))
	if _, packed := p.Raw(); packed && e.ranges {
		held = min(held, int(codec.Array{Shape: shape, Type: a.Type}.Memory())/r.innermost) // only what is wanted of it may be read
	}
	if !a.Type.Variable() {
		r.share = int64(held)
	}
	r.limit = min(r.innermost, e.opt.Limits.Requests*slot/weight(r.chunkBytes), ahead(held, e.opt.Executor, e.opt.Objects.Memory))
	budget := e.opt.Caches.Chunks.Budget()
	r.keep = !p.ZeroCopy() && p.Shard() == nil && e.opt.Caches.Chunks.Fits(size) && size <= budget/8/int64(r.innermost)
	if r.innermost == r.plan.Total() && !r.keep && p.Shard() == nil {
		r.together = a.together(r.chunkBytes)
	}
	return nil
}

// countInnermost counts the chunks inside of shards.
func (r *read) countInnermost(p *codec.Plan) error {
	most := int(min(r.a.engine.opt.Limits.Chunks, 1<<30))
	if r.innermost = r.plan.Innermost(innermostShape(p), most); r.innermost > most {
		return &codec.LimitError{Limit: "Chunks", Max: int64(most), Asked: int64(most) + 1, What: "selection"}
	}
	return nil
}

// innermostShape returns the shape of the chunks in a shard that hold no chunks.
func innermostShape(p *codec.Plan) []int {
	for p.Shard() != nil {
		p = p.Shard().Inner
	}
	return p.Array().Shape
}
