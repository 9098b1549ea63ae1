//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filestore

import (
	"errors"
	"os"
)

// openLock opens the file of a lock and locks it, or returns errHeld.
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

// removeLock releases a lock whose file goes with it: first the file, while nothing else has it.
func removeLock(root *os.Root, name string, f *os.File) error {
	return errors.Join(root.Remove(name), f.Close())
}

// inUse says whether a file could not be removed because it is open: here it can.
func inUse(error) bool { return false }
