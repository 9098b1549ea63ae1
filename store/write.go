package store

import (
	"context"
	"errors"
)

// Writer is a store to which objects can be written.
type Writer interface {
	// Set writes an object, all of it, over the one that is there. A reader sees the old bytes or the new ones, never some
	// of both; after an error it may be either, and where the store is a directory or memory it is the old. The data is the
	// caller's again when Set returns.
	Set(ctx context.Context, key string, data []byte) error
}

// Deleter is a store of which objects can be deleted.
type Deleter interface {
	// Delete deletes an object. One that is absent is no error.
	Delete(ctx context.Context, key string) error
	// DeleteAll deletes the objects below a prefix, all that are there for "". That there are none is no error; after an
	// error, some may be gone.
	DeleteAll(ctx context.Context, prefix string) error
}

// Conditional is a store that writes where what is there is what the writer thinks.
type Conditional interface {
	// Create writes an object that is not there yet. For one that is, the error matches fs.ErrExist.
	Create(ctx context.Context, key string, data []byte) error
	// Replace writes over one version of an object, as a read of it returned. Where the object is of another version, or
	// absent, the error matches [ErrConflict]; where the version says nothing that the store can compare,
	// errors.ErrUnsupported.
	Replace(ctx context.Context, key string, data []byte, old Version) error
	// Remove deletes one version of an object. Errors are those of Replace.
	Remove(ctx context.Context, key string, old Version) error
}

// Locker is a store that can keep other writers away from a key.
type Locker interface {
	// Lock waits until no one else holds the lock of the key, and takes it. It binds those who lock: a write does not ask
	// after it. The lock goes with its process. unlock is called once.
	Lock(ctx context.Context, key string) (unlock func() error, err error)
}

// ErrConflict says that an object is not of the version that was to be replaced.
var ErrConflict = errors.New("the object is of another version than the one to be replaced")

// ErrUnsettled says that a conditional write may have been done or not, because its answer did not come. To send it again would not tell: what
// was to be replaced may be gone because it has been. Who reads the object again can go on.
var ErrUnsettled = errors.New("it is not known whether the object was written")

// Writes tells whether objects can be written to a store: whether it is a [Writer], and not one of which
// a method Writes() bool says that it stands on a store that is none.
func Writes(s any) bool {
	if _, ok := s.(Writer); !ok {
		return false
	}
	w, ok := s.(interface{ Writes() bool })
	return !ok || w.Writes()
}

// Compares tells whether a store compares versions: whether it is [Conditional], and not one of which a method Compares() bool says that it
// stands on a store that is not.
func Compares(s any) bool {
	if _, ok := s.(Conditional); !ok {
		return false
	}
	c, ok := s.(interface{ Compares() bool })
	return !ok || c.Compares()
}

// AtOnce tells whether DeleteAll of a store deletes all or nothing, also where it is ended: by a method AtOnce() bool.
func AtOnce(s any) bool {
	d, ok := s.(interface{ AtOnce() bool })
	return ok && d.AtOnce()
}

// Set writes an object to a store. The error of one that is no [Writer] matches errors.ErrUnsupported.
func Set(ctx context.Context, s any, key string, data []byte) error {
	if w, ok := s.(Writer); ok {
		return w.Set(ctx, key, data)
	}
	return cannot("set", key)
}

// Delete deletes an object of a store. The error of one that is no [Deleter] matches errors.ErrUnsupported.
func Delete(ctx context.Context, s any, key string) error {
	if d, ok := s.(Deleter); ok {
		return d.Delete(ctx, key)
	}
	return cannot("delete", key)
}

// DeleteAll deletes the objects below a prefix. The error of a store that is no [Deleter] matches errors.ErrUnsupported.
func DeleteAll(ctx context.Context, s any, prefix string) error {
	if d, ok := s.(Deleter); ok {
		return d.DeleteAll(ctx, prefix)
	}
	return cannot("delete", prefix)
}

// Create writes an object that is not there yet. The error of a store that is not [Conditional] matches
// errors.ErrUnsupported.
func Create(ctx context.Context, s any, key string, data []byte) error {
	if c, ok := s.(Conditional); ok {
		return c.Create(ctx, key, data)
	}
	return cannot("set", key)
}

// Replace writes over one version of an object. The error of a store that is not [Conditional] matches
// errors.ErrUnsupported.
func Replace(ctx context.Context, s any, key string, data []byte, old Version) error {
	if c, ok := s.(Conditional); ok {
		return c.Replace(ctx, key, data, old)
	}
	return cannot("set", key)
}

// Remove deletes one version of an object. The error of a store that is not [Conditional] matches errors.ErrUnsupported.
func Remove(ctx context.Context, s any, key string, old Version) error {
	if c, ok := s.(Conditional); ok {
		return c.Remove(ctx, key, old)
	}
	return cannot("delete", key)
}

// Lock takes the lock of a key. The error of a store that is no [Locker] matches errors.ErrUnsupported.
func Lock(ctx context.Context, s any, key string) (unlock func() error, err error) {
	if l, ok := s.(Locker); ok {
		return l.Lock(ctx, key)
	}
	return nil, cannot("lock", key)
}

func cannot(op, key string) error { return &KeyError{op, key, errors.ErrUnsupported} }

// CheckFor is [CheckKey], and the context's error, for another operation than reading.
func CheckFor(ctx context.Context, op, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var e *KeyError
	if err := CheckKey(key); errors.As(err, &e) {
		return &KeyError{op, key, e.Err}
	}
	return nil
}

// The source of [Plain] writes what its locator does.

func (p plain) Set(ctx context.Context, key string, data []byte) error {
	return Set(ctx, p.source, key, data)
}
func (p plain) Delete(ctx context.Context, key string) error { return Delete(ctx, p.source, key) }
func (p plain) DeleteAll(ctx context.Context, prefix string) error {
	return DeleteAll(ctx, p.source, prefix)
}
func (p plain) Create(ctx context.Context, key string, data []byte) error {
	return Create(ctx, p.source, key, data)
}
func (p plain) Replace(ctx context.Context, key string, data []byte, old Version) error {
	return Replace(ctx, p.source, key, data, old)
}
func (p plain) Remove(ctx context.Context, key string, old Version) error {
	return Remove(ctx, p.source, key, old)
}
func (p plain) Lock(ctx context.Context, key string) (func() error, error) {
	return Lock(ctx, p.source, key)
}
func (p plain) Writes() bool   { return Writes(p.source) }
func (p plain) Compares() bool { return Compares(p.source) }
func (p plain) AtOnce() bool   { return AtOnce(p.source) }
