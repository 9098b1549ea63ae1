package reader

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
)

// execute runs the read and returns the result with that shape. It runs the read again if an object
// changed in the meantime.
func (r *read) execute(ctx context.Context, shape []int) (*Result, error) {
	for restarts := 0; ; restarts++ {
		err := r.run(ctx)
		var changed *changedError
		if errtype.As(err, &changed) && restarts < maxRestarts {
			r.restart(changed)
			// The caller's memory may hold elements of the first run, and its Fill relies on zeros.
			if r.to != nil {
				if err := r.takeOutput(shape); err != nil {
					return nil, err
				}
			}
			continue
		}
		if changed != nil {
			changed.forget(r.a.engine)
			err = changed.err
		}
		if err != nil {
			return nil, err
		}
		out := r.out // a Partial may still copy from r.out
		out.Shape = shape
		return &Result{Block: out, Type: r.a.Type, Chunks: r.chunks}, nil
	}
}

// run reads the chunks in C order, several at once, until all are done or one fails.
func (r *read) run(ctx context.Context) error {
	if r.plan.Total() == 0 {
		return ctx.Err()
	}
	e := r.a.engine
	workers, ctx := guard.NewGroup(object.WithAllowance(ctx, e.opt.Caches.Layer.Budget()/2))
	q := newQueue(r.plan.Total())
	r.queue, r.progress, r.text = q, 0, 0
	r.chunks, r.room = nil, r.opt.Chunks
	defer context.AfterFunc(ctx, q.stop)()
	defer q.drop()
	t := e.admission.join(weight(r.chunkBytes), r.opt.Priority, r.opt.View)
	defer e.admission.leave(t)
	most, n := r.takes()
	work := func() error {
		w := newWorker(ctx, r)
		for {
			i, n, todo, ok := q.take(ctx, most)
			if !ok {
				return nil
			}
			if err := w.do(i, n, todo, t); err != nil {
				return err // this wakes workers that wait for the queue
			}
			q.ran()
		}
	}
	for range n - 1 {
		workers.Go(work)
	}
	workers.Here(work)
	return workers.Wait()
}

// takes returns how many touched chunks a worker takes at once, and the number of workers. A worker
// locates many chunks at once, so that adjacent ones become one request. The queue then holds these
// requests.
func (r *read) takes() (chunks, workers int) {
	switch own := r.a.engine.plain; {
	case own == nil:
		return min(r.plan.Total(), maxLocated), r.limit
	case own.Batches():
		return r.together, (r.limit + r.together - 1) / r.together
	}
	return 1, r.limit
}

// worker is the private state of one goroutine of a read.
type worker struct {
	r     *read
	env   *codec.Env
	place placement

	// Reusable memory, while nothing else refers to it.
	room  []chunk // for located chunks
	names []string
	have  store.Extent
}

func newWorker(ctx context.Context, r *read) *worker {
	return &worker{r: r, env: codec.NewEnv(ctx, r.a.engine.opt.Limits), place: newPlacement(r)}
}

// take returns room for n touched chunks.
func (w *worker) take(n int) []chunk {
	if len(w.room) < n {
		w.room = make([]chunk, n)
		for k, room := range plan.Room(n, len(w.r.a.Shape)) {
			w.room[k].Chunk = room
		}
	}
	return w.room[:n]
}

// do runs the work taken from the queue, after its admission.
func (w *worker) do(i, n int, todo task, of *ticket) error {
	e := w.r.a.engine
	err := e.admission.enter(w.env.Ctx, of)
	if err == nil {
		defer e.admission.exit(of)
		var give func()
		if give, err = e.opt.Caches.memory.Take(w.env.Ctx, w.r.share); err == nil {
			defer give()
		}
	}
	switch {
	case err != nil && todo != nil:
		todo.drop()
		return err
	case err != nil:
		return err
	case todo != nil:
		return todo.run(w)
	}
	return w.locate(i, n)
}

// fill sets the elements of an absent chunk to the fill value.
func (w *worker) fill(c *chunk) error {
	err := w.place.fill(c)
	if err == nil {
		w.done(c)
	}
	return err
}

// copied copies the elements of a chunk from a block to the output.
func (w *worker) copied(c *chunk, stored codec.Stored) error {
	err := w.place.copy(w.env, c, stored)
	if err == nil {
		w.done(c)
	}
	return err
}

// done counts a finished chunk. A shard that cannot be read in part counts as its touched inner
// chunks. The placement is still aimed at the chunk.
func (w *worker) done(c *chunk) {
	r, n := w.r, 1
	if c.isShard() && r.a.engine.ranges {
		n = c.innermost()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opt.Partial != nil {
		if box, ok := w.place.partial(c); ok {
			r.opt.Partial(box)
		}
	}
	if r.progress += n; r.opt.Progress != nil {
		r.opt.Progress(r.progress, r.innermost)
	}
}
