package writer

import (
	"strconv"
	"strings"
)

// Error reports that a write failed after its start, and lists the written chunks. Each of them is
// complete. All other chunks are unchanged, except that the state of a chunk whose write failed may
// be unknown.
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

// ConflictError reports that a change of an object was abandoned. Either other writers changed the
// object after each reading, or the server does not recognise its own versions. It matches
// [store.ErrConflict].
type ConflictError struct {
	Key   string
	Tries int
	Err   error
}

func (e *ConflictError) Error() string {
	return "changing " + strconv.Quote(e.Key) + ": another writer changed it after each of " + strconv.Itoa(e.Tries) + " reads: " + e.Err.Error()
}

// Unwrap returns the last cause.
func (e *ConflictError) Unwrap() error { return e.Err }

// ValueError reports values that do not fit their target: another type or shape, or an element that
// the array cannot hold.
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
