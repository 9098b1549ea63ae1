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

// pin notes which version of an object the read uses. It returns a *changedError if that
// contradicts the version used before.
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

// maxRestarts is how often a read restarts because an object changed during it.
const maxRestarts = 2

// changedError reports that parts of an object do not belong together. Either the object was
// replaced during the read, or a cached part is older. The read then restarts.
type changedError struct {
	in   *object.Reader // nil for an object that only locates chunks
	name string
	err  error // the read's error if a restart does not help
}

func (e *changedError) Error() string { return e.err.Error() }
func (e *changedError) Unwrap() error { return e.err }

// suspect returns the error for an object with inconsistent bytes. It is a *changedError, so that
// all of the object is requested again, unless that was already done.
func (r *read) suspect(c *chunk, err error) error {
	if r.isFresh(c.in, c.name) {
		r.a.engine.forget(c.in, c.name)
		return err
	}
	return &changedError{c.in, c.name, err}
}

// restart drops the changed object from the caches, so that the read requests all of it again, past
// all caches.
func (r *read) restart(changed *changedError) {
	e := r.a.engine
	changed.forget(e)
	e.Refresh()
	r.mu.Lock() // abandoned work may still run
	defer r.mu.Unlock()
	if r.fresh == nil {
		r.fresh = map[objectID]bool{}
	}
	if changed.in != nil {
		r.fresh[objectID{changed.in.Source, changed.name}] = true
	}
	r.pins = nil
}

// forget drops the object from the caches.
func (c *changedError) forget(e *Engine) {
	if c.in != nil {
		e.forget(c.in, c.name)
	}
}

// isFresh reports whether requests for an object must bypass all caches.
func (r *read) isFresh(in *object.Reader, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh != nil && r.fresh[objectID{in.Source, name}]
}
