package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"syscall"

	"zarr-wasm/store"
)

// dirStore reads a directory, in the plainest way that the interfaces allow.
type dirStore struct{ dir string }

var (
	_ store.RangeReader = dirStore{}
	_ store.Lister      = dirStore{}
)

func (s dirStore) Get(ctx context.Context, key string) ([]byte, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(key)))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		return nil, store.NotFound(key)
	}
	return b, err
}

func (s dirStore) GetRange(ctx context.Context, key string, r store.ByteRange) ([]byte, error) {
	b, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	from, to, err := r.Resolve(int64(len(b)))
	if err != nil {
		return nil, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return b[from:to], nil
}

func (s dirStore) List(ctx context.Context, prefix string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, filepath.FromSlash(prefix)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); e.IsDir() {
			names = append(names, name+"/")
		} else {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, err
}

// openStore opens a store of the manifest.
func openStore(dir, path, kind string) (store.Store, error) {
	path = filepath.Join(dir, filepath.FromSlash(path))
	switch kind {
	case "dir":
		return dirStore{path}, nil
	default:
		return nil, fmt.Errorf("stores of the kind %s cannot be opened yet", kind)
	}
}
