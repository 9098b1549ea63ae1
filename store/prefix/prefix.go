// Package prefix is the part of a store below a path, as a store of its own.
package prefix

import (
	"context"

	"zarr-wasm/store"
)

// Store is a locator of the keys below a path of another.
type Store struct {
	of   store.Locator
	path string
}

var _ store.Locator = (*Store)(nil)

// lister is a Store that can list.
type lister struct{ *Store }

// New returns the part of a store below a path, which is a key's beginning without the slash behind it. What it
// returns is a [store.Lister] where the other one is. An error matches fs.ErrInvalid.
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

// ListsAll tells whether the lists are complete: see [store.ListsAll].
func (s lister) ListsAll() bool { return store.ListsAll(s.of.(store.Lister)) }
