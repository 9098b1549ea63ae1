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
