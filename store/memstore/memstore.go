// Package memstore is a source of objects held in memory.
package memstore

import (
	"context"
	"slices"
	"strings"

	"zarr-wasm/store"
)

// Store holds objects in memory. It implements [store.Source] and
// [store.Lister] and never changes once it is made.
type Store struct {
	objects map[string][]byte
	keys    []string // sorted
}

var (
	_ store.Source = (*Store)(nil)
	_ store.Lister = (*Store)(nil)
)

// New returns a store of these objects. The map is copied, the bytes are not:
// they must not change afterwards. Keys that [store.CheckKey] refuses cannot be read.
func New(objects map[string][]byte) *Store {
	s := &Store{objects: make(map[string][]byte, len(objects)), keys: make([]string, 0, len(objects))}
	for key, data := range objects {
		if store.CheckKey(key) != nil {
			continue
		}
		s.objects[key] = data
		s.keys = append(s.keys, key)
	}
	slices.Sort(s.keys)
	return s
}

// Locate implements [store.Locator].
func (s *Store) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(s, key), nil
}

// Read returns an object, or part of it.
func (s *Store) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if err := store.CheckKey(name); err != nil {
		return store.Extent{}, err
	}
	data, ok := s.objects[name]
	if !ok {
		return store.Extent{}, store.NotFound(name)
	}
	return store.Select(name, data[:len(data):len(data)], ask)
}

// List returns the names directly below the prefix.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		prefix += "/"
	}
	names := []string{}
	for i, _ := slices.BinarySearch(s.keys, prefix); i < len(s.keys) && strings.HasPrefix(s.keys[i], prefix); {
		name, _, folder := strings.Cut(s.keys[i][len(prefix):], "/")
		if !folder {
			names = append(names, name)
			i++
			continue
		}
		names = append(names, name+"/")
		// "0" follows "/": the first key behind everything in this folder.
		i, _ = slices.BinarySearch(s.keys, prefix+name+"0")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
