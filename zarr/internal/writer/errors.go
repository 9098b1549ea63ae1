package writer

import (
	"strconv"
	"strings"
)

// Error says that a write failed after it had begun, and which chunks have been written: each of them whole. All other chunks
// are as they were, save that of a chunk whose writing failed a store may not know which it is.
type Error struct {
	Path    string
	Written []string // the keys of the chunks, in the order in which they were written
	Err     error
}

func (e *Error) Error() string {
	msg := "writing to " + strconv.Quote("/"+e.Path) + ": " + e.Err.Error()
	switch n := len(e.Written); {
	case n == 0:
		return msg + " (no chunk was written)"
	case n <= 4:
		return msg + " (written: " + strings.Join(e.Written, ", ") + ")"
	default:
		return msg + " (" + strconv.Itoa(n) + " chunks were written)"
	}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ConflictError says that a change of an object was given up, because other writers changed it again and again between its reading and its
// writing, or because the server does not know its own versions again. It matches [store.ErrConflict].
type ConflictError struct {
	Key   string
	Tries int
	Err   error
}

func (e *ConflictError) Error() string {
	return "changing " + strconv.Quote(e.Key) + ": it was another one after each of " + strconv.Itoa(e.Tries) + " readings: " + e.Err.Error()
}

// Unwrap returns the last cause.
func (e *ConflictError) Unwrap() error { return e.Err }

// ValueError says that values cannot be written where they are to go: they have another type or shape, or an element that the array cannot
// hold.
type ValueError struct {
	Path string
	Msg  string
	Err  error
}

func (e *ValueError) Error() string {
	msg := "invalid value for " + strconv.Quote("/"+e.Path)
	if e.Msg != "" {
		msg += ": " + e.Msg
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.Err }
