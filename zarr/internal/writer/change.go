package writer

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Change is a read-modify-write of objects.
type Change struct {
	// Once forbids a repetition after a write with an unknown outcome. Its objects are JSON.
	Once bool

	e *Engine
	// compares makes each write conditional on the version that was read. It is set if the store
	// has no locks, but supports conditions.
	compares bool
	refused  Old // the version whose replacement failed last
	same     int // how often in a row the replacement of that version failed
}

// Old is the version of an object that was read for a change.
type Old struct {
	store.Version
	There bool
}

// Change calls f, which reads objects, changes them and writes them, while no other writer holds
// the lock of a key. If another writer was faster nonetheless, Change calls f again. After too many
// attempts it returns a [*ConflictError].
func (e *Engine) Change(ctx context.Context, key string, f func(c *Change) error) error {
	return e.locked(ctx, key, func(alone bool) error {
		c := &Change{e: e, compares: !alone && e.reader.Capabilities().Conditional != nil}
		return c.run(ctx, key, f)
	})
}

const (
	// maxConflicts limits consecutive conflicts with other writers.
	maxConflicts = 100
	// maxSame limits how often the server may refuse a version that is current: some servers do
	// not recognise their own tags.
	maxSame = 4
	// mostUnsettled limits writes with unknown outcome.
	mostUnsettled = 4
)

func (c *Change) run(ctx context.Context, key string, f func(c *Change) error) error {
	for conflicts, unsettled := 0, 0; ; {
		err := f(c)
		switch {
		case c.compares && errors.Is(err, store.ErrConflict):
			if conflicts++; conflicts == maxConflicts || c.same == maxSame {
				return &ConflictError{Key: key, Tries: conflicts, Err: err}
			}
		case c.compares && errors.Is(err, store.ErrUnsettled):
			if unsettled++; c.Once || unsettled == mostUnsettled {
				return err
			}
		default:
			return err
		}
		// Random waits separate writers that have met.
		if err := pause(ctx, time.Duration(rand.Int64N(int64(time.Millisecond)<<min(conflicts+unsettled, 7)))); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Compares reports whether a write needs the version of the object that was read.
func (c *Change) Compares() bool { return c.compares }

// Conflict returns the error for an object that has changed.
func (c *Change) Conflict(key string) error {
	return &store.KeyError{Op: "set", Key: key, Err: store.ErrConflict}
}

// Set replaces an object, provided that it still has the version that was read.
func (c *Change) Set(ctx context.Context, key string, data []byte, old Old) error {
	can := c.e.reader.Capabilities()
	once := c.compares && c.Once
	if once {
		data = marked(data)
	}
	err := c.over(ctx, key, old, func() error {
		if !old.There {
			return can.Create(ctx, key, data)
		}
		return can.Replace(ctx, key, data, old.Version)
	}, func() error { return c.e.Set(ctx, key, data) })
	if once && (errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnsettled)) {
		if is, failed := c.e.reader.ReadKey(ctx, key, store.Ask{Fresh: true}); failed == nil && bytes.Equal(is.Bytes, data) {
			return nil
		}
	}
	return err
}

// marked appends 32 random blanks to JSON. A client or proxy may send a request twice, and the
// server refuses the second because of the first. A response may also be lost. The mark identifies
// a change as this program's own.
func marked(data []byte) []byte {
	data = slices.Clip(data)
	for mark, i := rand.Uint32(), 0; i < 32; i++ {
		data = append(data, " \t"[mark>>i&1])
	}
	return data
}

// Put writes an object unconditionally.
func (c *Change) Put(ctx context.Context, key string, data []byte) error {
	return c.e.Set(ctx, key, data)
}

// Delete deletes an object, provided that it still has the version old.
func (c *Change) Delete(ctx context.Context, key string, old Old) error {
	if c.compares && !old.There {
		return nil
	}
	return c.over(ctx, key, old, func() error { return c.e.reader.Capabilities().Remove(ctx, key, old.Version) }, func() error { return c.e.Delete(ctx, key) })
}

// over writes with a condition, or without one if the store cannot compare. Only a strong tag
// distinguishes versions: dates have a resolution of one second.
func (c *Change) over(ctx context.Context, key string, old Old, compared, plain func() error) error {
	if !c.compares || old.There && !old.Strong() {
		return plain()
	}
	err := compared()
	c.e.reader.Forget(context.WithoutCancel(ctx), key)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return plain()
	case errors.Is(err, fs.ErrExist):
		err = &conflict{err}
	case !errors.Is(err, store.ErrConflict):
		return err
	}
	if c.same++; c.refused != old {
		c.refused, c.same = old, 1
	}
	return err
}

// conflict is the error for an object that was created meanwhile.
type conflict struct{ error }

func (c *conflict) Unwrap() error        { return c.error }
func (c *conflict) Is(target error) bool { return target == store.ErrConflict }
