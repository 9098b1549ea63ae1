package reader

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// decodeTask decodes the bytes of a chunk and copies its elements to the output.
type decodeTask struct {
	chunk  *chunk
	extent store.Extent
}

func (t *decodeTask) drop()               {}
func (t *decodeTask) run(w *worker) error { return w.decodeChunk(t.chunk, &t.extent) }

// inPlace is the chunk size in bytes from which decoding directly into the output beats caching.
const inPlace = 4 << 20

// decodeChunk decodes a chunk into the output. It uses the bytes in have, or reads them if have is
// nil.
func (w *worker) decodeChunk(c *chunk, have *store.Extent) error {
	r, a := w.r, w.r.a
	w.place.aim(c)
	if r.keep && c.in != nil {
		w.room = nil // others may wait for the chunk
		var block decoded
		var err error
		if _, n, whole := w.place.target(c); whole && n*r.out.Size >= inPlace {
			block, _ = a.engine.opt.Caches.Chunks.Get(c.id(a))
		} else if block, err = r.decoded(w.env.Ctx, c, extentOf(have)); err != nil {
			return w.absent(c, err)
		}
		if block.Shape != nil {
			return w.cached(c, block)
		}
	}
	return w.absent(c, r.twice(w.env.Ctx, c, have, func(e store.Extent) error {
		err := w.decode(c, e.Bytes)
		if err == nil {
			a.reuse(c, e.Bytes)
		}
		return err
	}))
}

// twice fetches and decodes the bytes of a chunk. It repeats both once, past all caches, if the
// bytes do not decode. An object with undecodable bytes is dropped from the caches.
func (r *read) twice(ctx context.Context, c *chunk, have *store.Extent, decode func(store.Extent) error) error {
	a := r.a
	for fresh := c.in != nil && r.isFresh(c.in, c.name); ; fresh = true {
		e, err := r.fetch(ctx, c, have, fresh)
		if err == nil {
			err = decode(e)
		}
		switch {
		case err == nil, !isDamage(err):
			return err
		case !fresh && !a.engine.opt.Objects.Memory:
			continue
		case c.in == nil:
			a.engine.Forget(ctx, a.keyOf(c))
			return err
		case c.length >= 0:
			// The index or locator that gave its place may be wrong.
			return r.suspect(c, err)
		}
		a.engine.forget(c.in, c.name)
		return err
	}
}

func isDamage(err error) bool {
	var damaged *CodecPipelineError
	return errtype.As(err, &damaged)
}

// given holds the bytes already read, if any.
type given struct {
	store.Extent
	ok bool
}

func extentOf(have *store.Extent) (g given) {
	if have != nil {
		g = given{*have, true}
	}
	return g
}

// decoded returns a decoded chunk from the shared cache, or errAbsent.
func (r *read) decoded(ctx context.Context, c *chunk, have given) (decoded, error) {
	a := r.a
	return a.engine.opt.Caches.Chunks.Do(ctx, c.id(a), func(ctx context.Context) (decoded, int64, error) {
		var b decoded
		var bytes *store.Extent
		if have.ok {
			bytes = &have.Extent
		}
		err := r.twice(ctx, c, bytes, func(e store.Extent) error {
			if err := c.codecs.CheckEncoded(len(e.Bytes)); err != nil {
				return chunkError(a.Path, a.keyOf(c), err)
			}
			b = decoded{ndarray.New(c.shape, a.Type.Size, a.Type.Variable()), e.Version}
			env := a.engine.env(ctx)
			if err := a.decode(env, c.codecs, b.Block, e.Bytes, nil); err != nil {
				return chunkError(a.Path, a.keyOf(c), err)
			}
			if !a.Type.Variable() {
				a.engine.release(env) // elements of variable length refer to its memory
				a.reuse(c, e.Bytes)
			}
			return nil
		})
		if err != nil {
			return decoded{}, 0, err
		}
		return b, sizeOf(b.Block), nil
	})
}

// decode decodes a chunk and copies its selected part to the output, at the placement's current
// aim.
func (w *worker) decode(c *chunk, src []byte) error {
	r, a, p := w.r, w.r.a, &w.place
	if err := c.codecs.CheckEncoded(len(src)); err != nil {
		return chunkError(a.Path, a.keyOf(c), err)
	}
	mark := w.env.Mark()
	defer w.env.Release(mark)
	var err error
	from, n, whole := p.target(c)
	direct := r.to != nil && !a.Type.Variable()
	whole = whole && (direct || r.to == nil) // an output copies items
	stored, ok := c.codecs.View(src)
	if ok {
		return w.copied(c, stored)
	}
	if direct {
		setStrides(p.strides, c.shape)
		p.SetIn(&c.Chunk, p.strides)
		err = r.to.Decode(w.env, codec.Job{Plan: c.codecs, Src: src, Want: p.selectedRegion(c), In: p.In, Out: p.Out, Shape: p.Shape})
	} else {
		if whole && a.Type.Variable() {
			stored.Block = ndarray.Block{Shape: c.shape, Items: r.out.Items[from : from+n]}
		} else if whole {
			stored.Block = ndarray.Block{Shape: c.shape, Size: r.out.Size, Data: r.out.Data[from*r.out.Size : (from+n)*r.out.Size]}
		} else {
			stored.Block = w.env.Block(codec.Array{Shape: c.shape, Type: a.Type})
		}
		err = a.decode(w.env, c.codecs, stored.Block, src, p.selectedRegion(c))
	}
	if err != nil {
		return chunkError(a.Path, a.keyOf(c), err)
	}
	if !direct && !whole {
		return w.copied(c, stored)
	}
	if err := r.count(stored.Items); err != nil {
		return err
	}
	w.done(c)
	return nil
}

// count adds the bytes of variable-length elements, which are part of the result.
func (r *read) count(items [][]byte) error {
	r.mu.Lock()
	for _, item := range items {
		r.text += int64(len(item))
	}
	text := r.text
	r.mu.Unlock()
	return codec.CheckLimit("OutputBytes", r.a.engine.opt.Limits.OutputBytes, text, "elements of variable length")
}

// DecodeChunk decodes the stored bytes of a chunk. See [zarr.Array.DecodeChunk].
func (a *Array) DecodeChunk(ctx context.Context, dst, src []byte) (int, error) {
	p := a.plan
	if p == nil || a.Type.Variable() || p.Local() || p.Array().Bytes() > len(dst) {
		return 0, errApart
	}
	block := ndarray.Block{Shape: a.nominal, Size: a.Type.Size, Data: dst[:p.Array().Bytes()]}
	err := p.CheckEncoded(len(src))
	if err == nil {
		env := a.engine.env(ctx)
		err = p.Decode(env, block, src, nil)
		a.engine.release(env)
	}
	if err != nil {
		err = chunkError(a.Path, "", err)
	}
	return len(block.Data), err
}

var errApart = errors.New("the chunks of this array are only decoded by reads, or memory is short")

// reuse returns a chunk's bytes to a source that can reuse their memory. It does so only if nothing
// else refers to them.
func (a *Array) reuse(c *chunk, src []byte) {
	// Elements of variable length refer to these bytes. A cache refers to all bytes except whole
	// objects of a source in memory.
	if a.Type.Variable() || c.length >= 0 || c.at != nil || !a.engine.opt.Objects.Memory {
		return
	}
	c.in.Reuse(src)
}
