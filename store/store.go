// Package store defines what zarr-wasm asks of a place that holds Zarr data.
//
// Two kinds of things stand below the reader. A [Source] holds objects: it reads
// them by name, whole or in part, and tells what it learned of their versions. A
// [Locator] says where the bytes of a key lie: in which object of which source, at which
// offset. [Plain] makes the simplest locator of a source: each key is the name of an object. A zip archive, a set of
// references or an overlay is another. Locators compose, because all that
// one needs of what it stands on is again a Locator.
//
// A package that reads never calls a source itself. It asks the object layer (package
// internal/object), which shares, merges, keeps and checks by physical object.
//
// Keys and names are slash-separated, without a leading slash, and never contain "." or ".."
// segments ([CheckKey]). Every method is safe for concurrent use and returns soon after its
// context ends, with the context's error. Bytes that a source returns belong to the caller
// to read, never to change: a source may hand the same bytes to others.
//
// Absence is an error that matches [io/fs.ErrNotExist], and only absence is: a
// server that fails, a network that is down, a permission that is refused are
// other errors.
//
// Package storetest has the suite that every store passes.
package store

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
)

// Source holds objects.
type Source interface {
	// Read returns at least the bytes that are asked for; it may return more of the object
	// where that costs nothing. An absent object is an error that matches
	// fs.ErrNotExist, a range beyond the object one that matches [ErrRange].
	Read(ctx context.Context, name string, ask Ask) (Extent, error)
}

// WholeOnly is a source that can only read whole objects. It answers every range with all of the object.
type WholeOnly interface {
	Source
	WholeOnly()
}

// Locator says where the bytes of keys lie.
type Locator interface {
	// Locate returns where the object of a key lies. It may return a place where there is none: then
	// the read tells. A key that is known to be absent is an error that matches fs.ErrNotExist.
	Locate(ctx context.Context, key string) (Location, error)
}

// Location is where the bytes of a key lie.
type Location struct {
	// Source and Name are the object.
	Source Source
	Name   string
	// Offset and Length are the bytes of it. A Length of ToEnd is all of the object; then the offset is 0.
	Offset, Length int64
	// Version is what a locator relies on: bytes of another version of the object are not those
	// that it meant. The zero Version is any.
	Version Version
	// Inline is the bytes themselves, or what Decode makes them of, where Source is nil.
	Inline []byte
	// Decode, if set, makes the key's bytes of the stored ones, of which it needs all. The result has
	// at most the given number of bytes, of which 0 sets none; more is an error.
	Decode func(ctx context.Context, stored []byte, most int64) ([]byte, error)
	// Size is how many bytes Decode makes; 0 when that is not known.
	Size int64
	// Stored is the size of the largest object that Decode is given; 0 leaves it to the source.
	Stored int64
	// Exact, if set beside Decode, returns where the key's bytes lie as they are, without Decode, for reads of part of them.
	Exact func(ctx context.Context) (Location, error)
	// Else, if set, is where the key's bytes lie if there is no such object here.
	Else *Location
}

// ToEnd is the length of a location that is all of its object.
const ToEnd = -1

// Whole tells whether the location is an object of a source, as it is stored and all of it.
func (l *Location) Whole() bool { return l.Source != nil && l.Length == ToEnd && l.Decode == nil }

// At is the location of an object of a source.
func At(s Source, name string) Location { return Location{Source: s, Name: name, Length: ToEnd} }

// Plain returns the locator that changes nothing: each key is the name of an object of the source. It
// is a [Lister] where the source is one.
func Plain(s Source) Locator {
	if l, ok := s.(Lister); ok {
		return plainLister{plain{s}, l}
	}
	return plain{s}
}

type plain struct{ source Source }

func (p plain) Locate(_ context.Context, key string) (Location, error) { return At(p.source, key), nil }
func (p plain) plainSource() Source                                    { return p.source }

type plainLister struct {
	plain
	Lister
}

func (p plainLister) ListsAll() bool { return ListsAll(p.Lister) }

// SourceOf returns the source of a locator that Plain has made.
func SourceOf(l Locator) (Source, bool) {
	if p, ok := l.(interface{ plainSource() Source }); ok {
		return p.plainSource(), true
	}
	return nil, false
}

// Refresher is a locator that keeps what it has read to locate keys.
type Refresher interface {
	Locator
	// Refresh has it read that again, because the objects turned out to be others.
	Refresh()
}

// Preparer is a locator that reads something to locate keys.
type Preparer interface {
	Locator
	// Prepare reads what is needed to locate these keys, all of it at once. What fails of it is the error of the
	// keys that need it, when they are located.
	Prepare(ctx context.Context, keys []string)
}

// Objects reads objects as the object layer does: shared, kept, within limits. A locator that has to read something
// to locate keys is given one.
type Objects interface {
	// Extent reads part of a source's object, or all of it.
	Extent(ctx context.Context, s Source, name string, ask Ask) (Extent, error)
}

// Lister is a store that can say what it holds.
type Lister interface {
	// List returns the names directly below a prefix ("" or "a/b"), sorted:
	// objects as they are, folders with a trailing slash. An unknown prefix
	// gives an empty list. A store whose server does not list gives an error that matches
	// [errors.ErrUnsupported]: then it is not known what there is.
	List(ctx context.Context, prefix string) ([]string, error)
}

// ListsAll tells whether what a store lists is all that it has. A list of one that says false, by a method ListsAll() bool, shows
// what is there, and not what is absent.
func ListsAll(l Lister) bool {
	p, ok := l.(interface{ ListsAll() bool })
	return !ok || p.ListsAll()
}

// Batcher is a source that gives many small objects with less effort when it is asked for them at once.
type Batcher interface {
	Source
	// ReadAll returns all bytes of each of the objects. The error is the context's.
	ReadAll(ctx context.Context, names []string) ([]Found, error)
}

// Remote is a source to which every question takes a way and back.
type Remote interface {
	Source
	// Address returns where the object under a key is, for messages; "" where that is not known. A key that
	// ends with a slash is a folder's, and "" the store's.
	Address(key string) string
}

// Found is an object, or why there is none.
type Found struct {
	Bytes []byte
	Err   error
}

// Reuser is a source that can use memory again.
type Reuser interface {
	Source
	// Reuse gives back bytes that Read has returned, by the only reader that has them, when it no longer looks at them.
	Reuse(b []byte)
}

// Get reads all bytes of an object.
func Get(ctx context.Context, s Source, name string) ([]byte, error) {
	e, err := s.Read(ctx, name, Ask{})
	return e.Bytes, err
}

// GetRange reads exactly the bytes of a range of an object.
func GetRange(ctx context.Context, s Source, name string, r ByteRange) ([]byte, error) {
	e, err := s.Read(ctx, name, Ask{Range: &r})
	if err != nil {
		return nil, err
	}
	return e.Cut(name, r)
}

// ByteRange is a part of an object: Length bytes from Offset, or, when Suffix is
// true, the last Length bytes.
type ByteRange struct {
	Offset, Length int64
	Suffix         bool
	// Short is for a range of which the object may have fewer bytes: then those that it has are what is wanted.
	Short bool
}

// Resolve turns the range into offsets of an object of that size, or returns
// ErrRange if the object does not have these bytes.
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

// String writes the range as HTTP does: "bytes=a-b" or "bytes=-n".
func (r ByteRange) String() string {
	if r.Suffix {
		return "bytes=-" + strconv.FormatInt(r.Length, 10)
	}
	return "bytes=" + strconv.FormatInt(r.Offset, 10) + "-" + strconv.FormatInt(r.Offset+r.Length-1, 10)
}

// ErrRange says that an object does not have all the bytes that were asked for.
var ErrRange = errors.New("range beyond the end of the object")

// ErrChanged says that an object is no longer the one that was read before.
var ErrChanged = errors.New("the object changed while it was read")

// KeyError is an error of a store about one key.
type KeyError struct {
	Op  string // "get", "list"; "decode" for what was got
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Op + " " + strconv.Quote(e.Key) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *KeyError) Unwrap() error { return e.Err }

// NotFound is the error for an absent key.
//
//go:noinline
func NotFound(key string) error { return &KeyError{"get", key, fs.ErrNotExist} }

// MaybeMissing tells whether an error is one that some servers give for absent
// objects, though it need not mean that: the error says so by a method
// MaybeMissing() bool.
func MaybeMissing(err error) bool {
	var m interface{ MaybeMissing() bool }
	return errors.As(err, &m) && m.MaybeMissing()
}

// Blocked tells whether an error is one of which only the browser knows more: the page is not told whether
// there was no answer, or one that it may not see. Servers that let pages read what they have do not always let
// them see what they do not have. The error says so by a method Blocked() bool.
func Blocked(err error) bool {
	var b interface{ Blocked() bool }
	return errors.As(err, &b) && b.Blocked()
}

// CheckKey refuses keys that could leave the store: empty ones, those with a leading or
// trailing slash, and those with an empty, "." or ".." segment.
func CheckKey(key string) error {
	// It is called for every chunk: without package strings it costs a tenth.
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
