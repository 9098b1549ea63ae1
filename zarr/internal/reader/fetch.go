package reader

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// A batch holds at most maxBatch chunks, and at most batchBytes of decoded chunks.
const (
	maxBatch   = 64
	batchBytes = 1 << 20
)

// together returns how many objects a worker requests at once, if the source supports it. size is
// the decoded size of a chunk in bytes. Only small chunks whose keys are certain go together:
// waiting for each one would take longer than decoding it.
func (a *Array) together(size int) int {
	if keys := a.keys.order(); keys[1] != nil {
		return 1
	}
	return max(1, min(maxBatch, batchBytes/max(1, size)))
}

// reads returns tasks that read the chunks with as few requests as is sensible. Each chunk is an
// extent of at least one byte, and all lie in one object.
func (r *read) reads(chunks []*chunk) []task {
	if len(chunks) == 0 {
		return nil
	}
	ranges := make([]store.ByteRange, len(chunks))
	for i, c := range chunks {
		ranges[i] = c.extent()
	}
	c := chunks[0]
	requests := c.in.Reads(c.name, ranges, store.Ask{Fresh: r.isFresh(c.in, c.name), MaxBytes: c.maxBytes})
	tasks := make([]task, len(requests))
	for k, request := range requests {
		t := &readTask{request: request, chunks: make([]*chunk, len(request.Ranges))}
		for n, i := range request.Ranges {
			t.chunks[n] = chunks[i]
		}
		tasks[k] = t
	}
	return tasks
}

// readTask reads the bytes of chunks and passes them on. With a request it reads extents of one
// object. Without one it reads several objects from a source that returns many at once.
type readTask struct {
	request *object.Read
	chunks  []*chunk
}

func (t *readTask) drop() {
	if t.request != nil {
		t.request.Close()
	}
}

func (t *readTask) run(w *worker) error {
	if t.request == nil {
		return w.batch(t.chunks)
	}
	c := t.chunks[0]
	e, err := t.request.Wait(w.env.Ctx)
	if err == nil {
		err = w.r.pin(c.in, c.name, e.Version)
	}
	switch {
	case isAbsent(err) && w.r.mayLack(c):
		for _, c := range t.chunks {
			if err := w.absent(c, errAbsent); err != nil {
				return err
			}
		}
		return nil
	case errors.Is(err, store.ErrRange), isAbsent(err):
		return w.r.misplaced(c)
	case err != nil:
		return err
	}
	decodes, tasks := make([]decodeTask, len(t.chunks)), make([]task, len(t.chunks))
	for i, q := range t.chunks {
		src, ok := e.Slice(q.extent())
		if !ok {
			return w.r.misplaced(q)
		}
		decodes[i] = decodeTask{q, store.Extent{Bytes: src, Offset: q.offset, Version: e.Version}}
		tasks[i] = &decodes[i]
	}
	w.r.queue.add(tasks[1:])
	return tasks[0].run(w)
}

// batch reads the objects of several chunks at once, and decodes them.
func (w *worker) batch(chunks []*chunk) error {
	w.names = w.names[:0]
	for _, c := range chunks {
		w.names = append(w.names, c.name)
	}
	all, err := chunks[0].in.ReadAll(w.env.Ctx, w.names)
	if err != nil {
		return err
	}
	for i, c := range chunks {
		err := all[i].Err
		switch {
		case w.env.Ctx.Err() != nil:
			return w.env.Ctx.Err()
		case isAbsent(err):
			err = w.absent(c, errAbsent)
		case err == nil:
			w.have = store.AllOf(all[i].Bytes)
			err = w.decodeChunk(c, &w.have)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch returns the encoded bytes of a chunk, or errAbsent. have holds bytes that were already
// read. With fresh set, fetch bypasses all caches.
func (r *read) fetch(ctx context.Context, c *chunk, have *store.Extent, fresh bool) (e store.Extent, err error) {
	a := r.a
	switch {
	case have != nil && (!fresh || r.isFresh(c.in, c.name)):
		e = *have
		if c.at != nil {
			if e.Bytes, err = c.at.Packed.Decode(ctx, e.Bytes, a.encodedLimit(c.codecs)); err != nil {
				err = r.undecoded(c, &store.KeyError{Op: "decode", Key: a.keyOf(c), Err: err})
			}
			return e, err
		}
	case c.at != nil:
		e, err = c.at.Read(ctx, a.keyOf(c), store.Ask{MaxBytes: a.encodedLimit(c.codecs), Fresh: fresh}, a.engine.extent)
		e.Size = -1 // this is the size of the chunk, not of the object
	case c.length == 0:
		e.Version = store.Unknown
	case c.length < 0:
		e, err = c.in.Read(ctx, c.name, store.Ask{MaxBytes: c.maxBytes, Fresh: fresh})
	default:
		at := c.extent()
		if e, err = c.in.Read(ctx, c.name, store.Ask{Range: &at, Fresh: fresh}); err == nil {
			e.Bytes, err = e.Cut(c.name, at)
		}
	}
	if err == nil && c.in != nil && !c.sole && have == nil {
		err = r.pin(c.in, c.name, e.Version)
	}
	if err != nil {
		return e, r.unread(c, err)
	}
	if c.keys != nil {
		a.keys.decide(c.keys)
	}
	if e.Bytes == nil {
		e.Bytes = []byte{} // it exists, but is empty
	}
	return e, nil
}

// unread interprets the error of reading a chunk. If the object is absent or too short, the index
// or locator is wrong, unless the chunk may be missing.
//
//go:noinline
func (r *read) unread(c *chunk, err error) error {
	if isAbsent(err) {
		if r.mayLack(c) {
			return errAbsent
		}
		return r.misplaced(c)
	}
	var changed *changedError
	var failed *store.KeyError
	switch {
	case errtype.As(err, &changed):
		return err
	case errtype.As(err, &failed) && failed.Op == "decode", errors.Is(err, store.ErrChanged):
		return r.undecoded(c, err)
	case errors.Is(err, store.ErrRange):
		return r.misplaced(c)
	}
	return err
}

// undecoded returns the error of a chunk whose stored bytes do not match its locator. The locator
// may have read an object that was replaced.
func (r *read) undecoded(c *chunk, err error) error {
	var limit *limits.Error
	var unknown *codec.UnknownError
	if c.in == nil || errtype.As(err, &limit) || errtype.As(err, &unknown) {
		return err
	}
	return r.suspect(c, err)
}

// misplaced returns the error for a chunk that does not lie where an index or a locator states.
func (r *read) misplaced(c *chunk) error {
	blame := c.codecs
	err := errBeyond
	if c.index == nil {
		err = codec.Truncated("some of its bytes are missing in " + c.name)
	} else {
		blame = c.index.of
	}
	return r.suspect(c, chunkError(r.a.Path, r.a.keyOf(c), blame.SerializerError(err)))
}

// checkLength checks that n stored bytes can be a chunk.
func (a *Array) checkLength(c *chunk, n int64) error {
	if err := c.codecs.CheckEncoded(int(n)); err != nil {
		return chunkError(a.Path, a.keyOf(c), err)
	}
	return a.checkLimit(c, n)
}

// checkLimit rejects stored bytes beyond the limit of a chunk, before they are read or
// decompressed.
func (a *Array) checkLimit(c *chunk, n int64) error {
	return limits.Check("EncodedBytes", a.encodedLimit(c.codecs), n, "stored chunk")
}
