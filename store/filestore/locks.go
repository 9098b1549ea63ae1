package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Locks are locks of keys by files in a directory, one per key. The system releases them when their
// process ends, so no lock is ever stale. They hold between goroutines and between processes of one
// machine. They hold between machines if the file system shares locks.
//
// On Linux they are locks of open files of fcntl(2), which work together with those of
// zarr-python's ProcessSynchronizer. Other systems with flock(2) use flock. On Windows an open file
// acts as the lock, because it cannot be removed. Elsewhere there are no locks: the error matches
// errors.ErrUnsupported.
type Locks struct {
	open func() (*os.Root, error)
	root *os.Root
	once sync.Once
	err  error
	// own reports that the files have no other readers. Their names are hashes, and their folder is
	// removed with the last of them.
	own bool

	mu   sync.Mutex
	held map[string]chan struct{}
}

var _ store.Locker = (*Locks)(nil)

// NewLocks returns the locks in a directory, which is created on first use. It corresponds to
// zarr-python's ProcessSynchronizer for the root of a hierarchy. The lock of a key is the file of
// that name, which remains after release.
func NewLocks(dir string) *Locks {
	return &Locks{held: map[string]chan struct{}{}, open: func() (*os.Root, error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		return os.OpenRoot(dir)
	}}
}

// locksOf returns the locks in a reserved folder of a directory.
func locksOf(root *os.Root) *Locks {
	return &Locks{own: true, held: map[string]chan struct{}{}, open: func() (*os.Root, error) { return root, nil }}
}

// Lock implements [store.Locker].
func (l *Locks) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if err := store.CheckFor(ctx, "lock", key); err != nil {
		return nil, err
	}
	if l.once.Do(func() { l.root, l.err = l.open() }); l.err != nil {
		return nil, &store.KeyError{Op: "lock", Key: key, Err: l.err}
	}
	release, err := l.queue(ctx, key)
	if err != nil {
		return nil, err
	}
	name := key
	if l.own {
		sum := sha256.Sum256([]byte(key))
		name = lockDir + "/" + hex.EncodeToString(sum[:16])
	}
	f, err := l.take(ctx, name)
	if err != nil {
		release()
		if err == ctx.Err() {
			return nil, err
		}
		return nil, &store.KeyError{Op: "lock", Key: key, Err: err}
	}
	return func() error {
		defer release()
		if !l.own {
			return f.Close()
		}
		err := removeLock(l.root, name, f)
		_ = l.root.Remove(lockDir) // succeeds only if it is empty
		return err
	}, nil
}

// queue waits for the other goroutines that want the lock. Only one at a time asks the system.
func (l *Locks) queue(ctx context.Context, key string) (release func(), err error) {
	for {
		l.mu.Lock()
		held := l.held[key]
		if held == nil {
			mine := make(chan struct{})
			l.held[key] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.held, key)
				l.mu.Unlock()
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// errHeld reports that another process holds a lock.
var errHeld = errors.New("held by another process")

// take opens the file of a lock and locks it. It polls, because a blocking system call could not be
// cancelled.
func (l *Locks) take(ctx context.Context, name string) (*os.File, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		f, err := l.try(name)
		if !errors.Is(err, errHeld) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (l *Locks) try(name string) (*os.File, error) {
	f, err := openLock(l.root, name)
	for tries := 0; errors.Is(err, fs.ErrNotExist) && tries < 100; tries++ {
		if err = l.root.MkdirAll(path.Dir(name), 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			f, err = openLock(l.root, name)
		}
	}
	if err != nil {
		return nil, err
	}
	if !l.own {
		return f, nil
	}
	// The previous holder may have removed the file after it was opened. Then the lock protects no
	// file of that name.
	mine, err := f.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = l.root.Stat(name); err == nil && os.SameFile(mine, there) {
			return f, nil
		}
	}
	_ = f.Close()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = errHeld
	}
	return nil, err
}
