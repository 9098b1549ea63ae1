package filestore

import (
	"errors"
	"io/fs"
	"os"
)

// openLock makes the file of a lock, or returns errHeld. One that is there and can be removed is of a process that has ended:
// the system does not remove files that are open.
func openLock(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) {
		_ = root.Remove(name)
		return nil, errHeld
	}
	return f, err
}

// removeLock lets go of a lock whose file goes with it.
func removeLock(root *os.Root, name string, f *os.File) error {
	return errors.Join(f.Close(), root.Remove(name))
}
