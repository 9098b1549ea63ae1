package reader

import (
	"context"
	"errors"
	"io/fs"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// maxLocated is how many chunks are located at once, so that those that lie side by side in one object
// become one request.
const maxLocated = 1024

// located brings n touched chunks from the i-th on to the output, of a store that is not a source: it says where their bytes lie.
func (w *worker) located(i, n int) error {
	r, a := w.r, w.r.a
	var tasks []task
	extents := map[objectID][]*chunk{}
	var order []objectID
	a.engine.prepare(w.env.Ctx, func() []string {
		keys := make([]string, 0, n)
		for k := range n {
			if w.setCurrent(i+k) == nil {
				keys = append(keys, a.chunkKey(w.current.coords))
			}
		}
		return keys
	})
	for k := range n {
		if err := w.setCurrent(i + k); err != nil {
			return err
		}
		c := w.lasting()
		at, err := a.locate(w.env.Ctx, c)
		if err == errAbsent {
			if err = w.fill(c); err == nil {
				continue
			}
		}
		if errors.Is(err, store.ErrChanged) {
			err = &changedError{err: err}
		}
		if err != nil {
			return err
		}
		t, err := r.place(c, &at)
		if err != nil {
			return err
		}
		if t != nil {
			tasks = append(tasks, t)
			continue
		}
		id := objectID{c.in.Source, c.name}
		if extents[id] == nil {
			order = append(order, id)
		}
		extents[id] = append(extents[id], c)
	}
	for _, id := range order {
		tasks = append(tasks, r.tasks(extents[id])...)
	}
	r.queue.add(tasks)
	return nil
}

// locate returns where a chunk of the grid may lie, under the keys that it may have.
func (a *Array) locate(ctx context.Context, c *chunk) (store.Location, error) {
	var first *store.Location
	var last *store.Location
	for _, keys := range a.keys.order() {
		if keys == nil {
			break
		}
		at, err := a.engine.locate(ctx, store.Join(a.Path, keys.Key(c.coords)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return at, err
		}
		if first == nil {
			first = &at
		} else {
			last.Else = &at
		}
		for last = first; last.Else != nil; {
			next := *last.Else // what a locator returns may be shared
			last.Else = &next
			last = &next
		}
	}
	if first == nil {
		return store.Location{}, errAbsent
	}
	return *first, nil
}

// place sets where a chunk's bytes lie. It returns the task that reads it, or nil for one that is an extent
// and can be read together with its neighbours.
func (r *read) place(c *chunk, at *store.Location) (task, error) {
	a := r.a
	if at.Source == nil || at.Decode != nil && at.Length < 0 {
		return &locatedTask{c, at}, nil
	}
	c.in, c.name, c.offset, c.length, c.next, c.unpack = a.engine.source(at.Source), at.Name, at.Offset, at.Length, at.Else, at.Decode
	if at.Version != (store.Version{}) {
		if err := r.pin(c.in, c.name, at.Version); err != nil {
			return nil, err
		}
	}
	switch {
	case at.Decode != nil:
		shard := c.plan.Contents() != nil
		switch {
		case at.Exact != nil && c.in.Ranges() && (shard || r.isPartial(c)):
			return &partTask{c, at}, nil
		case shard || !c.in.Ranges():
			return &locatedTask{c, at}, nil
		}
		err := a.checkLimit(c.length)
		if err == nil && at.Size > 0 {
			err = a.checkLength(c, at.Size)
		}
		if err != nil {
			return nil, r.suspect(c, err)
		}
		return nil, nil
	case c.plan.Contents() != nil && c.in.Ranges():
		return (*shardTask)(c), nil
	case c.length < 0 || !c.in.Ranges() || r.isPartial(c):
		return (*wholeTask)(c), nil
	case c.length == 0:
		return &decodeTask{c, store.Extent{Bytes: []byte{}}}, nil
	}
	if err := a.checkLength(c, c.length); err != nil {
		return nil, r.suspect(c, err)
	}
	return nil, nil
}

// partTask reads a chunk of which parts can be read only when it is known where its bytes lie as they are.
type partTask struct {
	chunk *chunk
	at    *store.Location
}

func (t *partTask) drop() {}

func (t *partTask) run(w *worker) error {
	c, all := t.chunk, &locatedTask{t.chunk, t.at}
	shard := c.plan.Contents() != nil
	if !shard && w.wanted(c) == nil {
		return all.run(w)
	}
	at, err := t.at.Exact(w.env.Ctx)
	if isAbsent(err) && !c.mayLack() {
		return w.r.misplaced(c)
	}
	if err != nil {
		return w.r.undecoded(c, err)
	}
	if at.Source == nil {
		return all.run(w)
	}
	c.in, c.name, c.offset, c.length, c.unpack = w.r.a.engine.source(at.Source), at.Name, at.Offset, at.Length, nil
	if shard {
		return w.shard(c)
	}
	if ok, err := w.partialRows(c); ok || err != nil {
		return err
	}
	return all.run(w)
}

// undecoded is the error of a chunk whose stored bytes are not what a locator expects. What told that may be of an
// object that was replaced.
func (r *read) undecoded(c *chunk, err error) error {
	var limit *limits.Error
	var unknown *codec.UnknownError
	if c.in == nil || errors.As(err, &limit) || errors.As(err, &unknown) {
		return err
	}
	return r.suspect(c, err)
}

// start reads a chunk at a place.
func (w *worker) start(c *chunk, at *store.Location) error {
	t, err := w.r.place(c, at)
	if err != nil {
		return err
	}
	if t != nil {
		return t.run(w)
	}
	w.r.queue.add(w.r.tasks([]*chunk{c}))
	return nil
}

// elsewhere reads chunks of an object that is not there at the next places where they may lie.
func (w *worker) elsewhere(chunks []*chunk) error {
	for _, c := range chunks {
		if err := w.absent(c, errAbsent); err != nil {
			return err
		}
	}
	return nil
}

// wholeTask reads a chunk that is all of an object, or an extent of one that cannot be read in part.
type wholeTask chunk

func (t *wholeTask) drop() {}

func (t *wholeTask) run(w *worker) error {
	c, a := (*chunk)(t), w.r.a
	return w.whole(c, func(ctx context.Context, fresh bool) (store.Extent, error) {
		ask := store.Ask{Most: a.most(c.plan), Fresh: fresh}
		var r store.ByteRange
		if c.length >= 0 {
			r = c.extent()
			ask.Range, ask.Most = &r, 0
		}
		e, err := c.in.Read(ctx, c.name, ask)
		switch {
		case isAbsent(err) && c.mayLack():
			return e, errAbsent
		case errors.Is(err, store.ErrRange) || isAbsent(err):
			return e, w.r.misplaced(c)
		case err == nil:
			if err = w.r.pin(c.in, c.name, e.Version); err == nil && c.length >= 0 {
				e.Bytes, err = e.Cut(c.name, r)
			}
		}
		return e, err
	})
}

// locatedTask reads a chunk whose bytes a locator has, or makes of stored ones.
type locatedTask struct {
	chunk *chunk
	at    *store.Location
}

func (t *locatedTask) drop() {}

func (t *locatedTask) run(w *worker) error {
	c, at, a := t.chunk, *t.at, w.r.a
	if c.next, at.Else = at.Else, nil; at.Source != nil {
		c.in, c.name, c.offset, c.length, c.unpack = a.engine.source(at.Source), at.Name, at.Offset, at.Length, nil
	}
	return w.decodeChunk(c, func(ctx context.Context, fresh bool) (store.Extent, error) {
		e, err := at.Read(ctx, a.keyOf(c), store.Ask{Most: a.engine.opt.Limits.EncodedBytes, Fresh: fresh}, a.engine.extent)
		var failed *store.KeyError
		switch {
		case isAbsent(err) && c.mayLack():
			err = errAbsent
		case isAbsent(err):
			err = w.r.misplaced(c)
		case errors.As(err, &failed) && failed.Op == "decode" || errors.Is(err, store.ErrChanged):
			err = w.r.undecoded(c, err)
		}
		e.Size = -1 // it is that of the chunk, and not of the object
		if err == nil && c.in != nil {
			err = w.r.pin(c.in, c.name, e.Version)
		}
		return e, err
	})
}
