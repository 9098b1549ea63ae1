package httpstore

import (
	"errors"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Error is a failed request, except for an absent object.
type Error struct {
	// Status is the HTTP status, or 0 when there was no answer.
	Status int
	// URL is the requested address. Its query is omitted, because it may hold a signature.
	URL string
	// Hint suggests a remedy; "" when none is known.
	Hint string
	// Err is the cause; nil when the status says everything.
	Err error
}

// OptionError names an invalid option and the reason.
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

// MaybeMissing reports whether some servers give this answer for absent objects. Examples are 403
// where listing is forbidden, the web page of a single-page application, and a blocked answer.
// Callers that can read the objects around this one may treat it as absent.
func (e *Error) MaybeMissing() bool {
	return e.Status == 403 || e.Err == ErrHTML || e.Blocked()
}

// Blocked reports whether the browser may have hidden an answer from the page.
func (e *Error) Blocked() bool {
	_, ok := e.Err.(blocked)
	return ok
}

// fail returns the error for a rejected answer. The cause may be nil.
//
//go:noinline
func (s *Store) fail(key string, status int, hint string, cause error) error {
	return &store.KeyError{Op: "get", Key: key, Err: &Error{
		Status: status, URL: weburl.Redact(s.base.join(key)), Hint: hint, Err: cause,
	}}
}

// errInvalid is a fetcher's error for an address that the platform cannot parse.
var errInvalid = errors.New("invalid address")

// causedError is a message that matches its cause.
type causedError struct {
	msg   string
	cause error
}

func (e *causedError) Error() string { return e.msg + ": " + e.cause.Error() }
func (e *causedError) Unwrap() error { return e.cause }

// hintRedirect suggests a remedy for a redirected request with headers.
const hintRedirect = "the server redirects, and headers and credentials must not follow to another origin: use the redirect's target (the header Location)"

// statusHint explains a status.
func statusHint(status int) string {
	switch status {
	case 301, 302, 303, 307, 308:
		return "the server redirects without a header Location"
	case 401, 403:
		return "access is refused; if this server answers like this for absent objects, treat the status as missing (" + optMissingStatus + ")"
	case 405, 501:
		return "the server does not allow the request"
	case 429:
		return "too many requests: lower the concurrency"
	case 431, 494:
		return "the request's headers are too large for the server"
	}
	return ""
}

// statusText names common statuses.
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
