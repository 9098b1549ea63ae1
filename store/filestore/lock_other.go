//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package filestore

import (
	"errors"
	"os"
)

// openLock says that there are no locks.
func openLock(*os.Root, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// removeLock is not called: there are no locks.
func removeLock(*os.Root, string, *os.File) error { return nil }

// tryLock says that there are no locks.
func tryLock(*os.File) error { return errors.ErrUnsupported }

// inUse says whether a file could not be removed because it is open: here it can.
func inUse(error) bool { return false }
