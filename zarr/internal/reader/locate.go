package reader

import (
	"context"
	"errors"
	"io/fs"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// maxLocated is how many chunks a worker locates at once. Adjacent ones in one object then become
// one request.
const maxLocated = 1024

// errAbsent reports that there is no chunk: its elements are the fill value.
var errAbsent = errors.New("no such chunk")

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// locate locates n touched chunks, starting at the i-th, and reads them: the first one at once, the
// others by the queue.
func (w *worker) locate(i, n int) error {
	r, e := w.r, w.r.a.engine
	chunks := w.take(n)
	for k := range chunks {
		if err := r.touch(&chunks[k], i+k); err != nil {
			return err
		}
	}
	e.prepare(w.env.Ctx, func() []string {
		keys := make([]string, n)
		for k := range chunks {
			keys[k] = r.a.keyOf(&chunks[k])
		}
		return keys
	})
	var tasks []task
	var together, extents []*chunk
	for k := range chunks {
		c := &chunks[k]
		extent, err := r.find(w.env.Ctx, c)
		switch {
		case err == errAbsent:
			if err := w.fill(c); err != nil {
				return err
			}
		case err != nil:
			return err
		case extent:
			extents = append(extents, c)
		case n == 1:
			return w.chunk(c)
		case r.together > 1 && c.in != nil && c.in.Batches() && c.at == nil && c.length < 0:
			together = append(together, c)
		default:
			tasks = append(tasks, (*chunkTask)(c))
		}
	}
	for from := 0; from < len(together); from += r.together {
		tasks = append(tasks, &readTask{chunks: together[from:min(from+r.together, len(together))]})
	}
	for _, of := range byObject(extents) {
		tasks = append(tasks, r.reads(of)...)
	}
	if len(tasks) == 0 {
		return nil
	}
	if len(tasks) > 1 || len(extents) > 0 {
		w.room = nil // others work on the chunks
		r.queue.add(tasks[1:])
	}
	return tasks[0].run(w)
}

// byObject groups chunks by their object, in the order of the first chunk of each.
func byObject(chunks []*chunk) (groups [][]*chunk) {
	number := map[objectID]int{}
	for _, c := range chunks {
		id := objectID{c.in.Source, c.name}
		i, known := number[id]
		if !known {
			i = len(groups)
			number[id], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// find locates a chunk of the grid by the next possible key, and settles it there. It reports
// whether the chunk is an extent that can be read in one request with its neighbours. It returns
// errAbsent if no key is left.
func (r *read) find(ctx context.Context, c *chunk) (extent bool, err error) {
	for {
		keys := r.a.otherKeys(c)
		if keys == nil {
			return false, errAbsent
		}
		c.last = c.keys != nil
		c.keys = keys
		at, err := r.a.engine.locate(ctx, store.Join(r.a.Path, keys.Key(c.Coords)))
		switch {
		case err == nil:
			return r.settle(c, &at)
		case errors.Is(err, store.ErrChanged):
			return false, &changedError{err: err}
		case !isAbsent(err):
			return false, err
		}
	}
}

// otherKeys returns the next key encoding to try for a chunk that was not found, or nil.
func (a *Array) otherKeys(c *chunk) *grid.KeyEncoding {
	if c.index != nil || c.last {
		return nil
	}
	for _, keys := range a.keys.order() {
		if keys != c.keys {
			return keys
		}
	}
	return nil
}

// settle sets the place of a chunk's bytes.
func (r *read) settle(c *chunk, at *store.Location) (extent bool, err error) {
	a := r.a
	c.location = location{length: store.ToEnd, next: at.Else}
	packed := at.Packed
	if at.Source == nil || packed != nil {
		c.at = &store.Location{Object: at.Object, Inline: at.Inline, Packed: packed}
	}
	if at.Source == nil {
		return false, nil
	}
	c.in, c.name, c.offset, c.length = a.engine.source(at.Source), at.Name, at.Offset, at.Length
	if at.Version != (store.Version{}) {
		if err := r.pin(c.in, c.name, at.Version); err != nil {
			return false, err
		}
	}
	if c.length < 0 && c.at == nil {
		c.maxBytes, c.sole = a.encodedLimit(c.codecs), c.in == a.engine.plain
	}
	if c.length <= 0 || !c.in.Ranges() {
		return false, nil
	}
	parts := c.isShard() || r.isPartial(c)
	if packed == nil {
		if parts {
			return false, nil
		}
		err = a.checkLength(c, c.length)
	} else {
		if c.isShard() || parts && packed.Exact != nil {
			return false, nil
		}
		if err = a.checkLimit(c, c.length); err == nil && packed.Size > 0 {
			err = a.checkLength(c, packed.Size)
		}
	}
	if err != nil {
		return false, r.suspect(c, err)
	}
	return true, nil
}

// mayLack reports whether an absent object means that the chunk was never written. An extent of an
// archive lies in an object that was seen. If that object is absent, the chunk is unreadable,
// unless it may lie elsewhere.
func (r *read) mayLack(c *chunk) bool {
	return c.length < 0 || c.next != nil || r.a.otherKeys(c) != nil
}

// absent handles a chunk that is not there. Its bytes may lie elsewhere; otherwise its elements are
// the fill value.
func (w *worker) absent(c *chunk, err error) error {
	if !errors.Is(err, errAbsent) {
		return err
	}
	var extent bool
	if c.next != nil {
		extent, err = w.r.settle(c, c.next)
	} else {
		extent, err = w.r.find(w.env.Ctx, c)
	}
	switch {
	case err == errAbsent:
		return w.fill(c)
	case err != nil:
		return err
	case extent:
		w.room = nil
		w.r.queue.add(w.r.reads([]*chunk{c}))
		return nil
	}
	return w.chunk(c)
}

// chunkTask reads one chunk on its own.
type chunkTask chunk

func (t *chunkTask) drop()               {}
func (t *chunkTask) run(w *worker) error { return w.chunk((*chunk)(t)) }

// chunk copies a located chunk to the output. It reads the selected inner chunks of a shard, the
// selected rows or blocks of a large chunk, or the whole chunk.
func (w *worker) chunk(c *chunk) error {
	if c.at != nil && c.at.Packed != nil && c.at.Packed.Exact != nil {
		if ok, err := w.exact(c); ok || err != nil {
			return err
		}
	}
	if c.isShard() && c.in != nil && c.apart() {
		return w.shard(c)
	}
	if ok, err := w.partialRows(c); ok || err != nil {
		return err
	}
	return w.decodeChunk(c, nil)
}

// exact reads parts of a packed chunk from the place where its bytes lie unpacked. It returns false
// if the chunk must be read as a whole.
func (w *worker) exact(c *chunk) (bool, error) {
	r := w.r
	shard := c.isShard()
	if c.length < 0 || !c.in.Ranges() || !shard && (!r.isPartial(c) || w.place.selectedRegion(c) == nil) {
		return false, nil
	}
	at, err := c.at.Packed.Exact(w.env.Ctx)
	switch {
	case isAbsent(err) && !r.mayLack(c):
		return false, r.misplaced(c)
	case err != nil:
		return false, r.undecoded(c, err)
	case at.Source == nil:
		return false, nil
	}
	parts := *c
	parts.location = location{in: r.a.engine.source(at.Source), name: at.Name, offset: at.Offset, length: at.Length, next: c.next}
	if shard {
		return true, w.shard(&parts)
	}
	return w.partialRows(&parts)
}
