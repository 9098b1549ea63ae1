// Package reader reads chunks: it plans what a selection needs of an array, has the object layer
// fetch it, decodes it, and brings the elements to their places in the result.
//
// An [Engine] is what all reads of one hierarchy have together: its store, its limits, and the
// admission of chunks. An [Array] is what has to be known of an array for reading it; package zarr
// makes it of metadata. A read goes through these steps.
//
//   - The selection becomes projections (package plan): for each touched chunk what is taken of it,
//     and where it goes. Limits are checked, and the memory for the result is taken.
//   - Workers take chunks from the queue in order (run.go, queue.go), each when it is
//     admitted (admission.go).
//   - Chunks are located (locate.go): a store that is a source is the locator that changes nothing. A shard becomes its
//     wanted inner chunks (shard.go), a large chunk its wanted rows or blocks (partialrows.go, partialblocks.go).
//   - Their bytes are fetched (fetch.go): extents with their neighbours, many small objects at once, or whole objects.
//   - They are decoded by the executor (decode.go), unless the cache has them, and brought to their places (place.go).
//
// All that one read takes of one object is of one version of it (version.go): a contradiction
// drops what is kept of the object, and the read starts again. Bytes that do not decode are
// asked for once more, past all caches.
package reader

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Config is what an engine is made of.
type Config struct {
	Store    store.Locator
	Limits   limits.Limits // with defaults
	Executor codec.Executor
	Caches   *Caches
	// Weigh, if set, tells how many bytes an element of a result takes where the result goes.
	Weigh func(*dtype.Type) int64
	// Objects say how sources are read.
	Objects object.Options
	// Observe, if set, is told of every request and of every read that needed none.
	Observe store.Observer
}

// Engine is what all reads of one hierarchy have together. It is safe for concurrent use.
type Engine struct {
	opt       Config
	own       *object.Reader // of a store that is a source: its locator changes nothing
	ranges    bool           // parts of objects can be read; of a locator that is known object by object
	admission *admission
	envs      sync.Pool // of *codec.Env
}

// NewEngine returns the engine of a store.
func NewEngine(c Config) *Engine {
	e := &Engine{opt: c, ranges: true, admission: newAdmission(c.Limits.Requests)}
	if s, ok := store.SourceOf(c.Store); ok {
		e.own = e.source(s)
		e.ranges = e.own.Ranges()
	}
	return e
}

// source returns what reads a source for this engine.
func (e *Engine) source(s store.Source) *object.Reader {
	if r, ok := s.(*object.Reader); ok {
		return r
	}
	return e.opt.Caches.Layer.Reader(s, e.opt.Objects, e.opt.Observe)
}

// Stats says what was asked of the store's own objects, where it is a source.
func (e *Engine) Stats() object.Stats {
	if e.own == nil {
		return object.Stats{}
	}
	return e.own.Stats()
}

// Clear drops what is kept of the store's own objects, where it is a source.
func (e *Engine) Clear() {
	if e.own != nil {
		e.own.Clear()
	}
}

// Lister returns the store if it can list.
func (e *Engine) Lister() (store.Lister, bool) {
	l, ok := e.opt.Store.(store.Lister)
	return l, ok
}

// Address returns where the object under a key is, for messages; "" where that is not known.
func (e *Engine) Address(key string) string {
	if s, ok := store.SourceOf(e.opt.Store); ok {
		if r, ok := s.(store.Remote); ok {
			return r.Address(key)
		}
	}
	return ""
}

// Itself returns the source and the name of the object that the store's own address may be, nil where it has none.
func (e *Engine) Itself() (store.Source, string) {
	if s, ok := store.SourceOf(e.opt.Store); ok {
		if s, ok := s.(interface{ Itself() (store.Source, string) }); ok {
			return s.Itself()
		}
	}
	return nil, ""
}

// locate returns where the object of a key lies.
func (e *Engine) locate(ctx context.Context, key string) (store.Location, error) {
	if e.own != nil {
		return store.At(e.own, key), nil
	}
	if e.opt.Observe != nil {
		ctx = store.WithObserver(ctx, e.opt.Observe)
	}
	return e.opt.Store.Locate(ctx, key)
}

// prepare has the store read what is needed to locate keys.
func (e *Engine) prepare(ctx context.Context, keys func() []string) {
	if p, ok := e.opt.Store.(store.Preparer); ok {
		if e.opt.Observe != nil {
			ctx = store.WithObserver(ctx, e.opt.Observe)
		}
		p.Prepare(ctx, keys())
	}
}

// extent is the store.ReadFunc of the object layer.
func (e *Engine) extent(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
	return e.source(s).Read(ctx, name, ask)
}

// ReadKey reads what is asked of the object under a key. Errors are the store's and the context's.
func (e *Engine) ReadKey(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Extent{}, err
	}
	got, err := e.readLocated(ctx, key, ask)
	var undecoded *store.KeyError
	switch {
	case errors.Is(err, store.ErrChanged):
		r, ok := e.opt.Store.(store.Refresher)
		if !ok {
			return got, err
		}
		r.Refresh()
	case ask.Fresh || !errors.As(err, &undecoded) || undecoded.Op != "decode":
		return got, err
	}
	ask.Fresh = true
	if got, err = e.readLocated(ctx, key, ask); err != nil {
		e.Forget(ctx, key)
	}
	return got, err
}

// Refresh has the store read again what it keeps to locate keys.
func (e *Engine) Refresh() {
	if r, ok := e.opt.Store.(store.Refresher); ok {
		r.Refresh()
	}
}

func (e *Engine) readLocated(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	at, err := e.locate(ctx, key)
	if err != nil {
		return store.Extent{}, err
	}
	return at.Read(ctx, key, ask, e.extent)
}

// Exists tells whether there is an object under a key, with the least that has to be read for that.
func (e *Engine) Exists(ctx context.Context, key string) (bool, error) {
	ask := store.Ask{Range: &store.ByteRange{Length: 1}}
	if !e.ranges {
		ask.Range = nil
	}
	_, err := e.ReadKey(ctx, key, ask)
	switch {
	case err == nil || errors.Is(err, store.ErrRange): // ErrRange: it is there, but empty
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// Forget drops what is kept of the object under a key.
func (e *Engine) Forget(ctx context.Context, key string) {
	at, err := e.locate(ctx, key)
	for l := &at; err == nil && l != nil; l = l.Else {
		if l.Source != nil {
			e.forget(e.source(l.Source), l.Name)
		}
	}
}

// forget drops what is kept of an object, decoded or not.
func (e *Engine) forget(in *object.Reader, name string) {
	in.Forget(name)
	e.opt.Caches.forget(in.Source, name)
}

// env returns an Env for the decoding of a chunk that may outlive its reader; it
// goes back by release.
func (e *Engine) env(ctx context.Context) *codec.Env {
	if v, ok := e.envs.Get().(*codec.Env); ok {
		v.Ctx = ctx
		return v
	}
	return codec.NewEnv(ctx, e.opt.Limits)
}

func (e *Engine) release(v *codec.Env) {
	v.Ctx = context.Background()
	e.envs.Put(v)
}
