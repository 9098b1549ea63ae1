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
	// Progress, if set, is called after each chunk with the number of finished chunks and the
	// total. Calls do not overlap.
	Progress func(done, total int)
	// Partial, if set, is called after each chunk, before Progress, with the box of the result that
	// the chunk fills, in the result's dimensions. It is not called for scattered results (lists of
	// indices, points). If an object changes during the read, boxes may be reported again.
	Partial func(p Partial)
	// Priority orders waiting chunks: those of a read of higher Priority go first. Among reads of
	// the same priority and View (unless ""), the newest goes first.
	Priority int
	View     string
	// Output, if set, supplies the memory of the result. It receives the size of an element and the
	// usual length of a run, both in bytes; the length is 0 if elements are scattered. If it
	// returns an Output, Result.Data is nil. If it returns none, the read uses Go's memory.
	Output func(shape []int, size, chunk int) (Output, error)
	// Items, if set, supplies the memory of a result with elements of variable length. If it
	// returns an Output, Result.Items is nil, and the read calls only Put and Fill, with blocks of
	// items. If it returns nil, the read uses Go's memory.
	Items func(shape []int) Output
	// Chunks is the most bytes of decoded chunks in Result.Chunks.
	Chunks int64
}

// Result is the result of a read: a block in C order, packed and little-endian. Its shape omits
// dimensions that an integer selected.
type Result struct {
	ndarray.Block
	Type *dtype.Type
	// Chunks holds chunks that the cache has decoded and the selection touches, as many as
	// Options.Chunks allows. A selection with lists has none. The caller must not change them.
	Chunks []WholeChunk
}

// Read reads a selection; nil selects everything. Short selections are padded with whole
// dimensions.
//
// Errors are [*InvalidSelectionError], *codec.LimitError (before any request, if the result or the
// number of chunks is too large), [*CodecPipelineError], [*UnsupportedError], the store's and the
// context's. The first error ends the read.
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

// ReadChunk reads one whole chunk with the shape that the grid gives it, even where it reaches
// beyond the array. An absent chunk reads as the fill value.
func (a *Array) ReadChunk(ctx context.Context, coords []int64, opt Options) (*Result, error) {
	_, shape, err := a.planFor(coords)
	if err != nil {
		return nil, err
	}
	return a.readBox(ctx, coords, make([]int, len(shape)), shape, opt)
}

// readBox reads a box of one chunk of the grid, inside or outside the array.
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
	to   Output        // nil if out has its own memory
	out  ndarray.Block // one dimension for each axis; dropped ones have length 1

	innermost  int // touched chunks that are not shards
	chunkBytes int // about the decoded size of one of them, in bytes
	// Bytes of memory that one of them takes while under way. It is 0 for elements of variable
	// length, whose size is unknown before decoding.
	share int64
	limit int // how many of them are under way at once
	// How many objects a worker requests at once, if the source supports that.
	together int
	keep     bool // decoded chunks go into the cache

	queue    *queue
	mu       sync.Mutex
	progress int   // of innermost
	text     int64 // the bytes of variable-length elements read so far
	chunks   []WholeChunk
	room     int64 // left for chunks, in bytes
	pins     map[objectID]*store.Version
	fresh    map[objectID]bool
}

// prepare sizes the read and allocates a result of the shape.
func (r *read) prepare(shape []int) error {
	if err := r.size(shape); err != nil {
		return err
	}
	return r.takeOutput(shape)
}

// These constants limit the decoded bytes of chunks under way, for large chunks:
//
//   - readAhead is for sources in memory.
//   - readFar is for sources with latency. Browsers handle 16 large responses at once with less
//     work than 8.
//   - readWide keeps all processors busy.
//   - readMost applies to chunks so large that four of them fill the memory.
const (
	readAhead = 32 << 20
	readFar   = 64 << 20
	readWide  = 128 << 20
	readMost  = 1 << 30
)

// ahead returns how many chunks of a size in bytes are under way at once.
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

// size counts the chunks to decode for a result of the shape. It decides how many are under way at
// once: as many as the limit of requests, unless they would fill the memory. It also decides
// whether they are cached: a read larger than the cache would only evict entries that others need.
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
		size = codec.Bytes(p.Array().Shape, 64) // a guess that includes the items' bytes
	}
	r.chunkBytes = int(min(size, readAhead))
	held := int(min(size, readMost))
	if _, packed := p.Raw(); packed && e.ranges {
		// Reads may fetch only the selected part.
		held = min(held, int(codec.Array{Shape: shape, Type: a.Type}.Memory())/r.innermost)
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

// countInnermost counts the chunks inside shards.
func (r *read) countInnermost(p *codec.Plan) error {
	most := int(min(r.a.engine.opt.Limits.Chunks, 1<<30))
	if r.innermost = r.plan.Innermost(innermostShape(p), most); r.innermost > most {
		return &codec.LimitError{Limit: "Chunks", Max: int64(most), Asked: int64(most) + 1, What: "selection"}
	}
	return nil
}

// innermostShape returns the shape of the chunks in a shard that are not shards.
func innermostShape(p *codec.Plan) []int {
	for p.Shard() != nil {
		p = p.Shard().Inner
	}
	return p.Array().Shape
}
