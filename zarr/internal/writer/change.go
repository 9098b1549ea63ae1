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

// Change is a change of objects that is made of what they were.
type Change struct {
	// Once says that it is not made again where it is not known whether it has been made. Its objects are JSON.
	Once bool

	e *Engine
	// compares says that what is written takes the place of what was read, and of nothing else: the store has no locks, but
	// conditions.
	compares bool
	refused  Old // what could last not be written over
	same     int // how often one version could not be
}

// Old is what was read of an object that is to be changed.
type Old struct {
	store.Version
	There bool
}

// Change calls f, which reads objects, changes them and writes them, while no other writer has the lock of a key. Where another one was
// faster nonetheless, it calls f again, so often at most that this is no accident: then the error is a [*ConflictError].
func (e *Engine) Change(ctx context.Context, key string, f func(c *Change) error) error {
	return e.locked(ctx, key, func(alone bool) error {
		c := &Change{e: e, compares: !alone && store.Compares(e.reader.Store())}
		return c.run(ctx, key, f)
	})
}

const (
	// mostConflicts is how often other writers may be faster, one after the other.
	mostConflicts = 100
	// mostSame is how often a version may be refused that is there: some servers do not know their own tags again.
	mostSame = 4
	// mostUnsettled is how often it may not be known what a write has done.
	mostUnsettled = 4
)

func (c *Change) run(ctx context.Context, key string, f func(c *Change) error) error {
	for conflicts, unsettled := 0, 0; ; {
		err := f(c)
		switch {
		case c.compares && errors.Is(err, store.ErrConflict):
			if conflicts++; conflicts == mostConflicts || c.same == mostSame {
				return &ConflictError{Key: key, Tries: conflicts, Err: err}
			}
		case c.compares && errors.Is(err, store.ErrUnsettled):
			if unsettled++; c.Once || unsettled == mostUnsettled {
				return err
			}
		default:
			return err
		}
		// Those that have met wait for different times.
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

// Compares tells whether the versions of what is read are needed to write it.
func (c *Change) Compares() bool { return c.compares }

// Conflict is the error of an object that is not what it was.
func (c *Change) Conflict(key string) error {
	return &store.KeyError{Op: "set", Key: key, Err: store.ErrConflict}
}

// Set writes an object in the place of what was read of it.
func (c *Change) Set(ctx context.Context, key string, data []byte, old Old) error {
	s := c.e.reader.Store()
	once := c.compares && c.Once
	if once {
		data = marked(data)
	}
	err := c.over(ctx, key, old, func() error {
		if !old.There {
			return store.Create(ctx, s, key, data)
		}
		return store.Replace(ctx, s, key, data, old.Version)
	}, func() error { return c.e.Set(ctx, key, data) })
	if once && (errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnsettled)) {
		if is, failed := c.e.reader.ReadKey(ctx, key, store.Ask{Fresh: true}); failed == nil && bytes.Equal(is.Bytes, data) {
			return nil
		}
	}
	return err
}

// marked appends 32 random blanks to JSON. A client of HTTP, or what lies between, may send a request twice, of which the second is refused
// because of the first, and the answer may be lost: by its mark the change is known again, and is not taken for the same change of another.
func marked(data []byte) []byte {
	data = slices.Clip(data)
	for mark, i := rand.Uint32(), 0; i < 32; i++ {
		data = append(data, " \t"[mark>>i&1])
	}
	return data
}

// Put writes an object, whatever it is.
func (c *Change) Put(ctx context.Context, key string, data []byte) error {
	return c.e.Set(ctx, key, data)
}

// Delete deletes an object of which old was read.
func (c *Change) Delete(ctx context.Context, key string, old Old) error {
	if c.compares && !old.There {
		return nil
	}
	return c.over(ctx, key, old, func() error { return store.Remove(ctx, c.e.reader.Store(), key, old.Version) }, func() error { return c.e.Delete(ctx, key) })
}

// over writes with a condition, or without one where the store cannot compare. Only a strong tag tells versions apart: dates are of whole seconds.
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

// conflict is the error of an object that has come to be there.
type conflict struct{ error }

func (c *conflict) Unwrap() error        { return c.error }
func (c *conflict) Is(target error) bool { return target == store.ErrConflict }
