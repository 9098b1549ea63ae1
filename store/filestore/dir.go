package filestore

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Dir is a directory that is read and written. A write makes a temporary file beside the object's and renames it, so that at
// every moment, also of a process that is killed, the file has the old bytes or the new ones. No name leads out
// of the directory, not by symbolic links either.
//
// Temporary files and folders, and the folder of locks, have names that begin with [Reserved]. They are no objects and no
// keys. A process that is killed leaves some: [Dir.Sweep] removes them.
type Dir struct {
	*Store
	root    *os.Root
	opt     DirOptions
	stripes [64]sync.Mutex // of keys: writes of this process to one key are done one after the other
	seed    maphash.Seed
	locks   *Locks
}

var (
	_ store.Source      = (*Dir)(nil)
	_ store.Lister      = (*Dir)(nil)
	_ store.Writer      = (*Dir)(nil)
	_ store.Deleter     = (*Dir)(nil)
	_ store.Conditional = (*Dir)(nil)
	_ store.Locker      = (*Dir)(nil)
)

// Reserved is what the names of files and folders begin with that are no objects.
const Reserved = ".zarr-wasm-"

const (
	partial = Reserved + "partial-"
	lockDir = Reserved + "locks"
)

// temporary returns the name of a temporary file or folder.
func temporary() string { return partial + strconv.FormatUint(rand.Uint64(), 36) }

// DirOptions say how a directory is written. The zero value is the default.
type DirOptions struct {
	// Durable has each write wait until the disk has the bytes, so that they also outlive the power. It costs some
	// milliseconds a write. Without it the system writes them when it likes, and what a process has written outlives
	// the process only.
	Durable bool
	// Locks are the locks of keys: by default files in a folder of the directory, which go when they are not held. Those of
	// [NewLocks] are shared with zarr-python.
	Locks *Locks
}

// OpenDir opens a directory.
func OpenDir(dir string, opt DirOptions) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &Dir{Store: New(root.FS()), root: root, opt: opt, seed: maphash.MakeSeed(), locks: opt.Locks}
	if d.locks == nil {
		d.locks = locksOf(root)
	}
	return d, nil
}

// MakeDir opens a directory, which is made, with those above it, where it is absent.
func MakeDir(dir string, opt DirOptions) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return OpenDir(dir, opt)
}

// Close closes the directory. Nothing can be read or written afterwards.
func (d *Dir) Close() error { return d.root.Close() }

// Locate implements [store.Locator].
func (d *Dir) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(d, key), nil
}

// Read implements [store.Source].
func (d *Dir) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if reserved(name) {
		return store.Extent{}, store.NotFound(name)
	}
	return d.Store.Read(ctx, name, ask)
}

// List implements [store.Lister].
func (d *Dir) List(ctx context.Context, prefix string) ([]string, error) {
	if reserved(prefix) {
		return []string{}, ctx.Err()
	}
	names, err := d.Store.List(ctx, prefix)
	return slices.DeleteFunc(names, reserved), err
}

// reserved tells whether a segment of a key is a name that the directory needs for itself.
func reserved(key string) bool {
	return strings.HasPrefix(key, Reserved) || strings.Contains(key, "/"+Reserved)
}

// check refuses what is no key for an operation.
func check(ctx context.Context, op, key string) error {
	err := store.CheckFor(ctx, op, key)
	if err == nil && reserved(key) {
		err = &store.KeyError{Op: op, Key: key, Err: fs.ErrInvalid}
	}
	return err
}

// stripe is the mutex of a key.
func (d *Dir) stripe(key string) *sync.Mutex {
	return &d.stripes[maphash.String(d.seed, key)%uint64(len(d.stripes))]
}

// Set implements [store.Writer].
func (d *Dir) Set(ctx context.Context, key string, data []byte) error {
	return d.put(ctx, key, data, func(tmp string) error {
		if old, err := d.root.Stat(key); err == nil {
			if err := d.later(tmp, old); err != nil {
				return err
			}
		}
		return d.rename(tmp, key)
	})
}

// Create implements [store.Conditional]. It needs a file system that has hard links.
func (d *Dir) Create(ctx context.Context, key string, data []byte) error {
	return d.put(ctx, key, data, func(tmp string) error { return d.root.Link(tmp, key) })
}

// Replace implements [store.Conditional]: under the key's lock, so that of several that replace one version, one does. A Set
// does not ask after the lock.
func (d *Dir) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	if err := check(ctx, "set", key); err != nil {
		return err
	}
	unlock, err := d.Lock(ctx, key)
	if err != nil {
		return err
	}
	err = d.put(ctx, key, data, func(tmp string) error {
		info, err := d.permits(key, old)
		if err != nil {
			return err
		}
		if err := d.later(tmp, info); err != nil {
			return err
		}
		return d.rename(tmp, key)
	})
	return errors.Join(err, unlock())
}

// Remove implements [store.Conditional], under the key's lock as Replace.
func (d *Dir) Remove(ctx context.Context, key string, old store.Version) error {
	if err := check(ctx, "delete", key); err != nil {
		return err
	}
	unlock, err := d.Lock(ctx, key)
	if err != nil {
		return err
	}
	if _, err = d.permits(key, old); err != nil {
		err = &store.KeyError{Op: "delete", Key: key, Err: err}
	} else {
		err = d.Delete(ctx, key)
	}
	return errors.Join(err, unlock())
}

// permits says whether the file of a key is of a version that may be written over.
func (d *Dir) permits(key string, old store.Version) (fs.FileInfo, error) {
	info, err := d.root.Stat(key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var current store.Version
	if err == nil {
		current = version(info)
	}
	return info, old.Permits(current, err == nil)
}

// put writes a temporary file beside that of a key, and has it put in its place.
func (d *Dir) put(ctx context.Context, key string, data []byte, place func(tmp string) error) error {
	if err := check(ctx, "set", key); err != nil {
		return err
	}
	mu := d.stripe(key)
	mu.Lock()
	defer mu.Unlock()
	err := d.replace(ctx, key, data, place)
	for tries := 0; errors.Is(err, fs.ErrNotExist) && tries < 10; tries++ {
		err = d.replace(ctx, key, data, place) // the folder was deleted meanwhile, or the temporary file swept
	}
	if err == nil || err == ctx.Err() {
		return err
	}
	return &store.KeyError{Op: "set", Key: key, Err: err}
}

// replace is one try of put.
func (d *Dir) replace(ctx context.Context, key string, data []byte, place func(tmp string) error) error {
	tmp, err := d.write(ctx, path.Dir(key), data)
	if err != nil {
		return err
	}
	err = place(tmp)
	_ = d.root.Remove(tmp) // it is there where it was not renamed
	if err == nil && d.opt.Durable {
		err = d.flush(path.Dir(key))
	}
	return err
}

// write writes the bytes to a new file in a folder, which is made if it is absent.
func (d *Dir) write(ctx context.Context, dir string, data []byte) (name string, err error) {
	var f *os.File
	for tries := 0; ; tries++ {
		name = path.Join(dir, temporary())
		if f, err = d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			break
		}
		// The folder may be removed by another writer's Delete between its making and the file's.
		if !errors.Is(err, fs.ErrNotExist) || tries > 100 {
			return "", err
		}
		if err := d.root.MkdirAll(dir, 0o777); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	for at := 0; at < len(data) && err == nil; at += step {
		if err = ctx.Err(); err == nil {
			_, err = f.Write(data[at:min(at+step, len(data))])
		}
	}
	if err == nil && d.opt.Durable {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = d.root.Remove(name)
	}
	return name, err
}

// later gives a file that takes the place of another a later time, where the clock of the file system has not moved: the
// time is what tells versions apart.
func (d *Dir) later(name string, than fs.FileInfo) error {
	info, err := d.root.Stat(name)
	if err != nil || info.ModTime().After(than.ModTime()) {
		return err
	}
	return d.root.Chtimes(name, time.Time{}, than.ModTime().Add(time.Microsecond))
}

// rename puts a file in the place of a key. An empty folder there is none.
func (d *Dir) rename(tmp, key string) error {
	err := d.root.Rename(tmp, key)
	if err != nil {
		if info, e := d.root.Lstat(key); e == nil && info.IsDir() && d.root.Remove(key) == nil {
			err = d.root.Rename(tmp, key)
		}
	}
	return err
}

// flush has the disk know the names in a folder.
func (d *Dir) flush(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil // the file system has no such thing
	}
	return errors.Join(err, f.Close())
}

// Delete implements [store.Deleter]. Folders that become empty go too.
func (d *Dir) Delete(ctx context.Context, key string) error {
	if err := check(ctx, "delete", key); err != nil {
		return err
	}
	mu := d.stripe(key)
	mu.Lock()
	defer mu.Unlock()
	info, err := d.root.Lstat(key)
	if err != nil && d.absent(key, err) || err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		err = d.root.Remove(key)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &store.KeyError{Op: "delete", Key: key, Err: err}
	}
	d.prune(path.Dir(key))
	return nil
}

// prune removes a folder and those above it as far as they are empty.
func (d *Dir) prune(dir string) {
	for ; dir != "." && d.root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
}

// DeleteAll implements [store.Deleter]. A folder is renamed first, so that all below it is gone at once.
func (d *Dir) DeleteAll(ctx context.Context, prefix string) error {
	if prefix == "" {
		names, err := d.List(ctx, "")
		for _, name := range names {
			if folder, ok := strings.CutSuffix(name, "/"); ok {
				err = errors.Join(err, d.DeleteAll(ctx, folder))
			} else {
				err = errors.Join(err, d.Delete(ctx, name))
			}
		}
		return err
	}
	if err := check(ctx, "delete", prefix); err != nil {
		return err
	}
	info, err := d.root.Lstat(prefix)
	if err != nil && d.absent(prefix, err) || err == nil && info.Mode().IsRegular() {
		return nil
	}
	fail := func(err error) error { return &store.KeyError{Op: "delete", Key: prefix, Err: err} }
	switch {
	case err != nil:
		return fail(err)
	case !info.IsDir():
		return fail(errors.New("a symbolic link, below which nothing is deleted"))
	}
	gone := path.Join(path.Dir(prefix), temporary())
	if err := d.root.Rename(prefix, gone); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fail(err)
	}
	d.prune(path.Dir(prefix))
	if err := removeAll(d.root, gone); err != nil {
		return fail(err)
	}
	d.prune(path.Dir(prefix))
	return nil
}

// AtOnce implements [store.AtOnce]: a folder is renamed before it is deleted.
func (d *Dir) AtOnce() bool { return true }

// Lock implements [store.Locker].
func (d *Dir) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if err := check(ctx, "lock", key); err != nil {
		return nil, err
	}
	return d.locks.Lock(ctx, key)
}
