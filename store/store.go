// Package store defines the interfaces between zarr-wasm and places that hold Zarr data.
//
// Two kinds of things stand below the reader. A [Source] holds objects: it reads them by name,
// whole or in part, and reports their versions. A [Locator] maps a key to a location: a source, an
// object and an offset. [Plain] makes the simplest locator of a source, in which each key names an
// object. A zip archive, a set of references and an overlay are other locators. Locators compose,
// because each is built on locators again.
//
// Reading packages never call a source themselves. They use the object layer (package
// internal/object), which shares, merges, caches and checks reads by physical object.
//
// Keys and names are slash-separated, without a leading slash, and never contain "." or ".."
// segments ([CheckKey]). Every method is safe for concurrent use. It returns soon after its context
// ends, with the context's error. Callers must not change the bytes that a source returns, because
// a source may hand the same bytes to others.
//
// An absent object is an error that matches [io/fs.ErrNotExist]. No other failure matches it: a
// failing server, a network that is down, or a refused permission.
//
// Package storetest has the suite that every store passes.
package store

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
)

// Source holds objects.
type Source interface {
	// Read returns at least the requested bytes. It may return more of the object at no extra cost.
	// The error for an absent object matches fs.ErrNotExist. The error for a range beyond the
	// object matches [ErrRange].
	Read(ctx context.Context, name string, ask Ask) (Extent, error)
}

// Locator maps keys to the locations of their bytes.
type Locator interface {
	// Locate returns the location of a key. The location may be of an absent object: then the read
	// reports it. A key that is known to be absent is an error that matches fs.ErrNotExist.
	Locate(ctx context.Context, key string) (Location, error)
}

// Location says where the bytes of a key lie: in an object or inline, plain or packed.
type Location struct {
	// Object is the object that has the bytes. Without a Source, the bytes are Inline.
	Object
	// Inline holds the bytes.
	Inline []byte
	// Packed, if set, makes the key's bytes of these bytes.
	Packed *Packed
	// Else, if set, is the alternative location for an absent object.
	Else *Location
}

// Object is a range of an object of a source, or all of the object.
type Object struct {
	Source Source
	Name   string
	// Offset and Length select bytes of the object. A Length of ToEnd selects the whole object;
	// then the offset is 0.
	Offset, Length int64
	// Version is the version that the locator relies on. Bytes of another version are rejected. The
	// zero Version accepts any.
	Version Version
}

// ToEnd is the length of an [Object] that covers all of it.
const ToEnd = -1

// Packed describes bytes that are stored in another form, such as compressed in an archive.
type Packed struct {
	// Decode decodes all stored bytes into the key's bytes. The result has at most `most` bytes,
	// without a limit if that is 0. A larger result is an error.
	Decode func(ctx context.Context, stored []byte, most int64) ([]byte, error)
	// Size is the number of bytes that Decode returns; 0 when unknown.
	Size int64
	// Stored is the size limit in bytes of an object passed to Decode; 0 leaves it to the source.
	Stored int64
	// Exact, if set, returns a location where the same bytes are not packed, for reads of a part.
	Exact func(ctx context.Context) (Location, error)
}

// Whole reports whether the location is a whole object of a source, not packed.
func (l *Location) Whole() bool { return l.Source != nil && l.Length == ToEnd && l.Packed == nil }

// At returns the location of an object of a source.
func At(s Source, name string) Location {
	return Location{Object: Object{Source: s, Name: name, Length: ToEnd}}
}

// Plain returns the locator that maps each key to the object of that name. It has the capabilities
// of the source.
func Plain(s Source) Locator { return plain{s} }

type plain struct{ source Source }

func (p plain) Locate(_ context.Context, key string) (Location, error) { return At(p.source, key), nil }

func (p plain) Capabilities() Capabilities {
	c := *SourceCapabilities(p.source)
	c.Source = p.source
	return c
}

// Refresher is a locator that caches data for locating keys.
type Refresher interface {
	// Refresh discards that data, after objects turned out to be of other versions.
	Refresh()
}

// Preparer is a locator that reads data for locating keys.
type Preparer interface {
	// Prepare reads the data for all these keys at once. A failure becomes the error of the
	// affected keys when they are located.
	Prepare(ctx context.Context, keys []string)
}

// Objects reads objects through the object layer: shared, cached, within limits. Locators that read
// data for locating keys receive one.
type Objects interface {
	// Extent reads part of a source's object, or all of it.
	Extent(ctx context.Context, s Source, name string, ask Ask) (Extent, error)
}

// Lister is a store that can list its keys.
type Lister interface {
	// List returns the sorted names directly below a prefix ("" or "a/b"). Folders have a trailing
	// slash. An unknown prefix gives an empty list. If the server cannot list, the error matches
	// [errors.ErrUnsupported], and the contents are unknown.
	List(ctx context.Context, prefix string) ([]string, error)
	// ListsAll reports whether lists are complete. Incomplete lists show present names, but do not
	// prove absence.
	ListsAll() bool
}

// Batcher is a source that reads many small objects at lower cost in one call.
type Batcher interface {
	// ReadAll returns all bytes of each object. The error is the context's.
	ReadAll(ctx context.Context, names []string) ([]Found, error)
}

// Remote is a source that needs a network round trip for every request.
type Remote interface {
	// Address returns the address of a key's object for messages; "" when unknown. A key that ends
	// with a slash names a folder, and "" names the store.
	Address(key string) string
	// Itself returns a source and a name for the object at the store's own address; a nil source if
	// there is none.
	Itself() (Source, string)
}

// Found is an object, or the reason for its failure.
type Found struct {
	Bytes []byte
	Err   error
}

// Reuser is a source that can reuse memory.
type Reuser interface {
	// Reuse returns the bytes of a Read to the source. Only their sole reader may call it, after
	// its last access.
	Reuse(b []byte)
}

// Get reads all bytes of an object.
func Get(ctx context.Context, s Source, name string) ([]byte, error) {
	e, err := s.Read(ctx, name, Ask{})
	return e.Bytes, err
}

// GetRange reads exactly the bytes of a range.
func GetRange(ctx context.Context, s Source, name string, r ByteRange) ([]byte, error) {
	e, err := s.Read(ctx, name, Ask{Range: &r})
	if err != nil {
		return nil, err
	}
	return e.Cut(name, r)
}

// ByteRange is a part of an object: Length bytes from Offset, or, when Suffix is true, the last
// Length bytes.
type ByteRange struct {
	Offset, Length int64
	Suffix         bool
	// Short accepts an object that has fewer bytes than the range, and selects those.
	Short bool
}

// Resolve turns the range into offsets for an object of that size. It returns ErrRange if the
// object lacks these bytes.
func (r ByteRange) Resolve(size int64) (from, to int64, err error) {
	if r.Short {
		r.Length = min(r.Length, size)
		if !r.Suffix {
			r.Length = min(r.Length, max(size-r.Offset, 0))
			r.Offset = min(r.Offset, size)
		}
	}
	if r.Length < 0 || r.Offset < 0 || r.Length > size || !r.Suffix && r.Offset > size-r.Length {
		return 0, 0, ErrRange
	}
	if r.Suffix {
		return size - r.Length, size, nil
	}
	return r.Offset, r.Offset + r.Length, nil
}

// String formats the range like HTTP: "bytes=a-b" or "bytes=-n".
func (r ByteRange) String() string {
	if r.Suffix {
		return "bytes=-" + strconv.FormatInt(r.Length, 10)
	}
	return "bytes=" + strconv.FormatInt(r.Offset, 10) + "-" + strconv.FormatInt(r.Offset+r.Length-1, 10)
}

// ErrRange reports that an object lacks some of the requested bytes.
var ErrRange = errors.New("range beyond the end of the object")

// ErrChanged reports that an object changed between two reads.
var ErrChanged = errors.New("the object changed while it was read")

// KeyError is an error of a store about one key.
type KeyError struct {
	Op  string // "get", "list", or "decode" for bytes that were read
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Op + " " + strconv.Quote(e.Key) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *KeyError) Unwrap() error { return e.Err }

// NotFound returns the error for an absent key.
//
//go:noinline
func NotFound(key string) error { return &KeyError{"get", key, fs.ErrNotExist} }

// MaybeMissing reports whether some servers give this error for absent objects, although it need
// not mean absence. The error implements MaybeMissing() bool.
func MaybeMissing(err error) bool {
	var m interface {
		error
		MaybeMissing() bool
	}
	return errtype.As(err, &m) && m.MaybeMissing()
}

// Blocked reports whether a browser may have hidden the answer behind this error. The page cannot
// distinguish a missing answer from one that it may not see. Some servers allow pages to read their
// objects, but hide answers for absent ones. The error implements Blocked() bool.
func Blocked(err error) bool {
	var b interface {
		error
		Blocked() bool
	}
	return errtype.As(err, &b) && b.Blocked()
}

// CheckKey rejects keys that could leave the store. These are empty keys, keys with a leading or
// trailing slash, and keys with an empty, "." or ".." segment.
func CheckKey(key string) error {
	// CheckKey runs for every chunk. It costs a tenth of a version with package strings.
	dots := true
	for i, from := 0, 0; i <= len(key); i++ {
		switch {
		case i == len(key) || key[i] == '/':
			if n := i - from; n == 0 || dots && n <= 2 {
				return &KeyError{"get", key, fs.ErrInvalid}
			}
			from, dots = i+1, true
		case key[i] != '.':
			dots = false
		}
	}
	return nil
}

// Join joins a node's path and a name below it into a key.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
