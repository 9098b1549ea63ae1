// Package prefix presents the part of a store below a path as a store.
package prefix

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Store is a locator of the keys below a path of another locator.
type Store struct {
	of   store.Locator
	path string
}

var _ store.Locator = (*Store)(nil)

// lister is a Store that can list.
type lister struct{ *Store }

// New returns the part of a store below a path. The path is a key prefix without its trailing
// slash. The result is a [store.Lister] when the other store is. An error matches fs.ErrInvalid.
func New(of store.Locator, path string) (store.Locator, error) {
	if path == "" {
		return of, nil
	}
	if err := store.CheckKey(path); err != nil {
		return nil, err
	}
	s := &Store{of, path}
	if _, ok := of.(store.Lister); ok {
		return lister{s}, nil
	}
	return s, nil
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	return s.of.Locate(ctx, store.Join(s.path, key))
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	if r, ok := s.of.(store.Refresher); ok {
		r.Refresh()
	}
}

// Prepare implements [store.Preparer].
func (s *Store) Prepare(ctx context.Context, keys []string) {
	if p, ok := s.of.(store.Preparer); ok {
		below := make([]string, len(keys))
		for i, key := range keys {
			below[i] = store.Join(s.path, key)
		}
		p.Prepare(ctx, below)
	}
}

// List implements [store.Lister].
func (s lister) List(ctx context.Context, prefix string) ([]string, error) {
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		prefix = store.Join(s.path, prefix)
	} else {
		prefix = s.path
	}
	return s.of.(store.Lister).List(ctx, prefix)
}

// ListsAll reports whether the lists are complete: see [store.ListsAll].
func (s lister) ListsAll() bool { return store.ListsAll(s.of.(store.Lister)) }

// Writes go to the underlying store.

// Writes reports whether the store accepts writes: see [store.Writes].
func (s *Store) Writes() bool { return store.Writes(s.of) }

// Compares reports whether the store compares versions: see [store.Compares].
func (s *Store) Compares() bool { return store.Compares(s.of) }

// AtOnce reports whether DeleteAll deletes all or nothing: see [store.AtOnce].
func (s *Store) AtOnce() bool { return store.AtOnce(s.of) }

// Set implements [store.Writer].
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	return store.Set(ctx, s.of, store.Join(s.path, key), data)
}

// Delete implements [store.Deleter].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	return store.Delete(ctx, s.of, store.Join(s.path, key))
}

// DeleteAll implements [store.Deleter].
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	if prefix == "" {
		return store.DeleteAll(ctx, s.of, s.path)
	}
	if err := store.CheckFor(ctx, "delete", prefix); err != nil {
		return err
	}
	return store.DeleteAll(ctx, s.of, store.Join(s.path, prefix))
}

// Create implements [store.Conditional].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	return store.Create(ctx, s.of, store.Join(s.path, key), data)
}

// Replace implements [store.Conditional].
func (s *Store) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	return store.Replace(ctx, s.of, store.Join(s.path, key), data, old)
}

// Remove implements [store.Conditional].
func (s *Store) Remove(ctx context.Context, key string, old store.Version) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	return store.Remove(ctx, s.of, store.Join(s.path, key), old)
}

// Lock implements [store.Locker].
func (s *Store) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if err := store.CheckFor(ctx, "lock", key); err != nil {
		return nil, err
	}
	return store.Lock(ctx, s.of, store.Join(s.path, key))
}
