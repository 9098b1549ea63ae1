package store

import (
	"errors"
	"strconv"
	"strings"
)

// Ask describes a read of an object.
type Ask struct {
	// Range is the requested part; nil requests the whole object.
	Range *ByteRange
	// MaxBytes is the size limit of an object that arrives whole. It applies to whole-object reads
	// and to servers that ignore ranges. 0 leaves the limit to the source. A larger object is a
	// *limits.Error.
	MaxBytes int64
	// Fresh bypasses every cache on the way. The new bytes replace the cached ones.
	Fresh bool
	Hint
}

// Hint says how an object may be read.
type Hint struct {
	// Probe says that the object may well be absent. The caller repeats the read when an answer
	// leaves that open: see [Blocked].
	Probe bool
	// Enough is a size in bytes below which an object may be returned whole. It applies when a read
	// of the object's end would take more than one request.
	Enough int64
	// From is a lower estimate of the offset where the wanted bytes begin; 0 when unknown.
	From int64
}

// Extent holds bytes of an object, a part or all of it, with the version that the answer reports.
type Extent struct {
	Bytes []byte
	// Offset is the position of the bytes in the object. -1 means that they are its last bytes, at
	// an unknown offset.
	Offset int64
	Version
}

// Version identifies one version of an object. The zero Version describes an empty object;
// [Unknown] describes an unknown one.
type Version struct {
	// Size is the object's size in bytes; -1 when unknown.
	Size int64
	// ETag is the object's HTTP entity tag, weak or strong; "" when unknown.
	ETag string
	// Modified is the time of the last change, in the source's own notation; "" when unknown.
	Modified string
	// NotAfter is a condition that locators set: the object did not change after this second since
	// 1970. 0 means no condition.
	NotAfter int64
}

// Strong reports whether the version has a strong entity tag. No other version has the same strong
// tag (RFC 9110, 8.8.1).
func (v Version) Strong() bool { return v.ETag != "" && !strings.HasPrefix(v.ETag, "W/") }

// Unknown is the version of an unknown object.
var Unknown = Version{Size: -1}

// Contradicts reports whether two versions cannot be the same. Tags decide when both versions have
// one, because replicated servers often differ in their dates. Weak tags are compared like strong
// ones (RFC 9110, 8.8.3.2), because a compressing server turns strong tags into weak ones.
func (v Version) Contradicts(u Version) bool {
	switch {
	case v.Size >= 0 && u.Size >= 0 && v.Size != u.Size:
		return true
	case v.ETag != "" && u.ETag != "":
		return opaque(v.ETag) != opaque(u.ETag)
	}
	return v.Modified != "" && u.Modified != "" && v.Modified != u.Modified || v.late(u) || u.late(v)
}

// Permits reports whether a write may replace the current version of an object. It returns nil for
// yes. A different version gives an error that matches [ErrConflict]. When nothing identifies the
// version, the error matches errors.ErrUnsupported.
func (v Version) Permits(current Version, there bool) error {
	switch {
	case !there || v.Contradicts(current):
		return ErrConflict
	case (v.ETag == "" || current.ETag == "") && (v.Modified == "" || current.Modified == ""):
		return errors.ErrUnsupported
	}
	return nil
}

// late reports whether version u changed after the limit of NotAfter.
func (v Version) late(u Version) bool {
	if v.NotAfter == 0 {
		return false
	}
	at, ok := seconds(u.Modified)
	return ok && at > v.NotAfter
}

// seconds parses a time of last change, in seconds since 1970. The text is an HTTP date, or digits
// that count nanoseconds.
func seconds(modified string) (at int64, ok bool) {
	if n, err := strconv.ParseInt(modified, 10, 64); err == nil {
		return n / 1e9, true
	}
	return HTTPDate(modified)
}

// Learn adds the facts that another answer reports about the same version.
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

// AllOf returns the extent of a whole object.
func AllOf(b []byte) Extent { return Extent{Bytes: b, Version: Version{Size: int64(len(b))}} }

// Whole reports whether the extent covers the whole object.
func (e Extent) Whole() bool { return e.Offset == 0 && e.Size == int64(len(e.Bytes)) }

// Slice returns the bytes of a range, if the extent has all of them. The range may differ from the
// one that the extent was read for.
func (e Extent) Slice(r ByteRange) ([]byte, bool) {
	n := int64(len(e.Bytes))
	if r.Short && e.Offset >= 0 && e.Offset+n == e.Size {
		r.Length = min(r.Length, e.Size) // a suffix of the whole object
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

// Cut is Slice with an error, which matches [ErrRange] when the extent lacks the range.
func (e Extent) Cut(name string, r ByteRange) ([]byte, error) {
	b, ok := e.Slice(r)
	if !ok {
		return nil, &KeyError{Op: "get", Key: name, Err: ErrRange}
	}
	return b, nil
}

// Select cuts the requested bytes out of a whole object, for sources that hold it in memory.
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
