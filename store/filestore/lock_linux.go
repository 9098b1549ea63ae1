package filestore

import (
	"io"
	"os"
	"syscall"
)

// setLock is F_OFD_SETLK of fcntl(2). The open file owns the lock, not the process. Closing the
// file releases the lock.
const setLock = 37

// tryLock locks an open file, or returns errHeld.
func tryLock(f *os.File) error {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	for {
		err := syscall.FcntlFlock(f.Fd(), setLock, &lock)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN, syscall.EACCES:
			return errHeld
		}
		return err
	}
}
