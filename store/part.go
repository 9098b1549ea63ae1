package store

import "context"

// Part is part of an object, or all of it, with what the answer says of the object.
type Part struct {
	Bytes []byte
	// Offset is where in the object the bytes begin; -1 when nothing is known but that they
	// are its last.
	Offset int64
	// Size is the object's size; -1 when it is not known.
	Size int64
	// ETag is the object's strong entity tag; "" when it is not known.
	ETag string
}

// Whole tells whether the part is all of the object.
func (p Part) Whole() bool { return p.Offset == 0 && p.Size == int64(len(p.Bytes)) }

// Slice returns the bytes of a range, if the part has all of them. The range is
// that of which the part was read, or any other.
func (p Part) Slice(r ByteRange) ([]byte, bool) {
	n := int64(len(p.Bytes))
	if r.Length < 0 || r.Length > n || r.Offset < 0 {
		return nil, false
	}
	from := r.Offset - p.Offset
	switch {
	case r.Suffix:
		if p.Offset >= 0 && p.Size != p.Offset+n {
			return nil, false
		}
		from = n - r.Length
	case p.Offset < 0 || from < 0 || from > n-r.Length:
		return nil, false
	}
	return p.Bytes[from : from+r.Length : from+r.Length], true
}

// PartReader is a store that tells, with the bytes, what it learned of their object.
type PartReader interface {
	RangeReader
	// GetPart returns at least the bytes of the range; nil wants the whole object. It may
	// return more, where the hint says so or the store has got it anyway. Errors are those
	// of Get and GetRange.
	GetPart(ctx context.Context, key string, r *ByteRange, hint Hint) (Part, error)
}

// Hint says how an object may be read.
type Hint struct {
	// Probe says that the object may well be absent, and that the caller asks again where an answer leaves that
	// open: see [Blocked].
	Probe bool
	// Enough is how many bytes more than asked for are no loss where the end of an object takes more than one
	// request: an object of that size may be returned whole.
	Enough int64
	// From is where the bytes that are wanted likely begin, or a little before it; 0 when nothing is known.
	From int64
}

// Read reads a range as [PartReader.GetPart] does, of any store: of one that can only
// read whole objects, the whole object.
func Read(ctx context.Context, s Store, key string, r *ByteRange, hint Hint) (Part, error) {
	if p, ok := s.(PartReader); ok {
		return p.GetPart(ctx, key, r, hint)
	}
	if ranges, ok := s.(RangeReader); ok && r != nil {
		data, err := ranges.GetRange(ctx, key, *r)
		part := Part{Bytes: data, Offset: r.Offset, Size: -1}
		if r.Suffix {
			part.Offset = -1
		}
		return part, err
	}
	data, err := s.Get(ctx, key)
	if err != nil {
		return Part{}, err
	}
	size := int64(len(data))
	if r != nil {
		if _, _, err := r.Resolve(size); err != nil {
			return Part{}, &KeyError{"get", key, err}
		}
	}
	return Part{Bytes: data, Size: size}, nil
}
