package catalog

import (
	"io/fs"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// NotFoundError reports that a path has no node, or none of the requested kind. It matches
// [io/fs.ErrNotExist].
type NotFoundError struct {
	Path string
	// Want is "array", "group" or "node". Found is the kind that is there instead, or "".
	Want, Found string
	// Tried are the names of the requested documents.
	Tried []string
	// At is the address of the folder of these documents; "" if the store has no addresses.
	At string
	// Container is the kind of container that the store's root resembles, as in UnsupportedError;
	// "" if none or unknown.
	Container string
}

func (e *NotFoundError) Error() string {
	at := e.Path
	if at == "" {
		at = "/"
	}
	if e.Found != "" {
		return "found " + e.Found + ", but " + e.Want + " was requested: " + at
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

// blockedError is the error for a blocked document. It names the other blocked ones.
type blockedError struct {
	err   error
	at    string
	names []string
}

func (e *blockedError) Error() string {
	return e.err.Error() + "; also blocked: " + e.at + strings.Join(e.names, ", "+e.at)
}

func (e *blockedError) Unwrap() error { return e.err }

// IsPermanent reports whether the documents were readable, so that the next open would fail too.
func IsPermanent(err error) bool {
	var (
		unsupported *reader.UnsupportedError
		unknown     *reader.UnknownCodecError
	)
	return errtype.As(err, &unsupported) || errtype.As(err, &unknown)
}
