package reader

import (
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// objectID names an object.
type objectID struct {
	in   *object.Source
	name string
}

// pin notes which version of an object the read has taken bytes of. It is a *changedError when that
// cannot be the version that it has taken bytes of before.
func (r *read) pin(in *object.Reader, name string, v store.Version) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pins == nil {
		r.pins = map[objectID]*store.Version{}
	}
	id := objectID{in.Source, name}
	known := r.pins[id]
	switch {
	case known == nil:
		r.pins[id] = &v
	case known.Contradicts(v):
		return &changedError{in, name, &store.KeyError{Op: "get", Key: name, Err: store.ErrChanged}}
	default:
		known.Learn(v)
	}
	return nil
}

// maxRestarts is how often a read starts again because an object changed while it was read.
const maxRestarts = 2

// changedError says that what was read of an object does not belong together: the object was replaced
// while it was read, or something that was kept of it is of an older one. The read that fails with it starts again.
type changedError struct {
	in   *object.Reader // nil where it is not the object of a chunk, but one that tells where chunks lie
	name string
	err  error // what the read returns when it is the same again
}

func (e *changedError) Error() string { return e.err.Error() }
func (e *changedError) Unwrap() error { return e.err }

// suspect returns the error of an object whose bytes do not make sense: as a *changedError, so that all of it is
// asked for anew, unless that has been done.
func (r *read) suspect(c *chunk, err error) error {
	if r.isFresh(c.in, c.name) {
		r.a.engine.forget(c.in, c.name)
		return err
	}
	return &changedError{c.in, c.name, err}
}

// restart has the engine forget the object that changed, so that all of it is asked for anew, past all caches.
func (r *read) restart(changed *changedError) {
	e := r.a.engine
	changed.forget(e)
	e.Refresh()
	r.mu.Lock() // work that was given up may still go on
	defer r.mu.Unlock()
	if r.fresh == nil {
		r.fresh = map[objectID]bool{}
	}
	if changed.in != nil {
		r.fresh[objectID{changed.in.Source, changed.name}] = true
	}
	r.pins = nil
}

// forget drops what is kept of the object.
func (c *changedError) forget(e *Engine) {
	if c.in != nil {
		e.forget(c.in, c.name)
	}
}

// isFresh tells whether an object is to be asked for past all caches.
func (r *read) isFresh(in *object.Reader, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh != nil && r.fresh[objectID{in.Source, name}]
}
