package zarr

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"zarr-wasm/store"
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
	r := reader{a: a, opt: opt}
	if err := r.prepare(axes); err != nil {
		return nil, err
	}
	if err := r.run(ctx); err != nil {
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
	a     *Array
	opt   ReadOptions
	out   ndarray.Block // with one dimension an axis, dropped ones as 1
	spans [][]span      // the touched chunks of each dimension
	total int
}

// span is a grid.Span in the integers of memory.
type span struct {
	chunk   int64
	in, out line
}

// line is positions along one dimension: start + i*step, or the list.
type line struct {
	start, step, count int
	list               []int
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
	r.out = ndarray.New(shape, a.Type.Size, a.Type.Variable())
	return nil
}

// run reads the chunks in C order, several at once, until all are there or one fails.
func (r *reader) run(ctx context.Context) error {
	if r.total == 0 {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu   sync.Mutex
		next int
		done int
		wg   sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= r.total || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(r.total, r.a.h.opt.Limits.Requests) {
		wg.Go(func() {
			w := newWorker(ctx, r)
			for {
				i, ok := take()
				if !ok {
					return
				}
				if err := w.chunk(i); err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				done++
				if r.opt.Progress != nil {
					r.opt.Progress(done, r.total)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// worker is what one goroutine of a read has for itself.
type worker struct {
	r      *reader
	env    *codec.Env
	pick   []*span // the chunk's span in each dimension
	coords []int64
	shape  []int // of the region that is wanted of the chunk
	in     ndarray.Layout
	out    ndarray.Layout
	want   []codec.Range
	// strides is room for those of a block.
	strides []int
}

func newWorker(ctx context.Context, r *reader) *worker {
	n := len(r.spans)
	layout := func() ndarray.Layout {
		return ndarray.Layout{Strides: make([]int, n), Lists: make([][]int, n)}
	}
	return &worker{
		r: r, env: codec.NewEnv(ctx, r.a.h.opt.Limits),
		pick: make([]*span, n), coords: make([]int64, n), shape: make([]int, n),
		in: layout(), out: layout(), want: make([]codec.Range, n), strides: make([]int, n),
	}
}

// chunk brings the i-th touched chunk's elements to their places in the output.
func (w *worker) chunk(i int) error {
	a := w.r.a
	for d := len(w.pick) - 1; d >= 0; d-- {
		spans := w.r.spans[d]
		w.pick[d] = &spans[i%len(spans)]
		i /= len(spans)
		w.coords[d] = w.pick[d].chunk
		w.shape[d] = w.pick[d].in.count
	}
	plan, shape := a.plan, a.nominal
	if plan == nil {
		var err error
		if plan, shape, err = a.planFor(w.coords); err != nil {
			return err
		}
	}
	setStrides(w.strides, w.r.out.Shape)
	place(&w.out, w.strides, w.pick, func(s *span) *line { return &s.out })
	src, err := a.fetch(w.env.Ctx, w.coords)
	if err != nil {
		return err
	}
	if src == nil {
		return ndarray.Fill(w.r.out, w.out, w.shape, a.Fill)
	}
	if err := plan.Admit(len(src)); err != nil {
		return chunkError(a.path, a.chunkKey(w.coords), err)
	}
	mark := w.env.Mark()
	defer w.env.Release(mark)
	stored, ok := plan.View(src)
	if !ok {
		var whole bool
		if stored.Block, whole = w.target(shape); !whole {
			stored.Block = w.env.Block(codec.Array{Shape: shape, Type: a.Type})
		}
		if err := a.h.opt.Executor.Decode(w.env, plan, stored.Block, src, w.wanted(shape)); err != nil {
			return chunkError(a.path, a.chunkKey(w.coords), err)
		}
		if whole {
			return nil
		}
	}
	if stored.Strides == nil {
		setStrides(w.strides, shape)
		stored.Strides = w.strides
	}
	place(&w.in, stored.Strides, w.pick, func(s *span) *line { return &s.in })
	return ndarray.CopySwapped(w.r.out, w.out, stored.Block, w.in, w.shape, stored.Swap)
}

// wanted is the box of the chunk that holds all elements of the selection, nil
// for all of the chunk.
func (w *worker) wanted(shape []int) []codec.Range {
	all := true
	for d := range w.pick {
		r := w.pick[d].in.bounds()
		w.want[d] = r
		all = all && r.From == 0 && r.To == shape[d]
	}
	if all {
		return nil
	}
	return w.want
}

// bounds is the range that holds all positions.
func (l *line) bounds() codec.Range {
	if l.list != nil {
		return codec.Range{From: slices.Min(l.list), To: slices.Max(l.list) + 1}
	}
	last := l.start + (l.count-1)*l.step
	return codec.Range{From: min(l.start, last), To: max(l.start, last) + 1}
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

// target returns the part of the output that is the whole chunk, if there is
// one: then the chunk is decoded where it belongs.
func (w *worker) target(shape []int) (ndarray.Block, bool) {
	out := w.r.out
	if w.r.a.Type.Variable() {
		return ndarray.Block{}, false
	}
	inner := true // all dimensions so far span the output's whole dimension
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		in, to := &w.pick[d].in, &w.pick[d].out
		if in.list != nil || to.list != nil || in.start != 0 || in.count != shape[d] || shape[d] > 1 && (in.step != 1 || to.step != 1) {
			return ndarray.Block{}, false
		}
		if !inner && shape[d] != 1 {
			return ndarray.Block{}, false
		}
		inner = inner && shape[d] == out.Shape[d]
		n *= shape[d]
	}
	from := w.out.Offset * out.Size
	return ndarray.Block{Shape: shape, Size: out.Size, Data: out.Data[from : from+n*out.Size]}, true
}
