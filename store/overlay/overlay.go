// Package overlay stacks stores: the first store that has a key provides its object. A local edit
// can cover a remote hierarchy, or a rewritten document the archive that it describes.
package overlay

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Store is a locator over others. It implements [store.Lister] when all of them do.
type Store struct{ layers []store.Locator }

var _ store.Locator = (*Store)(nil)

// lister is a Store that can list.
type lister struct{ *Store }

// New stacks stores, the first one on top. The result is a [store.Lister] when all layers are,
// because a list without some layers would be wrong.
func New(layers ...store.Locator) store.Locator {
	s := &Store{slices.Clone(layers)}
	for _, l := range layers {
		if _, ok := l.(store.Lister); !ok {
			return s
		}
	}
	return lister{s}
}

// Locate returns the key's location in the first layer, with the other layers as alternatives. If a
// layer fails other than by absence, Locate fails too, because that layer's object could be the
// right one.
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	var first store.Location
	last := &first
	found := false
	for _, l := range s.layers {
		at, err := l.Locate(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return store.Location{}, err
		}
		if found {
			last.Else = new(store.Location)
			last = last.Else
		}
		found = true
		// A layer's location may be shared: copy its alternatives before adding one.
		for *last = at; last.Else != nil; last = last.Else {
			next := *last.Else
			last.Else = &next
		}
		if last.Source == nil {
			break // inline bytes exist: the lower layers cannot matter
		}
	}
	if !found {
		return store.Location{}, store.NotFound(key)
	}
	return first, nil
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	for _, l := range s.layers {
		if r, ok := l.(store.Refresher); ok {
			r.Refresh()
		}
	}
}

// List implements [store.Lister].
func (s lister) List(ctx context.Context, prefix string) ([]string, error) {
	names := []string{}
	for _, l := range s.layers {
		more, err := l.(store.Lister).List(ctx, prefix)
		if err != nil {
			return nil, err
		}
		names = merge(names, more)
	}
	return names, nil
}

// ListsAll reports whether the lists are complete: see [store.ListsAll].
func (s lister) ListsAll() bool {
	for _, l := range s.layers {
		if !store.ListsAll(l.(store.Lister)) {
			return false
		}
	}
	return true
}

// merge merges two sorted lists without duplicates.
func merge(a, b []string) []string {
	all := make([]string, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		first := &a
		if len(a) == 0 || len(b) > 0 && b[0] < a[0] {
			first = &b
		}
		name := (*first)[0]
		if *first = (*first)[1:]; len(all) == 0 || all[len(all)-1] != name {
			all = append(all, name)
		}
	}
	return all
}

// Writes go to the first layer. Deletion is not supported, because it would uncover the objects of
// lower layers.

// Writes reports whether the first layer accepts writes: see [store.Writes].
func (s *Store) Writes() bool { return len(s.layers) > 0 && store.Writes(s.layers[0]) }

// Set implements [store.Writer].
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	return store.Set(ctx, s.top(), key, data)
}

// Lock implements [store.Locker].
func (s *Store) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	return store.Lock(ctx, s.top(), key)
}

// top returns the first layer, nil if there is none.
func (s *Store) top() store.Locator {
	if len(s.layers) == 0 {
		return nil
	}
	return s.layers[0]
}
