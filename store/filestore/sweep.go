package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Sweep removes the leftovers of killed writers below a prefix and beside it, and returns the
// number of removed files and folders. It removes temporary ones that are older than age, and locks
// that are not held.
//
// Other processes may write at the same time, even with an age of 0. A writer that loses its
// temporary file writes it again. Sweep keeps an open [Replacement].
func (d *Dir) Sweep(ctx context.Context, prefix string, age time.Duration) (removed int, err error) {
	if prefix != "" {
		if err := check(ctx, "sweep", prefix); err != nil {
			return 0, err
		}
	}
	s := sweep{ctx: ctx, root: d.root, age: age}
	if prefix == "" {
		s.tree(".")
	} else {
		s.folder(path.Dir(prefix))
		s.tree(prefix)
	}
	s.locks()
	return s.removed, s.err
}

// stale is the age at which a file counts as abandoned, on file systems without locks.
const stale = time.Hour

// sweep is one Sweep.
type sweep struct {
	ctx     context.Context
	root    *os.Root
	age     time.Duration
	removed int
	err     error
}

// fail records an error, unless a file is already gone.
func (s *sweep) fail(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.err = errors.Join(s.err, err)
	}
}

// tree sweeps a folder and everything below it.
func (s *sweep) tree(dir string) {
	s.fail(fs.WalkDir(s.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil:
			s.fail(err)
			return nil
		}
		s.entry(name, e)
		if e.IsDir() && strings.HasPrefix(e.Name(), Reserved) {
			return fs.SkipDir
		}
		return nil
	}))
}

// folder sweeps the entries directly in a folder.
func (s *sweep) folder(dir string) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	s.fail(err)
	for _, e := range entries {
		s.entry(path.Join(dir, e.Name()), e)
	}
}

// entry removes a file or folder if it is temporary, old enough and not locked.
func (s *sweep) entry(name string, e fs.DirEntry) {
	if !strings.HasPrefix(e.Name(), partial) {
		return
	}
	info, err := e.Info()
	// The time may lie in the future: a replacement gets a later time than its predecessor.
	if err != nil || s.age > 0 && time.Since(info.ModTime()) < s.age {
		s.fail(err)
		return
	}
	if info.Mode().IsRegular() {
		f, err := s.root.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			s.fail(err)
			return
		}
		err = tryLock(f)
		defer f.Close() // until then a new Replacement of this name cannot be locked
		if errors.Is(err, errHeld) || err != nil && time.Since(info.ModTime()) < stale {
			return
		}
		if runtime.GOOS == "windows" {
			_ = f.Close() // Windows removes no open file
		}
	}
	if err := removeAll(s.root, name); err == nil {
		s.removed++
	} else if !inUse(err) {
		s.fail(err)
	}
}

// removeAll removes a file or folder. A writer that opened a folder before its renaming may create
// another file in it meanwhile.
func removeAll(root *os.Root, name string) error {
	err := root.RemoveAll(name)
	for tries := 0; errors.Is(err, fs.ErrExist) && tries < 100; tries++ {
		err = root.RemoveAll(name)
	}
	return err
}

// locks removes the locks that are not held, and their folder when it is empty.
func (s *sweep) locks() {
	entries, err := fs.ReadDir(s.root.FS(), lockDir)
	s.fail(err)
	l := locksOf(s.root)
	l.root = s.root
	for _, e := range entries {
		name := path.Join(lockDir, e.Name())
		f, err := l.try(name)
		switch {
		case err == nil:
			s.fail(removeLock(s.root, name, f))
			s.removed++
		case !errors.Is(err, errHeld) && !errors.Is(err, errors.ErrUnsupported):
			s.fail(err)
		}
	}
	_ = s.root.Remove(lockDir)
}

// A Replacement is a file that is written under a temporary name and then replaces another one. The
// file of that name is whole at every moment. [Dir.Sweep] keeps an open Replacement.
type Replacement struct {
	*os.File
	root      *os.Root
	name, tmp string
}

// NewReplacement creates the replacement of a file, which may be absent. It first removes the
// leftovers of killed processes in the same folder.
func NewReplacement(ctx context.Context, file string) (*Replacement, error) {
	d, err := OpenDir(filepath.Dir(file), DirOptions{})
	if err != nil {
		return nil, err
	}
	s := sweep{ctx: ctx, root: d.root}
	s.folder(".") // ignore errors: leftovers disturb nothing
	r := &Replacement{root: d.root, name: filepath.Base(file)}
	for {
		r.tmp = temporary()
		if r.File, err = d.root.OpenFile(r.tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		if !errors.Is(tryLock(r.File), errHeld) {
			mine, err := r.Stat()
			there, gone := d.root.Stat(r.tmp)
			if err == nil && gone == nil && os.SameFile(mine, there) {
				return r, nil
			}
		}
		_ = r.Close() // a sweep removed the file before it was locked
	}
}

// Commit closes the file and gives it its name.
func (r *Replacement) Commit() error {
	return r.end(func() error { return r.root.Rename(r.tmp, r.name) })
}

// Discard closes and removes the file.
func (r *Replacement) Discard() error {
	return r.end(func() error { return r.root.Remove(r.tmp) })
}

// end closes the file, then renames or removes it. Some systems cannot do that with an open file.
func (r *Replacement) end(act func() error) error {
	err := r.Close()
	if err != nil {
		_ = r.root.Remove(r.tmp)
	} else {
		err = act()
	}
	return errors.Join(err, r.root.Close())
}
