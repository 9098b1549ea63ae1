package zarr

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"zarr-wasm/store"
	"zarr-wasm/store/cache"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/grid"
	"zarr-wasm/zarr/ndarray"
)

// ReadOptions are the options of one read.
type ReadOptions struct {
	// Progress, if set, is called after each chunk with the chunks done and the
	// chunks in all. Calls do not overlap.
	Progress func(done, total int)
	// Part, if set, is called after each chunk, before Progress, with the box of the
	// result that it is, in the result's dimensions and in those of Copy. Where the result is
	// scattered (lists of indices) it is not called. After an object changed while it was
	// read, parts are told once more.
	Part func(p Part)
	// Of the chunks that wait, those of a read of higher Priority go first, and
	// among reads of one priority and View (when it is not "") those of the newest.
	Priority int
	View     string
	// Output, if set, is asked for the memory of the result, of elements of size
	// bytes, most of which come in pieces of about chunk bytes (0 where they are
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
func (a *Array) Read(ctx context.Context, sel []grid.Item, opt ReadOptions) (*Result, error) {
	axes, err := grid.Resolve(sel, a.Shape)
	if err != nil {
		return nil, selectionError(a.path, err)
	}
	r := reader{a: a, opt: opt, axes: axes}
	if err := r.prepare(axes); err != nil {
		return nil, err
	}
	err = r.run(ctx)
	var changed *changedError
	if errors.As(err, &changed) {
		a.h.forget(a, changed.piece)
		if err = r.run(ctx); errors.As(err, &changed) {
			a.h.forget(a, changed.piece)
			err = changed.err
		}
	}
	if err != nil {
		return nil, err
	}
	out, err := toInts(grid.OutShape(axes))
	if err != nil {
		return nil, err
	}
	r.out.Shape = out
	return &Result{Block: r.out, Type: a.Type}, nil
}

// ReadChunk reads one whole chunk as it is stored: with the shape that the grid
// gives it, also where it reaches beyond the array.
func (a *Array) ReadChunk(ctx context.Context, coords []int64) (*Result, error) {
	plan, shape, err := a.planFor(coords)
	if err != nil {
		return nil, err
	}
	lim := a.h.opt.Limits
	src, err := a.fetch(ctx, coords)
	if err != nil {
		return nil, err
	}
	if src == nil {
		if n, err := bytesOf("chunk", shape, a.Type.Size); err != nil {
			return nil, err
		} else if n > lim.ChunkBytes {
			return nil, &codec.LimitError{Limit: "ChunkBytes", Max: lim.ChunkBytes, Asked: n, What: "chunk"}
		}
		b := ndarray.New(shape, a.Type.Size, a.Type.Variable())
		err := ndarray.Fill(b, ndarray.Layout{Strides: ndarray.Strides(shape)}, shape, a.Fill)
		return &Result{b, a.Type}, err
	}
	if err := plan.Admit(len(src)); err != nil {
		return nil, chunkError(a.path, a.chunkKey(coords), err)
	}
	b := ndarray.New(shape, a.Type.Size, a.Type.Variable())
	env := codec.NewEnv(ctx, lim)
	if err := a.h.opt.Executor.Decode(env, plan, b, src, nil); err != nil {
		return nil, chunkError(a.path, a.chunkKey(coords), err)
	}
	return &Result{b, a.Type}, nil
}

// fetch reads a chunk's stored bytes; nil means that the chunk does not exist.
func (a *Array) fetch(ctx context.Context, coords []int64) ([]byte, error) {
	for _, keys := range a.keys.order() {
		if keys == nil {
			break
		}
		src, err := a.h.store.Get(ctx, store.Join(a.path, keys.Key(coords)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		a.keys.decide(keys)
		if src == nil {
			src = []byte{} // there, but empty
		}
		return src, nil
	}
	return nil, nil
}

// reader is one read under way.
type reader struct {
	a      *Array
	opt    ReadOptions
	axes   []grid.Axis
	to     Output        // nil where out has memory of its own
	out    ndarray.Block // with one dimension an axis, dropped ones as 1
	spans  [][]span      // the touched chunks of each dimension
	total  int           // chunks touched
	leaves int           // chunks touched that hold no chunks
	leaf   int           // about how many bytes one of them is, decoded
	most   int           // how many of them are under way at once
	batch  int           // how many of them are asked for at once
	keep   bool          // decoded chunks go into the cache

	queue    *queue
	mu       sync.Mutex
	progress int // of leaves
}

func newLine(a grid.Axis) line {
	l := line{start: int(a.Start), step: int(a.Step), count: int(a.Count)}
	if a.List != nil {
		l.list = make([]int, len(a.List))
		for i, v := range a.List {
			l.list[i] = int(v)
		}
	}
	return l
}

// prepare checks the read against the limits, finds the chunks and takes the memory for the result.
func (r *reader) prepare(axes []grid.Axis) error {
	a, lim := r.a, r.a.h.opt.Limits
	counts := make([]int64, len(axes))
	for d, ax := range axes {
		counts[d] = ax.Count
	}
	shape, err := toInts(counts)
	if err != nil {
		return err
	}
	size, err := bytesOf("selection", shape, max(a.Type.Size, 1))
	if a.Type.Variable() {
		size, err = bytesOf("selection", shape, 24)
	}
	if err != nil {
		var limit *codec.LimitError
		if errors.As(err, &limit) {
			limit.Limit, limit.Max = "OutputBytes", lim.OutputBytes
		}
		return err
	}
	if size > lim.OutputBytes {
		return &codec.LimitError{Limit: "OutputBytes", Max: lim.OutputBytes, Asked: size, What: "selection"}
	}
	r.total = 1
	if size == 0 && hasZero(shape) {
		r.total = 0
	}
	for d, ax := range axes {
		if r.total == 0 {
			break
		}
		spans, err := a.Grid.Spans(d, ax, lim.Chunks/int64(r.total))
		if errors.Is(err, grid.ErrTooMany) {
			return &codec.LimitError{Limit: "Chunks", Max: lim.Chunks, Asked: lim.Chunks + 1, What: "selection"}
		}
		if err != nil {
			return selectionError(a.path, err)
		}
		r.total *= len(spans)
		of := make([]span, len(spans))
		for i, s := range spans {
			of[i] = span{s.Chunk, newLine(s.In), newLine(s.Out)}
		}
		r.spans = append(r.spans, of)
	}
	if err := r.look(size); err != nil {
		return err
	}
	return r.takeOutput(shape)
}

// So many bytes of chunks, decoded, are under way at most, where chunks are large: readAhead; readFar where
// requests take time, and browsers have less work with 16 large answers at once than with 8; readWide where fewer
// chunks would leave processors without work.
const (
	readAhead = 32 << 20
	readFar   = 64 << 20
	readWide  = 128 << 20
)

// ahead is how many chunks of a size are under way at once.
func ahead(size int, executor codec.Executor, memory bool) int {
	bytes := readFar
	if memory {
		bytes = readAhead
	}
	n := max(4, bytes/max(1, size))
	if p, ok := executor.(codec.Parallel); ok {
		n = max(n, min(p.Parallel(), readWide/max(1, size)))
	}
	return n
}

// look counts the chunks that are to be decoded for a result of so many bytes, and decides how many
// are under way at once, which is as many as there may be requests, unless they are so
// large that they would fill the memory; and whether they are kept: a read of more than
// the cache holds would only push out what others need.
func (r *reader) look(out int64) error {
	a := r.a
	if r.leaves, r.batch = r.total, 1; r.total == 0 {
		return nil
	}
	coords := make([]int64, len(r.spans))
	for d := range r.spans {
		coords[d] = r.spans[d][0].chunk
	}
	plan, _, err := a.planFor(coords)
	if err != nil {
		return err
	}
	if a.h.ranges && plan.Contents() != nil {
		most := int(min(a.h.opt.Limits.Chunks, 1<<30))
		r.leaves = 1
		for d := range r.spans {
			n := 0
			for i := range r.spans[d] {
				if n += r.spans[d][i].leaves(d, plan, most); n > most {
					break
				}
			}
			if n > most/r.leaves {
				return &codec.LimitError{Limit: "Chunks", Max: int64(most), Asked: int64(most) + 1, What: "selection"}
			}
			r.leaves *= n
		}
		for plan.Contents() != nil {
			plan = plan.Contents().Inner
		}
	}
	size := int64(plan.Array().Bytes())
	if a.Type.Variable() {
		size = 64 * int64(plan.Array().Len())
	}
	r.leaf = int(min(size, readAhead))
	held := r.leaf
	if _, packed := plan.Packed(); packed && a.h.ranges {
		held = min(held, int(out)/r.leaves) // only what is wanted of it may be read
	}
	r.most = min(r.leaves, a.h.opt.Limits.Requests*slot/weight(r.leaf), ahead(held, a.h.opt.Executor, a.h.opt.Cache.Memory))
	decoded := a.h.blocks.Budget()
	r.keep = !plan.Viewable() && plan.Contents() == nil && a.h.blocks.Fits(size) && size <= decoded/8/int64(r.leaves)
	if r.leaves == r.total && !r.keep && plan.Contents() == nil {
		r.batch = a.batch(r.leaf)
	}
	return nil
}

// run reads the chunks in C order, several at once, until all are there or one fails.
func (r *reader) run(ctx context.Context) error {
	if r.total == 0 {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(cache.WithAllowance(ctx, r.a.h.opt.Caches.encoded.Stats().Budget/2))
	defer cancel(nil)
	q := newQueue(r.total)
	r.queue, r.progress = q, 0
	defer context.AfterFunc(ctx, q.stop)()
	defer q.drop()
	g := r.a.h.gate
	turn := g.join(weight(r.leaf), r.opt.Priority, r.opt.View)
	defer g.leave(turn)
	var wg sync.WaitGroup
	for range (r.most + r.batch - 1) / r.batch {
		wg.Go(func() {
			w := newWorker(ctx, r)
			for {
				i, n, t, ok := q.take(ctx, r.batch)
				if !ok {
					return
				}
				err := w.do(i, n, t, turn)
				q.ran()
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// do does what was taken of the queue, when it is this read's turn.
func (w *worker) do(i, n int, t task, of *turn) error {
	g := w.r.a.h.gate
	if err := g.enter(w.env.Ctx, of); err != nil {
		if t != nil {
			t.drop()
		}
		return err
	}
	defer g.exit(of)
	switch {
	case t != nil:
		return t.run(w)
	case w.r.batch > 1:
		return w.chunks(i, n)
	}
	return w.chunk(i)
}

// done counts what has got to its place: so many chunks, of which this was the last and
// the worker was aimed at it.
func (w *worker) done(p *piece, n int) {
	r := w.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opt.Part != nil {
		w.part(p)
	}
	if r.progress += n; r.opt.Progress != nil {
		r.opt.Progress(r.progress, r.leaves)
	}
}

// worker is what one goroutine of a read has for itself.
type worker struct {
	r     *reader
	env   *codec.Env
	shape []int // of the region that is wanted of the chunk
	in    ndarray.Layout
	out   ndarray.Layout
	want  []codec.Range
	// strides is room for those of a block, and own for a piece that is done at once.
	strides []int
	own     piece
	keys    []string // of a batch
}

func newWorker(ctx context.Context, r *reader) *worker {
	n := len(r.spans)
	layout := func() ndarray.Layout {
		return ndarray.Layout{Strides: make([]int, n), Lists: make([][]int, n)}
	}
	return &worker{
		r: r, env: codec.NewEnv(ctx, r.a.h.opt.Limits),
		shape: make([]int, n), in: layout(), out: layout(), want: make([]codec.Range, n), strides: make([]int, n),
		own: piece{coords: make([]int64, n), length: -1, pick: make([]*span, n)},
	}
}

// turnTo makes the i-th touched chunk the worker's own piece.
func (w *worker) turnTo(i int) error {
	a, p := w.r.a, &w.own
	for d := len(p.pick) - 1; d >= 0; d-- {
		spans := w.r.spans[d]
		p.pick[d] = &spans[i%len(spans)]
		i /= len(spans)
		p.coords[d] = p.pick[d].chunk
	}
	var err error
	if p.plan, p.shape = a.plan, a.nominal; p.plan == nil {
		p.plan, p.shape, err = a.planFor(p.coords)
	}
	return err
}

// chunk brings the i-th touched chunk's elements to their places in the output.
func (w *worker) chunk(i int) error {
	a, p := w.r.a, &w.own
	if err := w.turnTo(i); err != nil {
		return err
	}
	if inside := a.h.ranges && p.plan.Contents() != nil; inside || w.r.keep {
		// Others will work on it when this one has gone on.
		p = &piece{plan: p.plan, shape: p.shape, coords: slices.Clone(p.coords), length: -1, pick: slices.Clone(p.pick)}
		if p.key = a.chunkKey(p.coords); inside {
			return w.container(p)
		}
	}
	if ok, err := w.rows(p); ok || err != nil {
		return err
	}
	return w.leaf(p, func(ctx context.Context) ([]byte, error) {
		src, err := a.fetch(ctx, p.coords)
		if err == nil && src == nil {
			return nil, errAbsent
		}
		return src, err
	})
}

// errAbsent says that there is no chunk: it is the fill value.
var errAbsent = errors.New("no such chunk")

// aim sets where the elements of a piece belong.
func (w *worker) aim(p *piece) {
	for d, s := range p.pick {
		w.shape[d] = s.in.count
	}
	setStrides(w.strides, w.r.out.Shape)
	place(&w.out, w.strides, p.pick, func(s *span) *line { return &s.out })
}

// copy brings the elements of a piece to the output.
func (w *worker) copy(p *piece, stored codec.Stored) error {
	w.aim(p)
	if stored.Strides == nil {
		setStrides(w.strides, stored.Shape)
		stored.Strides = w.strides
	}
	place(&w.in, stored.Strides, p.pick, func(s *span) *line { return &s.in })
	return w.put(stored)
}

// inPlace is the size of the chunks from which on it is better to decode them where they
// belong than to keep them.
const inPlace = 4 << 20

// leaf brings a piece that holds no other pieces to the output. Its bytes are those
// that get returns.
func (w *worker) leaf(p *piece, get func(context.Context) ([]byte, error)) error {
	r, a := w.r, w.r.a
	w.aim(p)
	_, size, whole := w.target(p)
	if r.keep {
		var block ndarray.Block
		var err error
		if whole && size >= inPlace {
			block, _ = a.h.blocks.Get(p.id(a))
		} else if block, err = a.block(w.env.Ctx, p, get); errors.Is(err, errAbsent) {
			return w.fill(p)
		} else if err != nil {
			return err
		}
		if block.Shape != nil {
			return w.copied(p, codec.Stored{Block: block})
		}
	}
	src, err := get(w.env.Ctx)
	if errors.Is(err, errAbsent) {
		return w.fill(p)
	}
	if err != nil {
		return err
	}
	if err := w.decode(p, src); err != nil {
		return err
	}
	a.reuse(p, src)
	return nil
}

// decode decodes a piece, and brings what is wanted of it to its place, which the worker is aimed at.
func (w *worker) decode(p *piece, src []byte) error {
	r, a := w.r, w.r.a
	if err := p.plan.Admit(len(src)); err != nil {
		return chunkError(a.path, a.keyOf(p), err)
	}
	mark := w.env.Mark()
	defer w.env.Release(mark)
	var err error
	from, size, whole := w.target(p)
	stored, ok := p.plan.View(src)
	if ok {
		return w.copied(p, stored)
	}
	if r.to != nil {
		setStrides(w.strides, p.shape)
		place(&w.in, w.strides, p.pick, func(s *span) *line { return &s.in })
		err = r.to.Decode(w.env, codec.Job{Plan: p.plan, Src: src, Want: w.wanted(p), In: w.in, Out: w.out, Shape: w.shape})
	} else {
		if whole {
			stored.Block = ndarray.Block{Shape: p.shape, Size: r.out.Size, Data: r.out.Data[from : from+size]}
		} else {
			stored.Block = w.env.Block(codec.Array{Shape: p.shape, Type: a.Type})
		}
		err = a.h.opt.Executor.Decode(w.env, p.plan, stored.Block, src, w.wanted(p))
	}
	if err != nil {
		return chunkError(a.path, a.keyOf(p), err)
	}
	if r.to == nil && !whole {
		return w.copied(p, stored)
	}
	w.done(p, 1)
	return nil
}

// reuse gives a piece's bytes, of which nothing is needed any more, back to a store that can use their memory
// again, if nobody else has them.
func (a *Array) reuse(p *piece, src []byte) {
	// Elements of variable length refer to it, and a cache to all but what a store in memory has whole.
	if a.Type.Variable() || p.length >= 0 || !a.h.opt.Cache.Memory {
		return
	}
	if st, ok := a.h.origin.(store.Reuser); ok {
		st.Reuse(src)
	}
}

// copied is copy of a piece that is done with that.
func (w *worker) copied(p *piece, stored codec.Stored) error {
	err := w.copy(p, stored)
	if err == nil {
		w.done(p, 1)
	}
	return err
}

// block returns a decoded piece that all share, or errAbsent.
func (a *Array) block(ctx context.Context, p *piece, get func(context.Context) ([]byte, error)) (ndarray.Block, error) {
	mark := store.Mark(ctx)
	return a.h.blocks.Do(ctx, p.id(a), func(ctx context.Context) (ndarray.Block, int64, error) {
		src, err := get(store.WithMark(ctx, mark))
		if err != nil {
			return ndarray.Block{}, 0, err
		}
		if err := p.plan.Admit(len(src)); err != nil {
			return ndarray.Block{}, 0, chunkError(a.path, a.keyOf(p), err)
		}
		b := ndarray.New(p.shape, a.Type.Size, a.Type.Variable())
		env := a.h.env(ctx)
		if err := a.h.opt.Executor.Decode(env, p.plan, b, src, nil); err != nil {
			return ndarray.Block{}, 0, chunkError(a.path, a.keyOf(p), err)
		}
		if !a.Type.Variable() {
			a.h.release(env) // elements of variable length refer to its memory
			a.reuse(p, src)
		}
		return b, sizeOf(b), nil
	})
}

// keyOf is the key of the object that a piece is in, for messages.
func (a *Array) keyOf(p *piece) string {
	if p.index != nil {
		return p.key
	}
	return a.chunkKey(p.coords)
}

// wanted is the box of the chunk that holds all elements of the selection, nil
// for all of the chunk.
func (w *worker) wanted(p *piece) []codec.Range {
	all := true
	for d := range p.pick {
		r := p.pick[d].in.bounds()
		w.want[d] = r
		all = all && r.From == 0 && r.To == p.shape[d]
	}
	if all {
		return nil
	}
	return w.want
}

// place sets a layout to the lines of the picked spans in a block of these strides.
func place(l *ndarray.Layout, strides []int, pick []*span, side func(*span) *line) {
	l.Offset = 0
	for d, stride := range strides {
		s := side(pick[d])
		if l.Lists[d] = s.list; s.list != nil {
			l.Strides[d] = stride
		} else {
			l.Offset += s.start * stride
			l.Strides[d] = s.step * stride
		}
	}
}

// setStrides sets the strides of a block in C order.
func setStrides(strides, shape []int) {
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = n
		n *= shape[d]
	}
}

// target returns which bytes of the output are the whole chunk, if there are
// such: then the chunk is decoded where it belongs.
func (w *worker) target(p *piece) (from, size int, ok bool) {
	out, shape := w.r.out, p.shape
	if w.r.a.Type.Variable() {
		return 0, 0, false
	}
	inner := true // all dimensions so far span the output's whole dimension
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		in, to := &p.pick[d].in, &p.pick[d].out
		if in.list != nil || to.list != nil || in.start != 0 || in.count != shape[d] || shape[d] > 1 && (in.step != 1 || to.step != 1) {
			return 0, 0, false
		}
		if !inner && shape[d] != 1 {
			return 0, 0, false
		}
		inner = inner && shape[d] == out.Shape[d]
		n *= shape[d]
	}
	return w.out.Offset * out.Size, n * out.Size, true
}
