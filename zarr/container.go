package zarr

import (
	"context"
	"errors"
	"io/fs"

	"zarr-wasm/store"
	"zarr-wasm/store/cache"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/ndarray"
)

// A shard is read in two steps: its index, and then what of it is wanted by as few
// requests as is sensible. Where reading the rest along is cheaper than another round trip,
// the first step brings all of it.

var errBeyond = codec.Truncated("an entry of the shard index points beyond the end of the shard")

// container adds what is wanted of a shard to the queue.
func (w *worker) container(p *piece) error {
	r, a, h := w.r, w.r.a, w.r.a.h
	c := p.plan.Contents()
	n := len(p.pick)
	inner := c.Inner.Array().Shape
	parts := make([][]span, n)
	wanted := 1
	for d, s := range p.pick {
		parts[d] = s.split(inner[d])
		wanted *= len(parts[d])
	}
	ix, err := w.index(p, c, wanted)
	if errors.Is(err, fs.ErrNotExist) && p.length < 0 {
		return w.fill(p)
	}
	if err != nil {
		return err
	}
	limit := p.length
	if limit < 0 {
		limit = ix.of.Size
	}
	var tasks []task
	var leaves []*piece
	var ranges []store.ByteRange
	for k := range wanted {
		q := &piece{plan: c.Inner, shape: inner, coords: p.coords, key: p.key, index: ix, pick: make([]*span, n)}
		number, stride := 0, 1
		for d := n - 1; d >= 0; d-- {
			s := &parts[d][k%len(parts[d])]
			k /= len(parts[d])
			q.pick[d] = s
			number += int(s.chunk) * stride
			stride *= c.Counts[d]
		}
		from, length, ok, err := ix.At(number, limit)
		if err != nil {
			return a.damaged(p.key, p.plan, err)
		}
		if q.base, q.length = p.base+from, length; q.base < from {
			return a.damaged(p.key, p.plan, errBeyond)
		}
		switch {
		case !ok:
			if err := w.fill(q); err != nil {
				return err
			}
			continue
		case c.Inner.Contents() != nil:
			tasks = append(tasks, (*containerTask)(q))
			continue
		}
		if err := c.Inner.Admit(int(length)); err != nil {
			return chunkError(a.path, p.key, err)
		}
		if length > h.opt.Limits.EncodedBytes {
			return &codec.LimitError{Limit: "EncodedBytes", Max: h.opt.Limits.EncodedBytes, Asked: length, What: "chunk of a shard"}
		}
		if r.keep {
			if block, ok := h.blocks.Get(q.id(a)); ok {
				if err := w.copied(q, codec.Stored{Block: block}); err != nil {
					return err
				}
				continue
			}
		}
		if length == 0 {
			tasks = append(tasks, &decodeTask{q, []byte{}})
			continue
		}
		leaves = append(leaves, q)
		ranges = append(ranges, store.ByteRange{Offset: q.base, Length: length})
	}
	if len(ranges) > 0 {
		for _, read := range h.store.Plan(p.key, ranges) {
			t := &readTask{read: read}
			for _, i := range read.Ranges {
				t.pieces = append(t.pieces, leaves[i])
			}
			tasks = append(tasks, t)
		}
	}
	r.queue.add(tasks)
	return nil
}

// index returns the index of a shard of which so many inner chunks are wanted.
func (w *worker) index(p *piece, c *codec.Contents, wanted int) (*index, error) {
	h, a := w.r.a.h, w.r.a
	p = &piece{plan: p.plan, coords: p.coords, key: p.key, base: p.base, length: p.length, index: p.index} // outlives the read
	mark := store.Mark(w.env.Ctx)
	return h.indexes.Do(w.env.Ctx, indexID{a, p.key, p.base, p.index}, func(ctx context.Context) (*index, int64, error) {
		part, src, err := a.indexBytes(store.WithMark(ctx, mark), p, c, wanted)
		if errors.Is(err, store.ErrRange) {
			err = a.damaged(p.key, p.plan, codec.Truncated("shorter than the shard index"))
		}
		if err != nil {
			return nil, 0, err
		}
		env := h.env(ctx)
		defer h.release(env)
		ix := &index{holder: p.plan, of: store.Part{Size: part.Size, ETag: part.ETag}}
		if ix.Index, err = c.Index(env, src); err != nil {
			return nil, 0, a.damaged(p.key, p.plan, err)
		}
		if p.length < 0 {
			a.sizes.learn(a.inside(p.coords, c), c, part.Size)
		}
		return ix, int64(len(ix.Index)) + 256, nil
	})
}

// indexBytes reads the bytes of an index.
func (a *Array) indexBytes(ctx context.Context, p *piece, c *codec.Contents, wanted int) (store.Part, []byte, error) {
	h := a.h
	r := store.ByteRange{Length: c.IndexBytes, Suffix: c.AtEnd}
	var part store.Part
	var err error
	enough := h.enough(c, wanted)
	least, most := a.sizes.guess(a.inside(p.coords, c), c)
	switch {
	case p.length >= 0:
		if p.length < c.IndexBytes {
			return part, nil, store.ErrRange
		}
		if r = (store.ByteRange{Offset: p.base, Length: c.IndexBytes}); c.AtEnd {
			r.Offset += p.length - c.IndexBytes
		}
		part, err = h.store.GetPart(ctx, p.key, &r, store.Hint{})
	case most <= enough:
		part, err = h.store.GetPart(ctx, p.key, nil, store.Hint{})
	default:
		hint := store.Hint{Enough: enough}
		if least > 0 && most-least <= h.store.Spare() {
			hint.From = least - c.IndexBytes
		}
		part, err = h.store.GetPart(ctx, p.key, &r, hint)
	}
	if err != nil {
		return part, nil, err
	}
	src, ok := part.Slice(r)
	if !ok {
		return part, nil, store.ErrRange
	}
	return part, src, nil
}

// enough is how large a shard may be of which it is cheaper to read all than the index and
// the wanted inner chunks by themselves.
func (h *Hierarchy) enough(c *codec.Contents, wanted int) int64 {
	o := h.opt.Cache
	all := c.Len()
	if wanted >= all {
		return o.Request
	}
	return min(o.Request, c.IndexBytes+int64(float64(h.store.Spare())*float64(all)/float64(all-wanted)))
}

// mostBytes is about how large a shard may be: writers do not keep compressed what is
// larger so.
func mostBytes(c *codec.Contents) int64 {
	const unknown = 1 << 60
	a := c.Inner.Array()
	if inner := c.Inner.Contents(); inner != nil {
		if n := mostBytes(inner); n < unknown {
			return n*int64(c.Len()) + c.IndexBytes
		}
		return unknown
	}
	if a.Type.Variable() {
		return unknown
	}
	return int64(a.Bytes())*int64(c.Len()) + c.IndexBytes
}

// damaged is the error for a shard whose index or inner chunks are not as they must be.
//
//go:noinline
func (a *Array) damaged(key string, plan *codec.Plan, err error) error {
	return chunkError(a.path, key, plan.Blame(err))
}

// containerTask reads a shard in a shard.
type containerTask piece

func (t *containerTask) run(w *worker) error { return w.container((*piece)(t)) }
func (t *containerTask) drop()               {}

// readTask reads bytes, and hands the pieces that lie in them on.
type readTask struct {
	read   *cache.Read
	pieces []*piece
}

func (t *readTask) drop() { t.read.Close() }

func (t *readTask) run(w *worker) error {
	a, p := w.r.a, t.pieces[0]
	part, err := t.read.Wait(w.env.Ctx)
	if errors.Is(err, store.ErrRange) || errors.Is(err, fs.ErrNotExist) {
		return &changedError{piece: p, err: a.damaged(p.key, p.index.holder, errBeyond)}
	}
	if err != nil {
		return err
	}
	if p.index.changed(part) {
		return &changedError{piece: p, err: &store.KeyError{Op: "get", Key: p.key, Err: errors.New("the object changed while it was read")}}
	}
	tasks := make([]task, 0, len(t.pieces))
	for _, q := range t.pieces {
		src, ok := part.Slice(store.ByteRange{Offset: q.base, Length: q.length})
		if !ok {
			return &changedError{piece: q, err: a.damaged(q.key, p.index.holder, errBeyond)}
		}
		tasks = append(tasks, &decodeTask{q, src})
	}
	w.r.queue.add(tasks[1:])
	return tasks[0].run(w)
}

// changed tells whether a part is of another object than the index.
func (x *index) changed(p store.Part) bool {
	return x.of.ETag != "" && p.ETag != "" && x.of.ETag != p.ETag || x.of.Size >= 0 && p.Size >= 0 && x.of.Size != p.Size
}

// changedError says that an object is not the one of which the index was read. A read
// that fails of it starts once more.
type changedError struct {
	piece *piece
	err   error
}

func (e *changedError) Error() string { return e.err.Error() }
func (e *changedError) Unwrap() error { return e.err }

// forget drops what is known of an object. What an index told goes with the index.
func (h *Hierarchy) forget(a *Array, p *piece) {
	h.store.Forget(p.key)
	h.indexes.Drop(indexID{array: a, key: p.key})
	h.blocks.Drop(blockID{array: a, key: p.key})
}

// decodeTask decodes bytes of a piece, and brings them to the output.
type decodeTask struct {
	piece *piece
	src   []byte
}

func (t *decodeTask) drop() {}

func (t *decodeTask) run(w *worker) error {
	return w.leaf(t.piece, func(context.Context) ([]byte, error) { return t.src, nil })
}

// fill sets what is wanted of a piece to the fill value.
func (w *worker) fill(p *piece) error {
	w.aim(p)
	var err error
	if r := w.r; r.to != nil {
		err = r.to.Fill(w.out, w.shape, r.a.Fill)
	} else {
		err = ndarray.Fill(r.out, w.out, w.shape, r.a.Fill)
	}
	if err == nil {
		w.done(p, p.leaves())
	}
	return err
}
