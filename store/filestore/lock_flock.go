//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package filestore

import (
	"errors"
	"os"
	"syscall"
)

// openLock opens the file of a lock and locks it, or returns errHeld.
func openLock(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if err == syscall.EWOULDBLOCK {
		err = errHeld
	}
	return nil, err
}

// removeLock lets go of a lock whose file goes with it: first the file, while no one else has it.
func removeLock(root *os.Root, name string, f *os.File) error {
	return errors.Join(root.Remove(name), f.Close())
}
