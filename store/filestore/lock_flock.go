//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package filestore

import (
	"os"
	"syscall"
)

// tryLock locks an open file, or returns errHeld.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return errHeld
		}
		return err
	}
}
