package store

import (
	"context"
	"errors"
)

// Writer is a store that writes objects.
type Writer interface {
	// Set writes a whole object and replaces the present one. A reader sees the old bytes or the
	// new ones, never a mixture. After an error either may be present; in a directory or memory it
	// is the old object. Set does not keep the data after it returns.
	Set(ctx context.Context, key string, data []byte) error
}

// Deleter is a store that deletes objects.
type Deleter interface {
	// Delete deletes an object. An absent object is no error.
	Delete(ctx context.Context, key string) error
	// DeleteAll deletes the objects below a prefix, or all objects for "". An empty prefix is no
	// error. After an error, some objects may be gone.
	DeleteAll(ctx context.Context, prefix string) error
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

// Locker is a store that locks keys against other writers.
type Locker interface {
	// Lock waits for the lock of the key and takes it. The lock is advisory: writes do not check
	// it. It ends with its process. Call unlock once.
	Lock(ctx context.Context, key string) (unlock func() error, err error)
}

// ErrConflict reports that an object is not of the version to be replaced.
var ErrConflict = errors.New("the object is of another version than the one to be replaced")

// ErrUnsettled reports that a conditional write got no answer and may or may not have happened.
// Sending it again would not settle that, because the first attempt may have replaced the version.
// The caller must read the object again.
var ErrUnsettled = errors.New("it is not known whether the object was written")

// Writes reports whether a store accepts writes. It must be a [Writer]. A store that wraps another
// one reports false by a method Writes() bool if that one is no Writer.
func Writes(s any) bool {
	if _, ok := s.(Writer); !ok {
		return false
	}
	w, ok := s.(interface{ Writes() bool })
	return !ok || w.Writes()
}

// Compares reports whether a store compares versions. It must be [Conditional]. A store that wraps
// another one reports false by a method Compares() bool if that one is not.
func Compares(s any) bool {
	if _, ok := s.(Conditional); !ok {
		return false
	}
	c, ok := s.(interface{ Compares() bool })
	return !ok || c.Compares()
}

// AtOnce reports whether the store's DeleteAll deletes all or nothing, even when it is interrupted.
// The store reports it by a method AtOnce() bool.
func AtOnce(s any) bool {
	d, ok := s.(interface{ AtOnce() bool })
	return ok && d.AtOnce()
}

// Set writes an object to a store. If the store is no [Writer], the error matches
// errors.ErrUnsupported.
func Set(ctx context.Context, s any, key string, data []byte) error {
	if w, ok := s.(Writer); ok {
		return w.Set(ctx, key, data)
	}
	return cannot("set", key)
}

// Delete deletes an object of a store. If the store is no [Deleter], the error matches
// errors.ErrUnsupported.
func Delete(ctx context.Context, s any, key string) error {
	if d, ok := s.(Deleter); ok {
		return d.Delete(ctx, key)
	}
	return cannot("delete", key)
}

// DeleteAll deletes the objects below a prefix. If the store is no [Deleter], the error matches
// errors.ErrUnsupported.
func DeleteAll(ctx context.Context, s any, prefix string) error {
	if d, ok := s.(Deleter); ok {
		return d.DeleteAll(ctx, prefix)
	}
	return cannot("delete", prefix)
}

// Create writes a new object. If the store is not [Conditional], the error matches
// errors.ErrUnsupported.
func Create(ctx context.Context, s any, key string, data []byte) error {
	if c, ok := s.(Conditional); ok {
		return c.Create(ctx, key, data)
	}
	return cannot("set", key)
}

// Replace writes over one version of an object. If the store is not [Conditional], the error
// matches errors.ErrUnsupported.
func Replace(ctx context.Context, s any, key string, data []byte, old Version) error {
	if c, ok := s.(Conditional); ok {
		return c.Replace(ctx, key, data, old)
	}
	return cannot("set", key)
}

// Remove deletes one version of an object. If the store is not [Conditional], the error matches
// errors.ErrUnsupported.
func Remove(ctx context.Context, s any, key string, old Version) error {
	if c, ok := s.(Conditional); ok {
		return c.Remove(ctx, key, old)
	}
	return cannot("delete", key)
}

// Lock takes the lock of a key. If the store is no [Locker], the error matches
// errors.ErrUnsupported.
func Lock(ctx context.Context, s any, key string) (unlock func() error, err error) {
	if l, ok := s.(Locker); ok {
		return l.Lock(ctx, key)
	}
	return nil, cannot("lock", key)
}

func cannot(op, key string) error { return &KeyError{op, key, errors.ErrUnsupported} }

// CheckFor returns the context's error, or that of [CheckKey] with another operation than "get".
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

// The locator of [Plain] writes to its source.

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
