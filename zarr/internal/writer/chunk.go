package writer

import (
	"context"
	"errors"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// chunk writes the i-th touched chunk.
func (w *write) chunk(ctx context.Context, env *codec.Env, i int) (err error) {
	a, p := w.a, part{coords: w.plan.at(i)}
	plan, shape, err := a.Plan(p.coords)
	if err != nil {
		return err
	}
	w.plan.set(&p, i, shape)
	give, err := w.e.memory.Take(ctx, 2*plan.Array().Memory())
	if err != nil {
		return err
	}
	defer give()
	key, err := a.Key(ctx, p.coords)
	if err != nil {
		return err
	}
	err = w.e.Change(ctx, key, func(c *Change) error {
		mark := env.Mark()
		defer env.Release(mark)
		data, old, err := w.stored(ctx, env, c, &p, plan, key)
		switch {
		case err != nil:
			return err
		case old != nil && data == nil:
			return c.Delete(w.ctx, key, *old)
		case old != nil:
			return c.Set(w.ctx, key, data, *old)
		case data == nil:
			return w.e.Delete(w.ctx, key)
		}
		return w.e.Set(w.ctx, key, data)
	})
	if err == nil {
		w.done(key)
	}
	return err
}

// stored returns the bytes of a chunk when its part is written, nil where it is empty and need not be there, and what it was where that was
// read.
func (w *write) stored(ctx context.Context, env *codec.Env, c *Change, p *part, plan *codec.Plan, key string) (data []byte, old *Old, err error) {
	shape := plan.Array().Shape
	if !w.reads(p) { // what is read waits for the store, and would keep others from being encoded
		leave, err := w.enter(ctx)
		if err != nil {
			return nil, nil, err
		}
		defer leave()
	}
	block, old, err := w.changed(ctx, env, c, p, shape, key)
	if err != nil {
		return nil, nil, err
	}
	if w.opt.SkipEmpty && plan.Array().IsFill(block) {
		if omit, err := w.omits(ctx, p.coords); omit || err != nil {
			return nil, old, err
		}
	}
	data, err = w.e.encode(env, w.a, key, plan, block)
	if data == nil {
		data = []byte{}
	}
	return data, old, err
}

// omits reports whether a chunk of fill values may be absent.
func (w *write) omits(ctx context.Context, coords []int64) (bool, error) {
	if w.portable || w.opt.Undefined == nil {
		return w.portable, nil
	}
	return w.opt.Undefined(ctx, coords)
}

// enter waits for room to encode one chunk more; leave gives it back. Without it, as many chunks as may be under way would be waiting
// to be encoded, decoded each, where only their stored bytes have to wait for the store.
func (w *write) enter(ctx context.Context) (leave func(), err error) {
	if w.room == nil {
		return func() {}, nil
	}
	select {
	case w.room <- struct{}{}:
		return func() { <-w.room }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reads tells whether what the chunk holds now is needed to write a part of it.
func (w *write) reads(p *part) bool { return !p.whole || w.opt.Field.Size != 0 }

// encode encodes a chunk, where the executor says. The result is memory of the Env at most.
func (e *Engine) encode(env *codec.Env, a *reader.Array, key string, plan *codec.Plan, block ndarray.Block) (data []byte, err error) {
	if executor, ok := e.reader.Executor().(codec.EncodingExecutor); ok {
		data, err = executor.Encode(env, plan, block)
	} else {
		data, err = plan.Encode(env, block)
	}
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, codec.ErrValue):
		return nil, &ValueError{Path: a.Path, Err: err}
	}
	return nil, reader.ChunkError(a.Path, key, err)
}

// read reads a chunk that is to be changed, and what it is a change of.
func (e *Engine) read(ctx context.Context, c *Change, a *reader.Array, coords []int64, key string) (ndarray.Block, *Old, error) {
	if c.Compares() {
		block, version, there, err := a.ReadVersion(ctx, coords)
		return block, &Old{version, there}, err
	}
	// What other processes have written is not known to the caches.
	a.Engine().Forget(ctx, key)
	res, err := a.ReadChunk(ctx, coords, reader.Options{})
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	return res.Block, &Old{}, nil
}

// changed returns what the chunk holds when its part is written, and what it was where that was read.
func (w *write) changed(ctx context.Context, env *codec.Env, c *Change, p *part, shape []int, key string) (block ndarray.Block, old *Old, err error) {
	a, v := w.a, w.values
	at := *p
	p = &at // gather makes it another one
	switch {
	case w.reads(p):
		if block, old, err = w.e.read(ctx, c, a, p.coords, key); err != nil {
			return block, nil, err
		}
	case v.Gather == nil && p.dense(shape) && !a.Type.Variable() && v.Size > 0:
		// The chunk lies in the values as it is.
		n := ndarray.Block{Shape: shape}.Len()
		return ndarray.Block{Shape: shape, Size: v.Size, Data: v.Data[p.from.Offset*v.Size:][:n*v.Size]}, nil, nil
	default:
		if a.Type.Variable() {
			block = ndarray.New(shape, a.Type.Size, true)
		} else { // all of it is written: by the values, and beyond the array by the fill value
			block = ndarray.Block{Shape: shape, Size: a.Type.Size}
			block.Data = env.Buffer(block.Len() * block.Size)
		}
		if !slices.Equal(p.shape, shape) { // it reaches beyond the array
			if err := ndarray.Fill(block, ndarray.Layout{Strides: ndarray.Strides(shape)}, shape, a.Fill); err != nil {
				return block, nil, err
			}
		}
	}
	if v.Gather != nil {
		if err := w.gather(&v, p, &block); err != nil || v.Data == nil {
			return block, old, err
		}
	}
	if w.opt.Field.Size != 0 {
		return block, old, copyField(block, v.Block, p, w.opt.Field)
	}
	return block, old, ndarray.Copy(block, p.in, v.Block, p.from, p.shape)
}

// gather makes v the values of a part alone; where they are all of the chunk as it is, it puts them there and leaves none.
func (w *write) gather(v *Values, p *part, block *ndarray.Block) error {
	dense := ndarray.Layout{Strides: ndarray.Strides(p.shape), Lists: make([][]int64, len(p.shape))}
	of := ndarray.Block{Shape: p.shape, Size: v.Size}
	if w.opt.Field.Size == 0 && slices.Equal(p.shape, block.Shape) && p.in.Offset == 0 && slices.Equal(p.in.Strides, dense.Strides) {
		v.Block = of
		return v.Gather(block.Data, p.from, p.shape)
	}
	of.Data = make([]byte, of.Len()*of.Size)
	err := v.Gather(of.Data, p.from, p.shape)
	v.Block, p.from = of, dense
	return err
}

// dense tells whether a part is all of a chunk of the shape, in C order, and lies so in the values.
func (p *part) dense(shape []int) bool {
	if !slices.Equal(p.shape, shape) {
		return false
	}
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		if p.in.Lists[d] != nil || p.from.Lists[d] != nil {
			return false
		}
		if shape[d] > 1 && (p.in.Strides[d] != n || p.from.Strides[d] != n) {
			return false
		}
		n *= shape[d]
	}
	return true
}

// copyField copies the bytes of a field, as one more dimension of elements that are bytes.
func copyField(block, v ndarray.Block, p *part, f Field) error {
	in := asBytes(p.in, block.Size)
	in.Offset += f.Offset
	size := block.Size
	block.Size = 1
	v.Size = 1
	err := ndarray.Copy(block, in, v, asBytes(p.from, f.Size), append(slices.Clone(p.shape), f.Size))
	block.Size = size
	return err
}

// asBytes makes a layout of elements one of their bytes, which are its last dimension.
func asBytes(l ndarray.Layout, size int) ndarray.Layout {
	of := ndarray.Layout{Offset: l.Offset * size, Strides: make([]int, 0, len(l.Strides)+1)}
	for _, s := range l.Strides {
		of.Strides = append(of.Strides, s*size)
	}
	of.Strides = append(of.Strides, 1)
	if l.Lists != nil {
		of.Lists = append(slices.Clone(l.Lists), nil)
	}
	return of
}
