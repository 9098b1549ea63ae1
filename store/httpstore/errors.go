package httpstore

import (
	"errors"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Error is a request that failed, other than for an object that is absent.
type Error struct {
	// Status is the HTTP status, or 0 when there was no answer.
	Status int
	// URL is the address that was asked for. Its query is left out, because it
	// may hold a signature.
	URL string
	// Hint says what may help; "" when nothing is known that would.
	Hint string
	// Err is the cause; nil when the status says it all.
	Err error
}

// OptionError says which option is not valid, and why.
type OptionError struct{ Msg string }

func (e *OptionError) Error() string { return "options of an HTTP store: " + e.Msg }

// ErrHTML is the cause when a server sends a web page in place of data.
var ErrHTML = errors.New("a web page (HTML) where data was expected")

func (e *Error) Error() string {
	msg := e.URL
	if e.Status != 0 {
		msg += ": HTTP status " + strconv.Itoa(e.Status)
		if text := statusText(e.Status); text != "" {
			msg += " (" + text + ")"
		}
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MaybeMissing says that the answer is one that some servers give for absent
// objects: 403 where listing is not allowed, a web page from the server of
// a single-page application, one that the browser blocks. A caller that knows that the objects around this one
// can be read may take it for absent.
func (e *Error) MaybeMissing() bool {
	return e.Status == 403 || e.Err == ErrHTML || e.Blocked()
}

// Blocked says that the browser may have kept an answer from the page.
func (e *Error) Blocked() bool {
	_, ok := e.Err.(blocked)
	return ok
}

// fail returns the error for an answer that is not believed. The cause may be nil.
//
//go:noinline
func (s *Store) fail(key string, status int, hint string, cause error) error {
	return &store.KeyError{Op: "get", Key: key, Err: &Error{
		Status: status, URL: weburl.Redact(s.base.join(key)), Hint: hint, Err: cause,
	}}
}

// errInvalid is the error of a fetcher for an address that the platform cannot parse.
var errInvalid = errors.New("invalid address")

// causedError is a message of its own that matches its cause.
type causedError struct {
	msg   string
	cause error
}

func (e *causedError) Error() string { return e.msg + ": " + e.cause.Error() }
func (e *causedError) Unwrap() error { return e.cause }

// hintRedirect says what may help where a request with headers is redirected.
const hintRedirect = "the server redirects, and the headers and credentials that are set must not follow to another origin: use the address that it redirects to (the header Location)"

// statusHint says what a status may be due to.
func statusHint(status int) string {
	switch status {
	case 301, 302, 303, 307, 308:
		return "the server redirects, and does not say where to (the header Location)"
	case 401, 403:
		return "access is refused; if this server answers so for absent objects, count the status as missing (" + optMissingStatus + ")"
	case 405, 501:
		return "the server does not allow the request"
	case 429:
		return "too many requests: lower the concurrency"
	case 431, 494:
		return "the request's headers are too large for the server"
	}
	return ""
}

// statusText names the statuses that a store may meet.
func statusText(status int) string {
	switch status {
	case 400:
		return "bad request"
	case 401:
		return "unauthorized"
	case 403:
		return "forbidden"
	case 405:
		return "method not allowed"
	case 408:
		return "request timeout"
	case 416:
		return "range not satisfiable"
	case 429:
		return "too many requests"
	case 500:
		return "internal server error"
	case 501:
		return "not implemented"
	case 502:
		return "bad gateway"
	case 503:
		return "service unavailable"
	case 504:
		return "gateway timeout"
	}
	return ""
}
