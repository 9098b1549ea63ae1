package store

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
)

// ReadFunc reads an object of a source. It is [Source.Read] or the object layer's version of it.
type ReadFunc func(ctx context.Context, s Source, name string, ask Ask) (Extent, error)

// ReadKey locates a key and reads from its location.
func ReadKey(ctx context.Context, l Locator, key string, ask Ask, read ReadFunc) (Extent, error) {
	at, err := l.Locate(ctx, key)
	if err != nil {
		return Extent{}, err
	}
	e, err := at.Read(ctx, key, ask, read)
	for at.Else != nil {
		at = *at.Else
	}
	if at.Length >= 0 && errors.Is(err, fs.ErrNotExist) {
		// a missing container is not an absent key
		err = &KeyError{Op: "get", Key: key, Err: ErrRange}
	}
	return e, err
}

// Read reads a key's bytes at a location, or at the first alternative whose object exists. Offsets
// and sizes of the extent refer to the key's bytes.
func (l *Location) Read(ctx context.Context, key string, ask Ask, read ReadFunc) (Extent, error) {
	for {
		e, err := l.read(ctx, key, ask, read)
		if l.Else == nil || !errors.Is(err, fs.ErrNotExist) {
			return e, err
		}
		l = l.Else
	}
}

func (l *Location) read(ctx context.Context, key string, ask Ask, read ReadFunc) (Extent, error) {
	p := l.Packed
	if p == nil {
		return l.stored(ctx, key, ask, read)
	}
	if ask.Range != nil && p.Exact != nil {
		exact, err := p.Exact(ctx)
		if err != nil {
			return Extent{}, err
		}
		return exact.stored(ctx, key, ask, read)
	}
	if err := admit(key, p.Size, ask); err != nil {
		return Extent{}, err
	}
	stored, err := l.stored(ctx, key, Ask{Fresh: ask.Fresh, MaxBytes: p.Stored}, read)
	if err != nil {
		return Extent{}, err
	}
	b, err := p.Decode(ctx, stored.Bytes, ask.MaxBytes)
	if err != nil {
		return Extent{}, &KeyError{Op: "decode", Key: key, Err: err}
	}
	e, err := Select(key, b, ask)
	e.ETag, e.Modified = stored.ETag, stored.Modified
	return e, err
}

// admit rejects a key above the size limit before any byte is read.
func admit(key string, size int64, ask Ask) error {
	if ask.MaxBytes > 0 && size > ask.MaxBytes {
		return &KeyError{Op: "get", Key: key, Err: limits.Encoded(ask.MaxBytes, size, "the object")}
	}
	return nil
}

// stored reads the bytes in their stored form.
func (l *Location) stored(ctx context.Context, key string, ask Ask, read ReadFunc) (Extent, error) {
	switch {
	case l.Source == nil:
		return Select(key, l.Inline, ask)
	case l.Length == ToEnd:
		return l.check(read(ctx, l.Source, l.Name, ask))
	}
	from, to := int64(0), l.Length
	if ask.Range != nil {
		var err error
		if from, to, err = ask.Range.Resolve(l.Length); err != nil {
			return Extent{}, &KeyError{Op: "get", Key: key, Err: err}
		}
	} else if err := admit(key, to, ask); err != nil {
		return Extent{}, err
	}
	e := Extent{Bytes: []byte{}}
	if from < to {
		r := ByteRange{Offset: l.Offset + from, Length: to - from}
		var err error
		if e, err = l.check(read(ctx, l.Source, l.Name, Ask{Range: &r, Fresh: ask.Fresh})); err != nil {
			return Extent{}, err
		}
		if e.Bytes, err = e.Cut(key, r); err != nil {
			return Extent{}, err
		}
	}
	e.Offset, e.Size = from, l.Length
	return e, nil
}

// Slice returns the location of a part of the key's bytes. An error matches [ErrRange].
func (l Location) Slice(key string, offset, length int64) (Location, error) {
	known := l.Length
	if l.Source == nil {
		known = int64(len(l.Inline))
	}
	if offset < 0 || length < 0 || offset > math.MaxInt64-length || l.Packed == nil && known != ToEnd && offset+length > known {
		return Location{}, &KeyError{Op: "get", Key: key, Err: ErrRange}
	}
	switch {
	case l.Packed != nil:
		l.Packed = l.Packed.slice(key, offset, length)
	case l.Source == nil:
		l.Inline = l.Inline[offset : offset+length : offset+length]
	default:
		l.Offset, l.Length = l.Offset+offset, length
	}
	if l.Else != nil {
		other, err := l.Else.Slice(key, offset, length)
		if err != nil {
			return Location{}, err
		}
		l.Else = &other
	}
	return l, nil
}

// slice decodes a part of the key's bytes.
func (p *Packed) slice(key string, offset, length int64) *Packed {
	slice := &Packed{Size: length, Stored: p.Stored}
	slice.Decode = func(ctx context.Context, stored []byte, _ int64) ([]byte, error) {
		b, err := p.Decode(ctx, stored, 1<<30) // the whole may be much larger than the part
		if err == nil && offset+length > int64(len(b)) {
			err = ErrRange
		}
		if err != nil {
			return nil, err
		}
		return b[offset : offset+length : offset+length], nil
	}
	if p.Exact != nil {
		slice.Exact = func(ctx context.Context) (Location, error) {
			at, err := p.Exact(ctx)
			if err != nil {
				return Location{}, err
			}
			return at.Slice(key, offset, length)
		}
	}
	return slice
}

// check rejects bytes of another version than the locator expects. An object that the locator has
// seen before counts as changed when it is now absent or too short for the location.
func (l *Location) check(e Extent, err error) (Extent, error) {
	var other bool
	switch {
	case l.Version == (Version{}):
	case err == nil:
		other = l.Version.Contradicts(e.Version)
	default:
		other = l.Else == nil && errors.Is(err, fs.ErrNotExist) || l.Length >= 0 && errors.Is(err, ErrRange)
	}
	if other {
		return Extent{}, &KeyError{Op: "get", Key: l.Name, Err: ErrChanged}
	}
	return e, err
}
