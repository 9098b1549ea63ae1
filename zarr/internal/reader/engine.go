// Package reader reads chunks. It plans which chunks a selection needs, fetches them through the
// object layer, decodes them, and copies the elements into the result.
//
// An [Engine] holds the state that all reads of one hierarchy share: its store, its limits, and the
// admission of chunks. An [Array] holds the facts about an array that reads need. Package zarr
// makes it of metadata. A read takes these steps.
//
//   - The selection becomes projections (package plan): for each touched chunk the selected
//     elements and their places in the result. The read checks limits and allocates the result.
//   - Workers take chunks from the queue in order (run.go, queue.go), each after its admission
//     (admission.go).
//   - Workers locate chunks (locate.go). For a store that is a source, the locator is the identity.
//     A shard becomes its selected inner chunks (shard.go), and a large chunk its selected rows or
//     blocks (partialrows.go, partialblocks.go).
//   - Workers fetch the bytes (fetch.go): extents together with their neighbours, many small
//     objects at once, or whole objects.
//   - The executor decodes chunks that are not cached (decode.go). Workers then copy the elements
//     to their places (place.go).
//
// All bytes that one read takes of an object belong to one version (version.go). On a contradiction
// the read drops the object from the caches and starts again. Bytes that do not decode are
// requested once more, past all caches.
package reader

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Config configures an engine.
type Config struct {
	Store    store.Locator
	Limits   limits.Limits // with defaults
	Executor codec.Executor
	Caches   *Caches
	// Weigh, if set, returns the bytes that an element takes in the memory of the result.
	Weigh func(*dtype.Type) int64
	// Objects holds the options for reading sources.
	Objects object.Options
	// Observe, if set, receives every request, and every read that needed none.
	Observe store.Observer
}

// Engine holds the state that all reads of one hierarchy share. It is safe for concurrent use.
type Engine struct {
	opt Config
	can *store.Capabilities // of the store
	// Reads the store's own objects; nil if the store is not a source.
	plain *object.Reader
	// Whether parts of objects can be read. A locator determines this object by object.
	ranges    bool
	admission *admission
	envs      sync.Pool // of *codec.Env
}

// NewEngine returns the engine of a store.
func NewEngine(c Config) *Engine {
	e := &Engine{opt: c, can: store.CapabilitiesOf(c.Store), ranges: true, admission: newAdmission(c.Limits.Requests)}
	if e.can.Source != nil {
		e.plain = e.source(e.can.Source)
		e.ranges = e.plain.Ranges()
	}
	return e
}

// source returns the object reader of a source for this engine.
func (e *Engine) source(s store.Source) *object.Reader {
	if r, ok := s.(*object.Reader); ok {
		return r
	}
	return e.opt.Caches.Layer.Reader(s, e.opt.Objects, e.opt.Observe)
}

// Stats returns the request counts of the store's own objects, if it is a source.
func (e *Engine) Stats() object.Stats {
	if e.plain == nil {
		return object.Stats{}
	}
	return e.plain.Stats()
}

// Clear drops the store's own objects from the caches, if it is a source.
func (e *Engine) Clear() {
	if e.plain != nil {
		e.plain.Clear()
	}
}

// Store returns the store.
func (e *Engine) Store() store.Locator { return e.opt.Store }

// Capabilities returns the capabilities of the store.
func (e *Engine) Capabilities() *store.Capabilities { return e.can }

// Address returns the address of the object under a key, for messages; "" if unknown.
func (e *Engine) Address(key string) string {
	if e.plain != nil && e.can.Remote != nil {
		return e.can.Remote.Address(key)
	}
	return ""
}

// Itself returns the source and the name of the object at the store's own address; nil if there is
// none.
func (e *Engine) Itself() (store.Source, string) {
	if e.plain != nil && e.can.Remote != nil {
		return e.can.Remote.Itself()
	}
	return nil, ""
}

// locate returns the location of the object of a key.
func (e *Engine) locate(ctx context.Context, key string) (store.Location, error) {
	if e.plain != nil {
		return store.At(e.plain, key), nil
	}
	if e.opt.Observe != nil {
		ctx = store.WithObserver(ctx, e.opt.Observe)
	}
	return e.opt.Store.Locate(ctx, key)
}

// prepare makes the store read the tables that it needs to locate keys.
func (e *Engine) prepare(ctx context.Context, keys func() []string) {
	if e.can.Preparer != nil {
		if e.opt.Observe != nil {
			ctx = store.WithObserver(ctx, e.opt.Observe)
		}
		e.can.Prepare(ctx, keys())
	}
}

// extent is the store.ReadFunc of the object layer.
func (e *Engine) extent(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
	return e.source(s).Read(ctx, name, ask)
}

// ReadKey reads the requested part of the object under a key. Errors are the store's and the
// context's.
func (e *Engine) ReadKey(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Extent{}, err
	}
	got, err := e.readLocated(ctx, key, ask)
	var undecoded *store.KeyError
	switch {
	case errors.Is(err, store.ErrChanged):
		if e.can.Refresher == nil {
			return got, err
		}
		e.Refresh()
	case ask.Fresh || !errtype.As(err, &undecoded) || undecoded.Op != "decode":
		return got, err
	}
	ask.Fresh = true
	if got, err = e.readLocated(ctx, key, ask); err != nil {
		e.Forget(ctx, key)
	}
	return got, err
}

// Outdate notes that decoded chunks may be outdated: see [Caches.Generation].
func (e *Engine) Outdate() { e.opt.Caches.Outdate() }

// Refresh makes the store read its tables for locating keys again.
func (e *Engine) Refresh() {
	e.can.Refresh()
	e.Outdate()
}

func (e *Engine) readLocated(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	at, err := e.locate(ctx, key)
	if err != nil {
		return store.Extent{}, err
	}
	return at.Read(ctx, key, ask, e.extent)
}

// Exists reports whether there is an object under a key. It reads as little as possible.
func (e *Engine) Exists(ctx context.Context, key string) (bool, error) {
	ask := store.Ask{Range: &store.ByteRange{Length: 1}}
	if !e.ranges {
		ask.Range = nil
	}
	_, err := e.ReadKey(ctx, key, ask)
	switch {
	case err == nil || errors.Is(err, store.ErrRange): // ErrRange: the object exists, but is empty
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// Forget drops the object under a key from the caches.
func (e *Engine) Forget(ctx context.Context, key string) {
	at, err := e.locate(ctx, key)
	for l := &at; err == nil && l != nil; l = l.Else {
		if l.Source != nil {
			e.forget(e.source(l.Source), l.Name)
		}
	}
}

// forget drops an object from the caches, encoded and decoded.
func (e *Engine) forget(in *object.Reader, name string) {
	in.Forget(name)
	e.opt.Caches.forget(in.Source, name)
}

// env returns an Env for decoding a chunk, which may outlive its read. The method release returns
// it.
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
