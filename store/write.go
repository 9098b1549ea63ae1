package store

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
)

// Writer is a store that writes and deletes objects.
type Writer interface {
	// Set writes a whole object and replaces the present one. A reader sees the old bytes or the
	// new ones, never a mixture. After an error either may be present; in a directory or memory it
	// is the old object. Set does not keep the data after it returns.
	Set(ctx context.Context, key string, data []byte) error
	// Delete deletes an object. An absent object is not an error. The error of a store that cannot
	// delete matches errors.ErrUnsupported.
	Delete(ctx context.Context, key string) error
	// DeleteAll deletes the objects below a prefix, or all objects for "". An empty prefix is no
	// error. After an error, some objects may be gone. Errors also include those of Delete.
	DeleteAll(ctx context.Context, prefix string) error
	// DeletesAtomically reports whether DeleteAll deletes all or nothing, even when it is
	// interrupted.
	DeletesAtomically() bool
}

// Conditional is a store that writes only if the present version matches an expectation.
type Conditional interface {
	// Create writes a new object. If the object exists, the error matches fs.ErrExist.
	Create(ctx context.Context, key string, data []byte) error
	// Replace writes over one version of an object, as a read returned it. If the object is absent
	// or of another version, the error matches [ErrConflict]. If the store cannot compare the
	// version, the error matches errors.ErrUnsupported.
	Replace(ctx context.Context, key string, data []byte, old Version) error
	// Remove deletes one version of an object. Its errors are those of Replace.
	Remove(ctx context.Context, key string, old Version) error
}

// Copier is a writer that copies objects of some sources without their bytes in this program's
// memory.
type Copier interface {
	// CopyFrom writes a whole object of a source under a key, like [Writer].Set. If it cannot copy
	// from the source, or the size does not fit, the error matches errors.ErrUnsupported, and nothing
	// is written. Other errors are those of Set and of [Source].Read.
	CopyFrom(ctx context.Context, key string, from Source, name string, fits func(size int64) bool) error
}

// Locker is a store that locks keys against other writers.
type Locker interface {
	// Lock waits for the lock of the key and takes it. The lock is advisory: writes do not check
	// it. It ends with its process. Call unlock once.
	Lock(ctx context.Context, key string) (unlock func() error, err error)
}

// ErrConflict reports that an object is not of the version to be replaced.
var ErrConflict = errors.New("the object has another version than the one to replace")

// ErrUnsettled reports that a conditional write got no answer and may or may not have happened.
// Sending it again would not settle that, because the first attempt may have replaced the version.
// The caller must read the object again.
var ErrUnsettled = errors.New("whether the object was written is unknown")

// CheckFor returns the context's error, or that of [CheckKey] with another operation than "get".
func CheckFor(ctx context.Context, op, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var e *KeyError
	if err := CheckKey(key); errtype.As(err, &e) {
		return &KeyError{op, key, e.Err}
	}
	return nil
}
