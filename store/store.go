// Package store defines what zarr-wasm asks of a place that holds Zarr data: a
// map of keys to bytes that can be read, and optionally read in part or listed.
//
// A store implements [Store]; what more it can do it says by implementing
// [RangeReader] and [Lister]. Keys are slash-separated, without a leading
// slash, and never contain "." or ".." segments ([CheckKey]). Every method is safe for concurrent
// use and returns soon after its context ends, with the context's error.
// Bytes that a store returns belong to the caller to read, never to change: a
// store may hand the same bytes to others.
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

// Store reads whole objects.
type Store interface {
	// Get returns the object under the key. An absent object is an error that
	// matches fs.ErrNotExist.
	Get(ctx context.Context, key string) ([]byte, error)
}

// RangeReader is a store that can read part of an object.
type RangeReader interface {
	Store
	// GetRange returns exactly the bytes of the range. A range that reaches
	// beyond the object is an error that matches [ErrRange]; an absent object
	// one that matches fs.ErrNotExist.
	GetRange(ctx context.Context, key string, r ByteRange) ([]byte, error)
}

// Lister is a store that can say what it holds.
type Lister interface {
	Store
	// List returns the names directly below a prefix ("" or "a/b"), sorted:
	// objects as they are, folders with a trailing slash. An unknown prefix
	// gives an empty list.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Batcher is a store that gives many small objects with less effort when it is asked for them at once.
type Batcher interface {
	Store
	// GetAll returns, for each of the keys, what Get would. The error is the context's.
	GetAll(ctx context.Context, keys []string) ([]Found, error)
}

// Remote is a store to which every question takes a way and back.
type Remote interface {
	Store
	// Address returns where the object under a key is, for messages; "" where that is not known. A key that
	// ends with a slash is a folder's, and "" the store's.
	Address(key string) string
}

// Found is an object, or why there is none.
type Found struct {
	Bytes []byte
	Err   error
}

// Reuser is a store that can use memory again.
type Reuser interface {
	Store
	// Reuse gives back what Get has returned, by the only one who has it and will not look at it again.
	Reuse(b []byte)
}

// ByteRange is a part of an object: Length bytes from Offset, or, when Suffix is
// true, the last Length bytes.
type ByteRange struct {
	Offset, Length int64
	Suffix         bool
}

// Resolve turns the range into offsets of an object of that size, or returns
// ErrRange if the object does not have these bytes.
func (r ByteRange) Resolve(size int64) (from, to int64, err error) {
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
