package filestore

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openLock creates the file of a lock, or returns errHeld. It tries to remove an existing file; the
// system keeps a file that a process has open.
func openLock(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) {
		_ = root.Remove(name)
		return nil, errHeld
	}
	return f, err
}

// removeLock releases a lock and removes its file.
func removeLock(root *os.Root, name string, f *os.File) error {
	return errors.Join(f.Close(), root.Remove(name))
}

// tryLock does nothing, because Windows does not remove an open file.
func tryLock(*os.File) error { return nil }

// sharingViolation is ERROR_SHARING_VIOLATION.
const sharingViolation = syscall.Errno(32)

// inUse reports whether a file could not be removed because it is open.
func inUse(err error) bool { return errors.Is(err, sharingViolation) }
