package bucket

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"gocloud.dev/gcerrors"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Error is a failed request to a bucket, except for an absent object.
type Error struct {
	// Op is "get", "list", "set" or "delete".
	Op string
	// Status is the HTTP status, or 0 when there was no answer.
	Status int
	// Address is the address of the object.
	Address string
	// Hint suggests a remedy; "" when none is known.
	Hint string
	// Err is the cause.
	Err error
}

func (e *Error) Error() string {
	msg := e.Address
	if e.Status != 0 {
		msg += ": HTTP status " + strconv.Itoa(e.Status)
	}
	msg += ": " + weburl.Scrub(e.Err.Error())
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MaybeMissing reports whether the bucket may answer like this for absent objects. Buckets that
// forbid lists do so with 403.
func (e *Error) MaybeMissing() bool { return e.Op == "get" && e.Status == 403 }

// Is reports that a refused list matches errors.ErrUnsupported, because the contents are unknown.
func (e *Error) Is(target error) bool {
	return target == errors.ErrUnsupported && e.Op == "list" && (e.Status == 401 || e.Status == 403 || e.Status == 501)
}

// failed returns the error of an operation on a key.
func (s *Store) failed(ctx context.Context, op, key string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var limit *limits.Error
	if errors.Is(err, store.ErrRange) || errors.Is(err, errors.ErrUnsupported) || errors.As(err, &limit) {
		return &store.KeyError{Op: op, Key: key, Err: err}
	}
	err = s.cause(key, err)
	var e *Error
	if errors.As(err, &e) {
		e.Op = op
	}
	return &store.KeyError{Op: op, Key: key, Err: err}
}

// cause turns a failure of the provider's library into fs.ErrNotExist or an [Error].
func (s *Store) cause(key string, err error) error {
	var e *Error
	if errors.As(err, &e) || err == fs.ErrNotExist {
		return err
	}
	var f Failure
	if s.opt.Provider != nil {
		f = s.opt.Provider.Failure(err)
	} else if gcerrors.Code(err) == gcerrors.NotFound {
		f.Status = 404
	}
	if f.Status == 404 && !f.Bucket {
		return fs.ErrNotExist
	}
	e = &Error{Status: f.Status, Address: s.Address(key), Err: err}
	if f.Why != "" {
		e.Err = &reason{f.Why, err}
	}
	switch {
	case f.Bucket:
		e.Hint = "the bucket does not exist"
	case f.Status == 401, f.Status == 403:
		e.Hint = "the credentials do not allow this; --anonymous sends none"
	case f.Status == 301, f.Status == 400:
		e.Hint = "the bucket may be in another region: set AWS_REGION"
	case f.Status == 429, f.Status == 503:
		e.Hint = "too many requests: the bucket allows fewer per second"
	}
	return e
}

// reason is a cause in the provider's words, without the identifiers of the request.
type reason struct {
	why string
	err error
}

func (r *reason) Error() string { return r.why }
func (r *reason) Unwrap() error { return r.err }
