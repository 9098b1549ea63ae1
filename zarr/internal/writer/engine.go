// Package writer writes chunks: it plans which chunks a selection touches, and has each of them read where only a part of it is
// written, changed, encoded and put into the store.
//
// An [Engine] is what all writes to one hierarchy have together: the store, the locks of chunks, and the budget of memory. A write
// goes through these steps.
//
//   - The selection becomes a plan (package plan): for each touched chunk which of its elements are written, and which of the values
//     they become.
//   - Workers take chunks in order (write.go), each when there is memory for it.
//   - A chunk is locked by its key (locks.go), so that writers that each change a part of it do so one after the other; where the store
//     has locks, writers in other processes, too.
//   - It is read unless all of it is written, changed, encoded, and written whole (chunk.go). What the reader keeps of it is forgotten.
//   - Where no lock keeps others away, what was read is written over only as long as it is still there (change.go); else all that is
//     done again.
//
// A chunk is either written or not: what a failed write leaves is old chunks and new ones, and its [Error] says which are new.
package writer

import (
	"context"
	"errors"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// memoryBytes is the budget of the chunks under way, decoded and encoded, of all writes to one hierarchy.
const memoryBytes = 128 << 20

// Engine is what all writes to one hierarchy have together. It is safe for concurrent use.
type Engine struct {
	reader *reader.Engine
	limit  int // how many chunks one write has under way at once
	locks  locks
	memory *reader.Memory
	envs   sync.Pool // of *codec.Env: chunks are made in memory of the writes before
}

// NewEngine returns the engine that writes to the store of a reader, so many chunks at once.
func NewEngine(r *reader.Engine, limit int) *Engine {
	return &Engine{reader: r, limit: limit, locks: locks{held: map[string]*lock{}}, memory: reader.NewMemory(memoryBytes)}
}

// env returns an Env for a worker of a write; it goes back by keep.
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

// Set writes an object, and has the reader forget what it keeps of the one before.
func (e *Engine) Set(ctx context.Context, key string, data []byte) error {
	err := store.Set(ctx, e.reader.Store(), key, data)
	e.reader.Forget(context.WithoutCancel(ctx), key) // also where it failed: some stores do not know how it ended
	return err
}

// Delete deletes an object, and has the reader forget it.
func (e *Engine) Delete(ctx context.Context, key string) error {
	err := store.Delete(ctx, e.reader.Store(), key)
	e.reader.Forget(context.WithoutCancel(ctx), key)
	return err
}

// Lock waits until no other writer of this engine has the lock of a key and, where the store has locks, none of another process.
// alone says whether it has. unlock is called once.
func (e *Engine) Lock(ctx context.Context, key string) (unlock func() error, alone bool, err error) {
	release, err := e.locks.take(ctx, key)
	if err != nil {
		return nil, false, err
	}
	of, err := store.Lock(ctx, e.reader.Store(), key)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return func() error { release(); return nil }, false, nil
	case err != nil:
		release()
		return nil, false, err
	}
	return func() error { defer release(); return of() }, true, nil
}

// WithLock calls f while no one else who asks for its lock writes the object of a key.
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

// CopyChunk stores the bytes of a chunk of one array as the chunk of another one. Where there is none, none is there afterwards; one that is absent
// need not be deleted. Reading ends with the first context. Stores under way settle before an error of another chunk ends it.
// The error of storing is an *[Error].
func (e *Engine) CopyChunk(reading, storing context.Context, from, to *reader.Array, coords []int64, absent bool) error {
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
