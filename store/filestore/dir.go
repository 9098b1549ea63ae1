package filestore

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
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

// Dir is a directory for reading and writing. A write creates a temporary file beside the object's
// file and renames it. At every moment, even after a process is killed, the file therefore has the
// old bytes or the new ones. No name leads out of the directory, not even through symbolic links.
//
// The names of temporary files, temporary folders and the folder of locks begin with [Reserved].
// They are neither objects nor keys. A killed process may leave some behind: [Dir.Sweep] removes
// them.
type Dir struct {
	*Store
	root    *os.Root
	opt     DirOptions
	stripes [64]sync.Mutex // locks of keys: they serialize this process's writes to one key
	seed    maphash.Seed
	locks   *Locks
}

var (
	_ store.Source      = (*Dir)(nil)
	_ store.Lister      = (*Dir)(nil)
	_ store.Writer      = (*Dir)(nil)
	_ store.Conditional = (*Dir)(nil)
	_ store.Locker      = (*Dir)(nil)
)

// Reserved is the prefix of file and folder names that are not objects.
const Reserved = ".zarr-wasm-"

const (
	partial = Reserved + "partial-"
	lockDir = Reserved + "locks"
)

// temporary returns the name of a temporary file or folder.
func temporary() string { return partial + strconv.FormatUint(rand.Uint64(), 36) }

// DirOptions configure a directory. The zero value is the default.
type DirOptions struct {
	// Durable makes each write wait until the bytes are on the disk, so that they survive a power
	// failure. It costs some milliseconds per write. Without it the system writes when it likes,
	// and the bytes survive only the end of the process.
	Durable bool
	// Locks are the locks of keys. By default they are files in a folder of the directory, which
	// are removed on release. Those of [NewLocks] are shared with zarr-python.
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

// MakeDir opens a directory, and creates it and its parents if they are absent.
func MakeDir(dir string, opt DirOptions) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return OpenDir(dir, opt)
}

// Close closes the directory. Later reads and writes fail.
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

// ListsAll implements [store.Lister].
func (d *Dir) ListsAll() bool { return true }

// reserved reports whether a segment of a key begins with [Reserved].
func reserved(key string) bool {
	return strings.HasPrefix(key, Reserved) || strings.Contains(key, "/"+Reserved)
}

// check rejects invalid and reserved keys.
func check(ctx context.Context, op, key string) error {
	err := store.CheckFor(ctx, op, key)
	if err == nil && reserved(key) {
		err = &store.KeyError{Op: op, Key: key, Err: fs.ErrInvalid}
	}
	return err
}

// stripe returns the mutex of a key.
func (d *Dir) stripe(key string) *sync.Mutex {
	return &d.stripes[maphash.String(d.seed, key)%uint64(len(d.stripes))]
}

// Set implements [store.Writer].
func (d *Dir) Set(ctx context.Context, key string, data []byte) error {
	return d.put(ctx, key, content(data), d.over(key))
}

// over returns the function that moves a temporary file over a key's file.
func (d *Dir) over(key string) func(tmp string) error {
	return func(tmp string) error {
		if old, err := d.root.Stat(key); err == nil {
			if err := d.later(tmp, old); err != nil {
				return err
			}
		}
		return d.rename(tmp, key)
	}
}

// CopyFrom implements [store.Copier] for files, whose bytes the system copies from file to file.
func (d *Dir) CopyFrom(ctx context.Context, key string, from store.Source, name string, fits func(size int64) bool) error {
	var src *Store
	switch from := from.(type) {
	case *Store:
		src = from
	case *Dir:
		src = from.Store
		if reserved(name) {
			return store.NotFound(name)
		}
	default:
		return errors.ErrUnsupported
	}
	f, info, err := src.open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	source, ok := f.(*os.File)
	if !ok || !fits(info.Size()) {
		return errors.ErrUnsupported
	}
	return d.put(ctx, key, func(ctx context.Context, to *os.File) error {
		if _, err := source.Seek(0, io.SeekStart); err != nil { // put may repeat this
			return err
		}
		for left := info.Size(); left > 0; left -= step {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := io.CopyN(to, source, min(left, step)); err != nil {
				return err
			}
		}
		return nil
	}, d.over(key))
}

// content writes bytes to a file.
func content(data []byte) func(context.Context, *os.File) error {
	return func(ctx context.Context, f *os.File) error {
		for at := 0; at < len(data); at += step {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := f.Write(data[at:min(at+step, len(data))]); err != nil {
				return err
			}
		}
		return nil
	}
}

// Create implements [store.Conditional]. It needs a file system with hard links.
func (d *Dir) Create(ctx context.Context, key string, data []byte) error {
	return d.put(ctx, key, content(data), func(tmp string) error { return d.root.Link(tmp, key) })
}

// Replace implements [store.Conditional]. It holds the key's lock, so that only one of several
// concurrent replacements of a version succeeds. Set ignores the lock.
func (d *Dir) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	if err := check(ctx, "set", key); err != nil {
		return err
	}
	unlock, err := d.Lock(ctx, key)
	if err != nil {
		return err
	}
	err = d.put(ctx, key, content(data), func(tmp string) error {
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

// Remove implements [store.Conditional]. It holds the key's lock, like Replace.
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

// permits checks whether the file of a key is of a version that may be replaced.
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

// put makes a temporary file beside a key's file, calls fill to write it, and place to move it
// there. It may repeat both.
func (d *Dir) put(ctx context.Context, key string, fill func(context.Context, *os.File) error, place func(tmp string) error) error {
	if err := check(ctx, "set", key); err != nil {
		return err
	}
	mu := d.stripe(key)
	mu.Lock()
	defer mu.Unlock()
	err := d.replace(ctx, key, fill, place)
	for tries := 0; errors.Is(err, fs.ErrNotExist) && tries < 10; tries++ {
		// another process deleted the folder or swept the temporary file
		err = d.replace(ctx, key, fill, place)
	}
	if err == nil || err == ctx.Err() {
		return err
	}
	return &store.KeyError{Op: "set", Key: key, Err: err}
}

// replace is one attempt of put.
func (d *Dir) replace(ctx context.Context, key string, fill func(context.Context, *os.File) error, place func(tmp string) error) error {
	tmp, err := d.write(ctx, path.Dir(key), fill)
	if err != nil {
		return err
	}
	err = place(tmp)
	_ = d.root.Remove(tmp) // it still exists if it was not renamed
	if err == nil && d.opt.Durable {
		err = d.flush(path.Dir(key))
	}
	return err
}

// write fills a new file in a folder, and creates the folder if it is absent.
func (d *Dir) write(ctx context.Context, dir string, fill func(context.Context, *os.File) error) (name string, err error) {
	var f *os.File
	for tries := 0; ; tries++ {
		name = path.Join(dir, temporary())
		if f, err = d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			break
		}
		// Another writer's Delete may remove the folder before the file is created.
		if !errors.Is(err, fs.ErrNotExist) || tries > 100 {
			return "", err
		}
		if err := d.root.MkdirAll(dir, 0o777); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	if err = fill(ctx, f); err == nil && d.opt.Durable {
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

// later gives a replacement a later time than its predecessor, if the clock of the file system has
// not advanced. Only the time distinguishes versions.
func (d *Dir) later(name string, than fs.FileInfo) error {
	info, err := d.root.Stat(name)
	if err != nil || info.ModTime().After(than.ModTime()) {
		return err
	}
	return d.root.Chtimes(name, time.Time{}, than.ModTime().Add(time.Microsecond))
}

// rename moves a file to a key. It removes an empty folder there.
func (d *Dir) rename(tmp, key string) error {
	err := d.root.Rename(tmp, key)
	if err != nil {
		if info, e := d.root.Lstat(key); e == nil && info.IsDir() && d.root.Remove(key) == nil {
			err = d.root.Rename(tmp, key)
		}
	}
	return err
}

// flush writes the names in a folder to the disk.
func (d *Dir) flush(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil // the file system does not support it
	}
	return errors.Join(err, f.Close())
}

// Delete implements [store.Writer]. It also removes folders that become empty.
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

// prune removes a folder and its parents while they are empty.
func (d *Dir) prune(dir string) {
	for ; dir != "." && d.root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
}

// DeleteAll implements [store.Writer]. It first renames the folder, so that all objects disappear
// at once.
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
		return fail(errors.New("a symbolic link, and nothing below it is deleted"))
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

// DeletesAtomically implements [store.Writer]: a folder is renamed before it is deleted.
func (d *Dir) DeletesAtomically() bool { return true }

// Lock implements [store.Locker].
func (d *Dir) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if err := check(ctx, "lock", key); err != nil {
		return nil, err
	}
	return d.locks.Lock(ctx, key)
}
