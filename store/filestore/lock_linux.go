package filestore

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// setLock is F_OFD_SETLK of fcntl(2): the lock is that of the open file, not of the process, and goes when it is closed.
const setLock = 37

// openLock opens the file of a lock and locks it, or returns errHeld.
func openLock(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	for {
		err = syscall.FcntlFlock(f.Fd(), setLock, &lock)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if err == syscall.EAGAIN || err == syscall.EACCES {
		err = errHeld
	}
	return nil, err
}

// removeLock lets go of a lock whose file goes with it: first the file, while no one else has it.
func removeLock(root *os.Root, name string, f *os.File) error {
	return errors.Join(root.Remove(name), f.Close())
}
