//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package filestore

import (
	"errors"
	"os"
)

// openLock fails: this system has no locks.
func openLock(*os.Root, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// removeLock is never called, because this system has no locks.
func removeLock(*os.Root, string, *os.File) error { return nil }

// tryLock fails: this system has no locks.
func tryLock(*os.File) error { return errors.ErrUnsupported }

// inUse returns false: this system removes open files.
func inUse(error) bool { return false }
