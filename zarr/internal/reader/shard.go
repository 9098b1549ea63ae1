package reader

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
)

// A shard is read in two steps: its index, and then the selected inner chunks with as few requests
// as is sensible. If reading the rest is cheaper than another round trip, the first step reads the
// whole shard.

var errBeyond = codec.Truncated("an entry of the shard index points beyond the end of the shard")

// shard adds the selected inner chunks of a shard to the queue.
func (w *worker) shard(c *chunk) error {
	r, a, e := w.r, w.r.a, w.r.a.engine
	w.room = nil // inner chunks share the coordinates
	in := c.codecs.Shard()
	inner := in.Inner.Array().Shape
	wanted := c.Split(inner, in.Counts)
	ix, err := w.index(c, in, len(wanted))
	if isAbsent(err) && c.index == nil {
		if !r.mayLack(c) {
			return r.misplaced(c)
		}
		return w.absent(c, errAbsent)
	}
	if err == nil {
		err = r.pin(c.in, c.name, ix.version)
	}
	if err != nil {
		return err
	}
	limit := c.length
	if limit < 0 {
		limit = ix.version.Size
	}
	var tasks []task
	var chunks []*chunk
	all := make([]chunk, len(wanted))
	for i := range wanted {
		q := &all[i]
		*q = chunk{Chunk: wanted[i].Chunk, codecs: in.Inner, shape: inner, index: ix}
		q.in, q.name, q.maxBytes = c.in, c.name, c.maxBytes
		from, length, ok, err := in.InnerChunk(ix.ShardIndex, wanted[i].Number, limit)
		if err == nil && c.offset+from < from {
			err = errBeyond
		}
		if err != nil {
			return r.suspect(c, a.damaged(c, err))
		}
		q.offset, q.length = c.offset+from, length
		switch {
		case !ok:
			if err := w.fill(q); err != nil {
				return err
			}
			continue
		case in.Inner.Shard() != nil:
			tasks = append(tasks, (*chunkTask)(q))
			continue
		}
		if err := a.checkLength(q, q.length); err != nil {
			return r.suspect(q, err)
		}
		if r.keep {
			if block, ok := e.opt.Caches.Chunks.Get(q.id(a)); ok {
				if err := w.cached(q, block); err != nil {
					return err
				}
				continue
			}
		}
		if length == 0 {
			tasks = append(tasks, (*chunkTask)(q))
			continue
		}
		chunks = append(chunks, q)
	}
	r.queue.add(append(tasks, r.reads(chunks)...))
	return nil
}

// index returns the index of a shard, with wanted inner chunks selected. A damaged index is
// requested once more.
func (w *worker) index(c *chunk, in *codec.ShardLayout, wanted int) (*index, error) {
	r, a := w.r, w.r.a
	// A copy, because it outlives the read.
	c = &chunk{Chunk: plan.Chunk{Coords: c.Coords}, codecs: c.codecs, location: c.location, index: c.index}
	return a.engine.opt.Caches.Indexes.Do(w.env.Ctx, indexID{a, c.extentID(), c.index}, func(ctx context.Context) (*index, int64, error) {
		fresh := r.isFresh(c.in, c.name)
		for {
			ix, err := a.readIndex(ctx, c, in, wanted, fresh)
			var damaged *CodecPipelineError
			switch {
			case err == nil:
				return ix, int64(len(ix.ShardIndex)) + 256, nil
			case !errtype.As(err, &damaged):
				return nil, 0, err
			case !fresh:
				fresh = true
				continue
			case c.index == nil:
				a.engine.forget(c.in, c.name)
				return nil, 0, err
			}
			return nil, 0, r.suspect(c, err)
		}
	})
}

// readIndex reads and decodes an index.
func (a *Array) readIndex(ctx context.Context, c *chunk, in *codec.ShardLayout, wanted int, fresh bool) (*index, error) {
	e, src, err := a.indexBytes(ctx, c, in, wanted, fresh)
	if errors.Is(err, store.ErrRange) {
		err = a.damaged(c, codec.Truncated("shorter than the shard index"))
	}
	if err != nil {
		return nil, err
	}
	env := a.engine.env(ctx)
	defer a.engine.release(env)
	ix := &index{of: c.codecs, version: e.Version}
	if ix.ShardIndex, err = in.DecodeIndex(env, src); err != nil {
		return nil, a.damaged(c, err)
	}
	if c.length < 0 {
		a.sizes.learn(a.inside(c.Coords, in), in, e.Size)
	}
	return ix, nil
}

// indexBytes reads the bytes of an index.
func (a *Array) indexBytes(ctx context.Context, c *chunk, in *codec.ShardLayout, wanted int, fresh bool) (store.Extent, []byte, error) {
	r := store.ByteRange{Length: in.IndexBytes, Suffix: in.IndexAtEnd}
	ask := store.Ask{Range: &r, Fresh: fresh, MaxBytes: c.maxBytes}
	enough := a.engine.enough(c.in, in, wanted)
	least, most := a.sizes.guess(a.inside(c.Coords, in), in)
	switch {
	case c.length >= 0:
		if c.length < in.IndexBytes {
			return store.Extent{}, nil, store.ErrRange
		}
		if r = (store.ByteRange{Offset: c.offset, Length: in.IndexBytes}); in.IndexAtEnd {
			r.Offset += c.length - in.IndexBytes
		}
	case most <= enough:
		ask.Range = nil
	default:
		ask.Enough = enough
		if least > 0 && most-least <= c.in.Waste() {
			ask.From = least - in.IndexBytes
		}
	}
	e, err := c.in.Read(ctx, c.name, ask)
	if err != nil {
		return e, nil, err
	}
	src, err := e.Cut(c.name, r)
	return e, src, err
}

// enough returns the largest shard size in bytes for which it is cheaper to read the whole shard.
// Above it, the read fetches the index and the wanted inner chunks separately.
func (e *Engine) enough(in *object.Reader, c *codec.ShardLayout, wanted int) int64 {
	all := c.Len()
	if wanted >= all {
		return e.opt.Objects.Request
	}
	return min(e.opt.Objects.Request, c.IndexBytes+int64(float64(in.Waste())*float64(all)/float64(all-wanted)))
}

// damaged returns the error for a shard with an invalid index or invalid inner chunks.
//
//go:noinline
func (a *Array) damaged(c *chunk, err error) error {
	return chunkError(a.Path, a.keyOf(c), c.codecs.SerializerError(err))
}
