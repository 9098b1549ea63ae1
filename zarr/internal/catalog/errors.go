package catalog

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// NotFoundError says that there is no node at a path, or not one of the kind
// that was asked for. It matches [io/fs.ErrNotExist].
type NotFoundError struct {
	Path string
	// Want is "array", "group" or "node"; Found is the kind that is there
	// instead, or "".
	Want, Found string
	// Tried are the names of the documents that were asked for.
	Tried []string
	// At is the address of the folder that they would be in; "" where the store has no addresses.
	At string
	// Container is the kind of container that the store's root looks like, as UnsupportedError has it; "" where that is none or not
	// known.
	Container string
}

func (e *NotFoundError) Error() string {
	at := e.Path
	if at == "" {
		at = "/"
	}
	if e.Found != "" {
		return "found " + e.Found + " where " + e.Want + " was asked for: " + at
	}
	msg := "no Zarr " + e.Want + " at " + at
	if len(e.Tried) > 0 {
		msg += " (tried " + strings.Join(e.Tried, ", ")
		if e.At != "" {
			msg += " at " + e.At
		}
		msg += ")"
	}
	if e.Container != "" {
		msg += "; the store looks like a container of the kind " + e.Container
	}
	return msg
}

// Is makes the error match fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// blockedError is the error for a document that was blocked, and names the others that were.
type blockedError struct {
	err   error
	at    string
	names []string
}

func (e *blockedError) Error() string {
	return e.err.Error() + "; blocked as well: " + e.at + strings.Join(e.names, ", "+e.at)
}

func (e *blockedError) Unwrap() error { return e.err }

// IsPermanent reports whether an error is of documents that could be read, so that the next open would fail
// as well.
func IsPermanent(err error) bool {
	var (
		unsupported *reader.UnsupportedError
		unknown     *reader.UnknownCodecError
	)
	return errors.As(err, &unsupported) || errors.As(err, &unknown)
}
