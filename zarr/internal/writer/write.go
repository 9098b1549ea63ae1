package writer

import (
	"context"
	"slices"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Values are the written elements: a block, and their strides in it along each dimension of the
// selection. A stride of 0 repeats an element.
type Values struct {
	ndarray.Block
	Strides []int
	// Gather, if set, supplies the elements. The block has no data then.
	Gather Gather
}

// Gather copies the elements of a region to dst, one after the other. The region has no lists.
type Gather func(dst []byte, from ndarray.Layout, shape []int) error

// Options are the options of one write.
type Options struct {
	// Progress, if set, is called after each chunk with the number of finished chunks and the
	// total. Calls do not overlap.
	Progress func(done, total int)
	// SkipEmpty does not write chunks that hold only the fill value, and deletes stored ones. It
	// applies only if every reader takes an absent chunk for the fill value: see
	// [meta.Array.PortableFill].
	SkipEmpty bool
	// Undefined, if set, reports whether a chunk may be absent nonetheless, because its elements
	// are undefined.
	Undefined func(ctx context.Context, coords []int64) (bool, error)
	// Field selects the written bytes of each element, if its Size is not 0. The other bytes stay
	// unchanged.
	Field Field
	// Grows, if not 0, is 1 plus the dimension along which other writers extend the array
	// concurrently. Elements beyond its end may be theirs, and stay unchanged.
	Grows int
}

// Field is a part of each element: Size bytes from Offset.
type Field struct{ Offset, Size int }

// Write writes values to the elements that a selection's axes select. Errors before the first write
// are *limits.Error, *reader.InvalidSelectionError and *reader.UnsupportedError; later ones are
// *[Error].
func (e *Engine) Write(ctx context.Context, a *reader.Array, axes []grid.Axis, values Values, lim limits.Limits, opt Options) error {
	p, err := plan.New(a.Grid, axes, lim.Chunks)
	if err != nil {
		return reader.SelectionError(a.Path, err)
	}
	return e.run(ctx, a, p, values, lim, opt)
}

// WritePoints writes values to single elements, at coordinates from [reader.Array.CheckPoints].
func (e *Engine) WritePoints(ctx context.Context, a *reader.Array, coords [][]int64, values Values, lim limits.Limits, opt Options) error {
	p, err := plan.NewPoints(a.Grid, coords, lim.Chunks)
	if err != nil {
		return err
	}
	return e.run(ctx, a, p, values, lim, opt)
}

// keptBytes is the largest chunk size in bytes whose memory stays for the next write.
const keptBytes = 4 << 20

// write is one write under way.
type write struct {
	// ctx is the caller's. A store under way goes on after another chunk fails: otherwise its
	// outcome would be unknown.
	ctx    context.Context
	e      *Engine
	a      *reader.Array
	plan   *plan.Plan
	values Values
	limits limits.Limits
	opt    Options
	// portable is set if every reader takes an absent chunk for the fill value.
	portable bool
	// room, if the executor encodes, has an element for each chunk that is being made or encoded.
	room chan struct{}

	mu      sync.Mutex
	next    int
	written []string
}

// run writes the chunks of a plan, several at once.
func (e *Engine) run(ctx context.Context, a *reader.Array, p *plan.Plan, values Values, lim limits.Limits, opt Options) error {
	if err := a.Pipeline().CheckEncode(); err != nil {
		return reader.MetadataError(a.Path, err)
	}
	p.Once() // the last of several values for one element wins
	total := p.Total()
	if total == 0 {
		return ctx.Err()
	}
	w := &write{ctx: ctx, e: e, a: a, plan: p, values: values, limits: lim, opt: opt, portable: opt.SkipEmpty && a.PortableFill()}
	if executor, ok := e.reader.Executor().(codec.EncodingExecutor); ok {
		w.room = make(chan struct{}, executor.Parallel())
	}
	first := plan.Room(1, len(a.Shape))
	p.Touch(&first[0], 0)
	codecs, _, err := a.Plan(first[0].Coords)
	if err != nil {
		return err
	}
	keep := codecs.Array().Memory() <= keptBytes
	workers, inside := guard.NewGroup(ctx)
	for range min(e.limit, total) {
		workers.Go(func() error {
			env := e.env(inside, lim)
			if keep {
				defer e.keep(env)
			}
			for {
				i, ok := w.take(inside)
				if !ok {
					return nil
				}
				if err := w.chunk(inside, env, i); err != nil {
					return err
				}
			}
		})
	}
	if err := workers.Wait(); err != nil {
		return &Error{a.Path, slices.Clip(w.written), err}
	}
	return nil
}

// take returns the next chunk's number.
func (w *write) take(ctx context.Context) (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == w.plan.Total() || ctx.Err() != nil {
		return 0, false
	}
	w.next++
	return w.next - 1, true
}

// done notes that a chunk is written.
func (w *write) done(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written = append(w.written, key)
	if w.opt.Progress != nil { // called with the lock held
		w.opt.Progress(len(w.written), w.plan.Total())
	}
}
