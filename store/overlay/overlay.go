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

// Store is a locator over others.
type Store struct {
	layers []store.Locator
	can    []*store.Capabilities // of the layers
}

var _ store.Locator = (*Store)(nil)

// New stacks stores, the first one on top. The result can list when all layers can, because a list
// without some layers would be wrong. It writes and locks what the first layer does.
func New(layers ...store.Locator) *Store {
	s := &Store{layers: slices.Clone(layers)}
	for _, l := range layers {
		s.can = append(s.can, store.CapabilitiesOf(l))
	}
	return s
}

// Capabilities implements [store.Capable].
func (s *Store) Capabilities() (c store.Capabilities) {
	c.Lister = s
	for i, layer := range s.can {
		if layer.Lister == nil {
			c.Lister = nil
		}
		if layer.Refresher != nil {
			c.Refresher = s
		}
		if i == 0 && layer.Writer != nil {
			c.Writer = top{layer.Writer}
		}
		if i == 0 {
			c.Locker = layer.Locker
		}
	}
	return c
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
	for _, layer := range s.can {
		layer.Refresh()
	}
}

// List implements [store.Lister].
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	names := []string{}
	for _, layer := range s.can {
		more, err := layer.List(ctx, prefix)
		if err != nil {
			return nil, err
		}
		names = merge(names, more)
	}
	return names, nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool {
	for _, layer := range s.can {
		if !layer.ListsAll() {
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

// top writes to the first layer. Deletion is not supported, because it would uncover the objects of
// lower layers.
type top struct{ store.Writer }

func (top) Delete(_ context.Context, key string) error {
	return &store.KeyError{Op: "delete", Key: key, Err: errors.ErrUnsupported}
}

func (t top) DeleteAll(ctx context.Context, prefix string) error { return t.Delete(ctx, prefix) }
func (top) DeletesAtomically() bool                              { return false }
