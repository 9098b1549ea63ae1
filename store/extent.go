package store

import (
	"errors"
	"strconv"
	"strings"
)

// Ask says what is asked of an object.
type Ask struct {
	// Range is the part that is wanted; nil wants the whole object.
	Range *ByteRange
	// Most is the size of the largest object that is taken where all of it comes, because it was asked for or
	// because a server does not know ranges; 0 leaves it to the source. More is a *limits.Error.
	Most int64
	// Fresh wants bytes past every cache on the way, and their place in it taken by the new ones.
	Fresh bool
	Hint
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

// Extent is bytes of an object, part of it or all, with what the answer says of the object.
type Extent struct {
	Bytes []byte
	// Offset is where in the object the bytes begin; -1 when nothing is known but that they
	// are its last.
	Offset int64
	Version
}

// Version is what is known of one version of an object. The zero Version says that an
// object has no bytes: one of which nothing is known is [Unknown].
type Version struct {
	// Size is the object's size; -1 when it is not known.
	Size int64
	// ETag is the object's entity tag, as HTTP has it, weak or strong; "" when it is not known.
	ETag string
	// Modified is when the object was last changed, as its source writes it; "" when it is not known.
	Modified string
	// NotAfter is a condition, of versions that a locator relies on: the object was not changed after this second since 1970. 0 is
	// none.
	NotAfter int64
}

// Strong tells whether the version has a strong entity tag, which no other version has (RFC 9110, 8.8.1).
func (v Version) Strong() bool { return v.ETag != "" && !strings.HasPrefix(v.ETag, "W/") }

// Unknown is the version of an object of which nothing is known.
var Unknown = Version{Size: -1}

// Contradicts tells whether two versions cannot be the same. Tags decide where both have one: servers that
// answer for each other often differ in their dates. Weak tags are compared as if they were strong ones (RFC 9110, 8.8.3.2): a
// server that compresses makes a weak tag of a strong one.
func (v Version) Contradicts(u Version) bool {
	switch {
	case v.Size >= 0 && u.Size >= 0 && v.Size != u.Size:
		return true
	case v.ETag != "" && u.ETag != "":
		return opaque(v.ETag) != opaque(u.ETag)
	}
	return v.Modified != "" && u.Modified != "" && v.Modified != u.Modified || v.late(u) || u.late(v)
}

// Permits says of a version that is to be replaced whether an object may be written over: nil, or an error that
// matches [ErrConflict] or, where the version says nothing that tells it from another one, errors.ErrUnsupported.
func (v Version) Permits(current Version, there bool) error {
	switch {
	case !there || v.Contradicts(current):
		return ErrConflict
	case (v.ETag == "" || current.ETag == "") && (v.Modified == "" || current.Modified == ""):
		return errors.ErrUnsupported
	}
	return nil
}

// late tells whether another version was changed after what the condition allows.
func (v Version) late(u Version) bool {
	if v.NotAfter == 0 {
		return false
	}
	at, ok := seconds(u.Modified)
	return ok && at > v.NotAfter
}

// seconds reads the time of a last change, in seconds since 1970: a date as HTTP has it, or digits, which are
// nanoseconds.
func seconds(modified string) (at int64, ok bool) {
	if n, err := strconv.ParseInt(modified, 10, 64); err == nil {
		return n / 1e9, true
	}
	return HTTPDate(modified)
}

// Learn adds what another answer says of the same version.
func (v *Version) Learn(u Version) {
	if u.Size >= 0 {
		v.Size = u.Size
	}
	if u.ETag != "" {
		v.ETag = u.ETag
	}
	if u.Modified != "" {
		v.Modified = u.Modified
	}
	if u.NotAfter != 0 && (v.NotAfter == 0 || u.NotAfter < v.NotAfter) {
		v.NotAfter = u.NotAfter
	}
}

func opaque(etag string) string {
	if len(etag) > 2 && etag[:2] == "W/" {
		return etag[2:]
	}
	return etag
}

// AllOf is the extent that is a whole object.
func AllOf(b []byte) Extent { return Extent{Bytes: b, Version: Version{Size: int64(len(b))}} }

// Whole tells whether the extent is all of the object.
func (e Extent) Whole() bool { return e.Offset == 0 && e.Size == int64(len(e.Bytes)) }

// Slice returns the bytes of a range, if the extent has all of them. The range is
// that for which the extent was read, or any other.
func (e Extent) Slice(r ByteRange) ([]byte, bool) {
	n := int64(len(e.Bytes))
	if r.Short && e.Offset >= 0 && e.Offset+n == e.Size {
		r.Length = min(r.Length, e.Size) // a suffix of all of it
		if !r.Suffix {
			r.Length = min(r.Length, max(e.Size-r.Offset, 0))
		}
	}
	if r.Length < 0 || r.Length > n || r.Offset < 0 {
		return nil, false
	}
	from := r.Offset - e.Offset
	switch {
	case r.Suffix:
		if e.Offset >= 0 && e.Size != e.Offset+n {
			return nil, false
		}
		from = n - r.Length
	case e.Offset < 0 || from < 0 || from > n-r.Length:
		return nil, false
	}
	return e.Bytes[from : from+r.Length : from+r.Length], true
}

// Cut is Slice with an error that matches [ErrRange] where the extent does not have the range.
func (e Extent) Cut(name string, r ByteRange) ([]byte, error) {
	b, ok := e.Slice(r)
	if !ok {
		return nil, &KeyError{Op: "get", Key: name, Err: ErrRange}
	}
	return b, nil
}

// Select cuts what was asked for out of a whole object, for sources that have all of it.
func Select(name string, b []byte, ask Ask) (Extent, error) {
	whole := AllOf(b)
	if ask.Range == nil {
		return whole, nil
	}
	from, to, err := ask.Range.Resolve(whole.Size)
	if err != nil {
		return Extent{}, &KeyError{Op: "get", Key: name, Err: err}
	}
	whole.Bytes, whole.Offset = b[from:to:to], from
	return whole, nil
}
