//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filestore

import (
	"errors"
	"os"
)

// openLock opens and locks the file of a lock, or returns errHeld.
func openLock(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// removeLock removes the file of a lock and releases it. It removes the file first, while no other
// process holds it.
func removeLock(root *os.Root, name string, f *os.File) error {
	return errors.Join(root.Remove(name), f.Close())
}

// inUse returns false: these systems remove open files.
func inUse(error) bool { return false }
