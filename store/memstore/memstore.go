// Package memstore is a source of objects held in memory.
package memstore

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Store holds objects in memory. It implements [store.Source], [store.Lister] and all writing
// interfaces.
type Store struct {
	mu      sync.RWMutex
	objects map[string]object
	keys    []string // sorted; nil before the next sort
	writes  uint64
	locks   map[string]chan struct{}
}

// object is immutable: a write creates another one.
type object struct {
	data []byte
	etag string
}

var (
	_ store.Source      = (*Store)(nil)
	_ store.Lister      = (*Store)(nil)
	_ store.Writer      = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
	_ store.Locker      = (*Store)(nil)
)

// New returns a store of these objects. It copies the map but not the bytes, which must not change
// afterwards. Keys that [store.CheckKey] rejects cannot be read.
func New(objects map[string][]byte) *Store {
	s := &Store{objects: make(map[string]object, len(objects)), locks: map[string]chan struct{}{}}
	for key, data := range objects {
		if store.CheckKey(key) == nil {
			s.objects[key] = object{data, `"0"`}
		}
	}
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
	s.mu.RLock()
	o, ok := s.objects[name]
	s.mu.RUnlock()
	if !ok {
		return store.Extent{}, store.NotFound(name)
	}
	e, err := store.Select(name, o.data[:len(o.data):len(o.data)], ask)
	e.ETag = o.etag
	return e, err
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
	keys := s.sorted()
	names := []string{}
	for i, _ := slices.BinarySearch(keys, prefix); i < len(keys) && strings.HasPrefix(keys[i], prefix); {
		name, _, folder := strings.Cut(keys[i][len(prefix):], "/")
		if !folder {
			names = append(names, name)
			i++
			continue
		}
		names = append(names, name+"/")
		// "0" follows "/", so this is the first key after the folder.
		i, _ = slices.BinarySearch(keys, prefix+name+"0")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return true }

// sorted returns all keys in order. The result is immutable.
func (s *Store) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = make([]string, 0, len(s.objects))
		for key := range s.objects {
			s.keys = append(s.keys, key)
		}
		slices.Sort(s.keys)
	}
	return s.keys
}

// Set implements [store.Writer].
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	return s.put(ctx, key, data, func(object, bool) error { return nil })
}

// Create implements [store.Conditional].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.put(ctx, key, data, func(_ object, there bool) error {
		if there {
			return fs.ErrExist
		}
		return nil
	})
}

// Replace implements [store.Conditional].
func (s *Store) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	return s.put(ctx, key, data, func(o object, there bool) error { return old.Permits(o.version(), there) })
}

func (o object) version() store.Version { return store.Version{Size: int64(len(o.data)), ETag: o.etag} }

// put writes an object if permit allows it.
func (s *Store) put(ctx context.Context, key string, data []byte, permit func(o object, there bool) error) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	data = bytes.Clone(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	o, there := s.objects[key]
	if err := permit(o, there); err != nil {
		return &store.KeyError{Op: "set", Key: key, Err: err}
	}
	s.writes++
	s.objects[key] = object{data, `"` + strconv.FormatUint(s.writes, 10) + `"`}
	if !there {
		s.keys = nil
	}
	return nil
}

// Delete implements [store.Writer].
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.delete(ctx, key, func(object, bool) error { return nil })
}

// Remove implements [store.Conditional].
func (s *Store) Remove(ctx context.Context, key string, old store.Version) error {
	return s.delete(ctx, key, func(o object, there bool) error { return old.Permits(o.version(), there) })
}

// delete deletes an object if permit allows it.
func (s *Store) delete(ctx context.Context, key string, permit func(o object, there bool) error) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, there := s.objects[key]
	if err := permit(o, there); err != nil {
		return &store.KeyError{Op: "delete", Key: key, Err: err}
	}
	if there {
		delete(s.objects, key)
		s.keys = nil
	}
	return nil
}

// DeleteAll implements [store.Writer].
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if prefix != "" {
		if err := store.CheckFor(ctx, "delete", prefix); err != nil {
			return err
		}
		prefix += "/"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			delete(s.objects, key)
			s.keys = nil
		}
	}
	return nil
}

// DeletesAtomically implements [store.Writer].
func (s *Store) DeletesAtomically() bool { return true }

// Lock implements [store.Locker], for the goroutines of this process.
func (s *Store) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if err := store.CheckFor(ctx, "lock", key); err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		held := s.locks[key]
		if held == nil {
			mine := make(chan struct{})
			s.locks[key] = mine
			s.mu.Unlock()
			return func() error {
				s.mu.Lock()
				delete(s.locks, key)
				s.mu.Unlock()
				close(mine)
				return nil
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
