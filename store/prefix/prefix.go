// Package prefix presents the part of a store below a path as a store.
package prefix

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Store is a locator of the keys below a path of another locator. Its capabilities are those of the
// other locator.
type Store struct {
	of   store.Locator
	can  *store.Capabilities // of the other store
	path string
}

var _ store.Wrapper = (*Store)(nil)

// New returns the part of a store below a path. The path is a key prefix without its trailing
// slash. An error matches fs.ErrInvalid.
func New(of store.Locator, path string) (store.Locator, error) {
	if path == "" {
		return of, nil
	}
	if err := store.CheckKey(path); err != nil {
		return nil, err
	}
	return &Store{of, store.CapabilitiesOf(of), path}, nil
}

// Capabilities implements [store.Capable].
func (s *Store) Capabilities() store.Capabilities {
	c := s.can.Through(s)
	c.Outer, c.Path = s.of, s.path
	return c
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	return s.of.Locate(ctx, store.Join(s.path, key))
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() { s.can.Refresh() }

// Prepare implements [store.Preparer].
func (s *Store) Prepare(ctx context.Context, keys []string) {
	below := make([]string, len(keys))
	for i, key := range keys {
		below[i] = store.Join(s.path, key)
	}
	s.can.Prepare(ctx, below)
}

// List implements [store.Lister].
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		prefix = store.Join(s.path, prefix)
	} else {
		prefix = s.path
	}
	return s.can.List(ctx, prefix)
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return s.can.ListsAll() }

// Set implements [store.Writer].
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	return s.can.Set(ctx, store.Join(s.path, key), data)
}

// Delete implements [store.Writer].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	return s.can.Delete(ctx, store.Join(s.path, key))
}

// DeleteAll implements [store.Writer].
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	if prefix == "" {
		return s.can.DeleteAll(ctx, s.path)
	}
	if err := store.CheckFor(ctx, "delete", prefix); err != nil {
		return err
	}
	return s.can.DeleteAll(ctx, store.Join(s.path, prefix))
}

// DeletesAtomically implements [store.Writer].
func (s *Store) DeletesAtomically() bool {
	return s.can.Writer != nil && s.can.Writer.DeletesAtomically()
}

// Create implements [store.Conditional].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	return s.can.Create(ctx, store.Join(s.path, key), data)
}

// Replace implements [store.Conditional].
func (s *Store) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	return s.can.Replace(ctx, store.Join(s.path, key), data, old)
}

// Remove implements [store.Conditional].
func (s *Store) Remove(ctx context.Context, key string, old store.Version) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	return s.can.Remove(ctx, store.Join(s.path, key), old)
}

// Lock implements [store.Locker].
func (s *Store) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if err := store.CheckFor(ctx, "lock", key); err != nil {
		return nil, err
	}
	return s.can.Lock(ctx, store.Join(s.path, key))
}
