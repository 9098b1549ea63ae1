// Package overlay lays stores over each other: a key's object is that of the first store that
// has it. A local edit can so lie over a remote hierarchy, or a rewritten document over the
// archive that it describes.
package overlay

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Store is a locator over others. It implements [store.Lister] where one of them does.
type Store struct{ layers []store.Locator }

var _ store.Locator = (*Store)(nil)

// lister is a Store that can list.
type lister struct{ *Store }

// New lays stores over each other, the first one on top. What it returns is a [store.Lister] where
// all layers are: a list that leaves some out would be wrong.
func New(layers ...store.Locator) store.Locator {
	s := &Store{slices.Clone(layers)}
	for _, l := range layers {
		if _, ok := l.(store.Lister); !ok {
			return s
		}
	}
	return lister{s}
}

// Locate returns where the key lies in the first layer, and as alternatives where it lies in the others. An
// error of a layer other than absence is the key's: the object of a lower layer need not be the one that counts.
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
		// What a layer returns may be shared: its alternatives are copied before one is added.
		for *last = at; last.Else != nil; last = last.Else {
			next := *last.Else
			last.Else = &next
		}
		if last.Source == nil {
			break // inline bytes are there: no other layer can be asked
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

// ListsAll tells whether the lists are complete: see [store.ListsAll].
func (s lister) ListsAll() bool {
	for _, l := range s.layers {
		if !store.ListsAll(l.(store.Lister)) {
			return false
		}
	}
	return true
}

// merge returns the names of two sorted lists, in order and each once.
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

// What is written lies over all else: it goes to the first layer. Nothing can be deleted, because what a
// lower layer has of it would come to light.

// Writes tells whether the first layer can be written to: see [store.Writes].
func (s *Store) Writes() bool { return len(s.layers) > 0 && store.Writes(s.layers[0]) }

// Set implements [store.Writer].
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	return store.Set(ctx, s.top(), key, data)
}

// Lock implements [store.Locker].
func (s *Store) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	return store.Lock(ctx, s.top(), key)
}

// top is the first layer, nil where there is none.
func (s *Store) top() store.Locator {
	if len(s.layers) == 0 {
		return nil
	}
	return s.layers[0]
}
