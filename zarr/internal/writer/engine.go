// Package writer writes chunks. It plans which chunks a selection touches, reads those that are
// only partly written, changes and encodes them, and stores them.
//
// An [Engine] holds the state that all writes to one hierarchy share: the store, the locks of
// chunks, and the memory budget. A write takes these steps.
//
//   - The selection becomes a plan (package plan): for each touched chunk the written elements and
//     the places of their values.
//   - Workers take chunks in order (write.go), each when there is memory for it.
//   - A worker locks a chunk by its key (locks.go), so that partial writes of one chunk do not
//     overlap. If the store has locks, this includes writers in other processes.
//   - The worker reads the chunk unless all of it is written, changes it, encodes it, and writes it
//     whole (chunk.go). It drops the chunk from the reader's caches.
//   - Without locks in the store, a write replaces only the version that was read (change.go). If
//     that fails, the worker repeats the change.
//
// Each chunk is either written or unchanged. A failed write leaves old and new chunks, and its
// [Error] lists the new ones.
package writer

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// memoryBytes is the budget for chunks under way, decoded and encoded, over all writes to one
// hierarchy.
const memoryBytes = 128 << 20

// Engine holds the state that all writes to one hierarchy share. It is safe for concurrent use.
type Engine struct {
	reader *reader.Engine
	limit  int // how many chunks one write has under way at once
	locks  locks
	memory *reader.Memory
	envs   sync.Pool // of *codec.Env: later writes reuse the memory
}

// NewEngine returns the engine that writes to the store of a reader. limit is the number of chunks
// under way in one write.
func NewEngine(r *reader.Engine, limit int) *Engine {
	return &Engine{reader: r, limit: limit, locks: locks{held: map[string]*lock{}}, memory: reader.NewMemory(memoryBytes)}
}

// env returns an Env for a worker of a write; keep returns it.
func (e *Engine) env(ctx context.Context, lim limits.Limits) *codec.Env {
	if v, ok := e.envs.Get().(*codec.Env); ok {
		v.Ctx = ctx
		return v
	}
	return codec.NewEnv(ctx, lim)
}

func (e *Engine) keep(v *codec.Env) {
	v.Ctx = context.Background()
	e.envs.Put(v)
}

// Set writes an object, and drops the old one from the reader's caches.
func (e *Engine) Set(ctx context.Context, key string, data []byte) error {
	err := e.reader.Capabilities().Set(ctx, key, data)
	e.reader.Forget(context.WithoutCancel(ctx), key) // also after an error: the outcome may be unknown
	return err
}

// Delete deletes an object, and drops it from the reader's caches.
func (e *Engine) Delete(ctx context.Context, key string) error {
	err := e.reader.Capabilities().Delete(ctx, key)
	e.reader.Forget(context.WithoutCancel(ctx), key)
	return err
}

// Lock waits until no other writer of this engine holds the lock of a key. If the store has locks,
// this includes other processes, and alone is true. The caller calls unlock once.
func (e *Engine) Lock(ctx context.Context, key string) (unlock func() error, alone bool, err error) {
	release, err := e.locks.take(ctx, key)
	if err != nil {
		return nil, false, err
	}
	of, err := e.reader.Capabilities().Lock(ctx, key)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return func() error { release(); return nil }, false, nil
	case err != nil:
		release()
		return nil, false, err
	}
	return func() error { defer release(); return of() }, true, nil
}

// WithLock calls f while it holds the lock of a key, which excludes all other writers that ask for
// it.
func (e *Engine) WithLock(ctx context.Context, key string, f func() error) error {
	return e.locked(ctx, key, func(bool) error { return f() })
}

func (e *Engine) locked(ctx context.Context, key string, f func(alone bool) error) error {
	unlock, alone, err := e.Lock(ctx, key)
	if err != nil {
		return err
	}
	err = guard.Do(func() error { return f(alone) })
	if failed := unlock(); err == nil {
		err = failed
	}
	return err
}

// CopyChunk copies the stored bytes of a chunk from one array to another. It deletes the chunk if
// the source has none; with absent set it skips that. The first context ends reading. The second
// one lets stores under way finish after another chunk has failed. The error of storing is an
// *[Error].
func (e *Engine) CopyChunk(reading, storing context.Context, from, to *reader.Array, coords []int64, absent bool) error {
	if done, err := e.copyObject(reading, storing, from, to, coords); done || err != nil {
		return err
	}
	plan, _, err := from.Plan(coords)
	if err != nil {
		return err
	}
	give, err := e.memory.Take(reading, plan.Array().Memory())
	if err != nil {
		return err
	}
	defer give()
	stored, there, err := from.ReadStored(reading, coords)
	if err != nil || !there && absent {
		return err
	}
	key, err := to.Key(reading, coords)
	if err != nil {
		return err
	}
	err = e.WithLock(reading, key, func() error {
		if there {
			return e.Set(storing, key, stored)
		}
		return e.Delete(storing, key)
	})
	if err != nil {
		return &Error{Path: to.Path, Err: err}
	}
	return nil
}

// copyObject copies a chunk that is a whole object, if the store can do so without its bytes here.
// An absent object is not done.
func (e *Engine) copyObject(reading, storing context.Context, from, to *reader.Array, coords []int64) (done bool, err error) {
	copier, ok := e.reader.Capabilities().Writer.(store.Copier)
	if !ok {
		return false, nil
	}
	src, name, fits, ok := from.Whole(reading, coords)
	if !ok {
		return false, nil
	}
	key, err := to.Key(reading, coords)
	if err != nil {
		return false, err
	}
	err = e.WithLock(reading, key, func() error { return copier.CopyFrom(storing, key, src, name, fits) })
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	e.reader.Forget(context.WithoutCancel(storing), key)
	if err != nil {
		return false, &Error{Path: to.Path, Err: err}
	}
	return true, nil
}
