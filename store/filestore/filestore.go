// Package filestore is a source over an [io/fs.FS]: a directory (os.DirFS, or os.OpenRoot to keep
// symbolic links inside), an embedded file system, or any other.
package filestore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Store reads objects from the files of a file system. It implements [store.Source] and
// [store.Lister]. Only regular files are objects. As in an object store, a folder is not an object,
// and an object has nothing below it.
type Store struct {
	fsys fs.FS
}

var (
	_ store.Source = (*Store)(nil)
	_ store.Lister = (*Store)(nil)
)

// New returns a store of the files below the root of fsys.
func New(fsys fs.FS) *Store { return &Store{fsys} }

// Locate implements [store.Locator].
func (s *Store) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(s, key), nil
}

// Read returns the file of that name, or a part of it. The time of its last change is its version.
func (s *Store) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	f, info, err := s.open(ctx, name)
	if err != nil {
		return store.Extent{}, err
	}
	defer f.Close()
	from, to := int64(0), info.Size()
	if ask.Range != nil {
		if from, to, err = ask.Range.Resolve(to); err != nil {
			return store.Extent{}, &store.KeyError{Op: "get", Key: name, Err: err}
		}
	} else if ask.MaxBytes > 0 && to > ask.MaxBytes {
		return store.Extent{}, &store.KeyError{Op: "get", Key: name, Err: limits.Encoded(ask.MaxBytes, to, "the file")}
	}
	e := store.Extent{Offset: from, Version: version(info)}
	e.Bytes, err = read(ctx, name, f, from, to)
	return e, err
}

// version returns the version of a file.
func version(info fs.FileInfo) store.Version {
	v := store.Version{Size: info.Size()}
	if at := info.ModTime(); !at.IsZero() {
		v.Modified = strconv.FormatInt(at.UnixNano(), 10)
	}
	return v
}

// List returns the names directly below the prefix: regular files, and folders with a trailing
// slash. It includes empty folders.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir := "."
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		dir = prefix
	}
	names := []string{}
	if info, err := fs.Stat(s.fsys, dir); err != nil && !s.absent(dir, err) {
		return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
	} else if err != nil || !info.IsDir() {
		return names, nil
	}
	entries, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
	}
	for _, e := range entries {
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := fs.Stat(s.fsys, path.Join(dir, e.Name()))
			if err != nil {
				continue // a dangling link, or one that leaves the root
			}
			mode = info.Mode()
		}
		switch {
		case mode.IsDir():
			names = append(names, e.Name()+"/")
		case mode.IsRegular():
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return true }

// open opens the regular file of a key.
func (s *Store) open(ctx context.Context, key string) (fs.File, fs.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := store.CheckKey(key); err != nil {
		return nil, nil, err
	}
	// Stat comes first, because opening a named pipe would block.
	info, err := fs.Stat(s.fsys, key)
	if err == nil && !info.Mode().IsRegular() || err != nil && s.absent(key, err) {
		return nil, nil, store.NotFound(key)
	}
	if err != nil {
		return nil, nil, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	f, err := s.fsys.Open(key)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, store.NotFound(key)
		}
		return nil, nil, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	info, err = f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return f, info, nil
}

// absent reports whether an error for a name means that nothing is there. Systems return different
// errors for a name below a file, so absent checks the parent folders.
func (s *Store) absent(name string, err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := fs.Stat(s.fsys, dir); err == nil {
			return !info.IsDir()
		}
	}
	return false
}

// step is the number of bytes between two checks of the context.
const step = 4 << 20

// read returns the bytes from..to of an open file.
func read(ctx context.Context, key string, f fs.File, from, to int64) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the file became shorter
		}
		return nil, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	if from > 0 {
		switch g := f.(type) {
		case io.Seeker:
			if _, err := g.Seek(from, io.SeekStart); err != nil {
				return fail(err)
			}
		default:
			if _, err := io.CopyN(io.Discard, f, from); err != nil {
				return fail(err)
			}
		}
	}
	data := make([]byte, to-from)
	for at := 0; at < len(data); at += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(f, data[at:min(at+step, len(data))]); err != nil {
			return fail(err)
		}
	}
	return data, nil
}
