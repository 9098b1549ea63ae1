// Package killed imitates, for tests, programs that are killed between two writes.
package killed

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

// ErrKilled is the error of all operations after the last permitted write.
var ErrKilled = errors.New("the program was killed")

// Store is a store in memory that fails after a number of writes.
type Store struct {
	*memstore.Store
	mu   sync.Mutex
	left int
	// All holds the objects.
	All map[string][]byte
}

// New returns a store of these objects that permits that many writes and deletions.
func New(objects map[string][]byte, writes int) *Store {
	all := map[string][]byte{}
	maps.Copy(all, objects)
	return &Store{Store: memstore.New(objects), left: writes, All: all}
}

func (s *Store) use() error {
	if s.left--; s.left < 0 {
		return ErrKilled
	}
	return nil
}

// Read implements [store.Source].
func (s *Store) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	s.mu.Lock()
	dead := s.left < 0
	s.mu.Unlock()
	if dead {
		return store.Extent{}, ErrKilled
	}
	return s.Store.Read(ctx, name, ask)
}

// Set implements [store.Writer].
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.use(); err != nil {
		return err
	}
	s.All[key] = append([]byte{}, data...)
	return s.Store.Set(ctx, key, data)
}

// Delete implements [store.Deleter].
func (s *Store) Delete(ctx context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.All[key]; !there {
		return nil
	}
	if err := s.use(); err != nil {
		return err
	}
	delete(s.All, key)
	return s.Store.Delete(ctx, key)
}

// DeleteAll implements [store.Deleter].
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	names := []string{}
	s.mu.Lock()
	for key := range s.All {
		if prefix == "" || len(key) > len(prefix) && key[:len(prefix)+1] == prefix+"/" {
			names = append(names, key)
		}
	}
	s.mu.Unlock()
	for _, key := range names {
		if err := s.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Create implements [store.Conditional].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.Set(ctx, key, data)
}

// Objects returns a copy of the objects.
func (s *Store) Objects() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.All)
}
