package writer

import (
	"context"
	"errors"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// chunkWrite is the written part of one chunk.
type chunkWrite struct {
	plan.Chunk
	plan.Layout      // In are the places of its elements, Out those of the values
	all         bool // every element that the chunk has in the array is written
}

// owned returns the shape of the chunk's elements that belong to the array. Along the dimension in
// which the array grows, elements beyond its end may belong to other writers.
func (w *write) owned(coords []int64, shape []int) []int64 {
	own := make([]int64, len(shape))
	for d, n := range shape {
		if own[d] = int64(n); d != w.opt.Grows-1 {
			own[d] = min(own[d], w.a.Shape[d]-w.a.Grid.Start(d, coords[d]))
		}
	}
	return own
}

// chunk writes the i-th touched chunk.
func (w *write) chunk(ctx context.Context, env *codec.Env, i int) (err error) {
	a, p := w.a, chunkWrite{Layout: plan.NewLayout(len(w.a.Shape)), Chunk: plan.Room(1, len(w.a.Shape))[0]}
	w.plan.Touch(&p.Chunk, i)
	codecs, shape, err := a.Plan(p.Coords)
	if err != nil {
		return err
	}
	p.SetIn(&p.Chunk, ndarray.Strides(shape))
	p.SetOut(&p.Chunk, w.values.Strides)
	p.all = p.IsAll(w.owned(p.Coords, shape))
	give, err := w.e.memory.Take(ctx, 2*codecs.Array().Memory())
	if err != nil {
		return err
	}
	defer give()
	key, err := a.Key(ctx, p.Coords)
	if err != nil {
		return err
	}
	err = w.e.Change(ctx, key, func(c *Change) error {
		mark := env.Mark()
		defer env.Release(mark)
		data, old, err := w.stored(ctx, env, c, &p, codecs, key)
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

// stored returns the bytes of a chunk after the write, or nil if it is empty and may be absent. It
// also returns the old version, if it read one.
func (w *write) stored(ctx context.Context, env *codec.Env, c *Change, p *chunkWrite, codecs *codec.Plan, key string) (data []byte, old *Old, err error) {
	shape := codecs.Array().Shape
	// A chunk that is read first waits for the store, and would keep others from being encoded.
	if !w.reads(p) {
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
	if w.opt.SkipEmpty && codecs.Array().IsFill(block) {
		if omit, err := w.omits(ctx, p.Coords); omit || err != nil {
			return nil, old, err
		}
	}
	data, err = w.e.encode(env, w.a, key, codecs, block)
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

// enter waits for room to encode one more chunk; leave frees it. Without this limit, all chunks
// under way would be decoded in memory while they wait for the encoder. Only encoded bytes should
// wait, for the store.
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

// reads reports whether writing a part needs the chunk's current contents.
func (w *write) reads(p *chunkWrite) bool { return !p.all || w.opt.Field.Size != 0 }

// encode encodes a chunk by the executor, if it encodes. The result may lie in memory of the Env.
func (e *Engine) encode(env *codec.Env, a *reader.Array, key string, codecs *codec.Plan, block ndarray.Block) (data []byte, err error) {
	if executor, ok := e.reader.Executor().(codec.EncodingExecutor); ok {
		data, err = executor.Encode(env, codecs, block)
	} else {
		data, err = codecs.Encode(env, block)
	}
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, codec.ErrValue):
		return nil, &ValueError{Path: a.Path, Err: err}
	}
	return nil, reader.ChunkError(a.Path, key, err)
}

// read reads a chunk for a change, and returns its version.
func (e *Engine) read(ctx context.Context, c *Change, a *reader.Array, coords []int64, key string) (ndarray.Block, *Old, error) {
	if c.Compares() {
		block, version, there, err := a.ReadVersion(ctx, coords)
		return block, &Old{version, there}, err
	}
	// The caches do not see writes of other processes.
	a.Engine().Forget(ctx, key)
	res, err := a.ReadChunk(ctx, coords, reader.Options{})
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	return res.Block, &Old{}, nil
}

// changed returns the chunk's elements after the write. old is the version that was read, if any.
func (w *write) changed(ctx context.Context, env *codec.Env, c *Change, p *chunkWrite, shape []int, key string) (block ndarray.Block, old *Old, err error) {
	a, v := w.a, w.values
	at := *p
	p = &at // gather changes it
	switch {
	case w.reads(p):
		if block, old, err = w.e.read(ctx, c, a, p.Coords, key); err != nil {
			return block, nil, err
		}
	case v.Gather == nil && p.dense(shape) && !a.Type.Variable() && v.Size > 0:
		// The values contain the chunk as one run.
		n := ndarray.Block{Shape: shape}.Len()
		return ndarray.Block{Shape: shape, Size: v.Size, Data: v.Data[p.Out.Offset*v.Size:][:n*v.Size]}, nil, nil
	default:
		if a.Type.Variable() {
			block = ndarray.New(shape, a.Type.Size, true)
		} else { // the values and, beyond the array, the fill value overwrite all of it
			block = ndarray.Block{Shape: shape, Size: a.Type.Size}
			block.Data = env.Buffer(block.Len() * block.Size)
		}
		if !slices.Equal(p.Shape, shape) { // the chunk reaches beyond the array
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
	return block, old, ndarray.Copy(block, p.In, v.Block, p.Out, p.Shape)
}

// gather reduces v to the values of one part. If the part is the whole chunk in order, gather
// writes the values directly to the block, and v is empty.
func (w *write) gather(v *Values, p *chunkWrite, block *ndarray.Block) error {
	dense := ndarray.Layout{Strides: ndarray.Strides(p.Shape), Lists: make([][]int64, len(p.Shape))}
	of := ndarray.Block{Shape: p.Shape, Size: v.Size}
	if w.opt.Field.Size == 0 && slices.Equal(p.Shape, block.Shape) && p.In.Offset == 0 && slices.Equal(p.In.Strides, dense.Strides) {
		v.Block = of
		return v.Gather(block.Data, p.Out, p.Shape)
	}
	of.Data = make([]byte, of.Len()*of.Size)
	err := v.Gather(of.Data, p.Out, p.Shape)
	v.Block, p.Out = of, dense
	return err
}

// dense reports whether a part is a whole chunk of the shape, in C order in both the chunk and the
// values.
func (p *chunkWrite) dense(shape []int) bool {
	if !slices.Equal(p.Shape, shape) {
		return false
	}
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		if p.In.Lists[d] != nil || p.Out.Lists[d] != nil {
			return false
		}
		if shape[d] > 1 && (p.In.Strides[d] != n || p.Out.Strides[d] != n) {
			return false
		}
		n *= shape[d]
	}
	return true
}

// copyField copies the bytes of a field. Bytes become one more dimension of one-byte elements.
func copyField(block, v ndarray.Block, p *chunkWrite, f Field) error {
	in := asBytes(p.In, block.Size)
	in.Offset += f.Offset
	size := block.Size
	block.Size = 1
	v.Size = 1
	err := ndarray.Copy(block, in, v, asBytes(p.Out, f.Size), append(slices.Clone(p.Shape), f.Size))
	block.Size = size
	return err
}

// asBytes converts a layout of elements to one of bytes. The bytes of an element are its last
// dimension.
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
