package httpstore

import (
	"errors"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// This file holds the checks that an answer passes before its bytes are used.

// checkLength compares the length of a whole body with the announced one. Browsers check this
// themselves on most connections, but not on all.
func (s *Store) checkLength(key string, res response) error {
	if res.length < 0 || res.encoded || res.length == int64(len(res.body)) {
		return nil
	}
	return s.fail(key, res.status, "", errors.New("the body has "+strconv.Itoa(len(res.body))+" bytes, but Content-Length is "+strconv.FormatInt(res.length, 10)))
}

// checkPart checks that an answer with status 206 is exactly the requested part. Size is the
// object's size in bytes, or -1.
func (s *Store) checkPart(key string, res response, r store.ByteRange, size int64) error {
	if res.encoding != "" {
		return s.fail(key, res.status, "a part of a compressed object cannot be read: the server must not compress data (Content-Encoding)",
			errors.New("the range holds bytes encoded with "+strconv.Quote(clip(res.encoding))))
	}
	if strings.HasPrefix(res.contentType, "multipart/byteranges") {
		return s.fail(key, res.status, "", errors.New("the answer has several ranges, but one was requested"))
	}
	from, to, total, ranged := parseContentRange(res.contentRange)
	got := int64(len(res.body))
	if r.Short {
		switch {
		case !ranged:
			r.Length = min(r.Length, got)
		case total >= 0:
			if first, end, err := r.Resolve(total); err == nil {
				r.Length = end - first
			}
		}
	}
	if ranged && total >= 0 {
		switch {
		case size >= 0 && size != total:
			return s.fail(key, res.status, "", store.ErrChanged)
		case r.Length > total || !r.Suffix && r.Offset > total-r.Length:
			return &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
		case r.Suffix && from != total-r.Length:
			return s.wrongPart(key, res)
		}
	}
	if ranged && (!r.Suffix && from != r.Offset || to-from != r.Length) {
		return s.wrongPart(key, res)
	}
	if got == r.Length {
		start := r.Offset
		if r.Suffix {
			start = 1 // any offset but 0; the real one is unknown
		}
		return s.checkHTML(key, res, start)
	}
	cause := errors.New("the answer has " + strconv.FormatInt(got, 10) + " bytes, but the range has " + strconv.FormatInt(r.Length, 10))
	if got < r.Length && !ranged {
		// Servers cut a range at the object's end. This is the likely cause here, but the header
		// that would confirm it is hidden.
		why := store.ErrRange
		if size >= 0 {
			why = store.ErrChanged // the object had these bytes before
		}
		cause = &causedError{cause.Error(), why}
	}
	return s.fail(key, res.status, "", cause)
}

func (s *Store) wrongPart(key string, res response) error {
	return s.fail(key, res.status, "", errors.New("Content-Range "+strconv.Quote(clip(res.contentRange))+" does not match the requested range"))
}

// parseContentRange parses "bytes from-last/total" (RFC 9110, 14.4). Total is -1 for "*"; to is
// last+1.
func parseContentRange(s string) (from, to, total int64, ok bool) {
	unit, s, _ := strings.Cut(ascii.TrimSpace(s), " ")
	span, size, _ := strings.Cut(s, "/")
	first, last, _ := strings.Cut(span, "-")
	ok = ascii.EqualFold(unit, "bytes")
	number := func(s string) int64 {
		n, err := strconv.ParseUint(s, 10, 63)
		ok = ok && err == nil
		return int64(n)
	}
	from, to, total = number(first), number(last), -1
	if size != "*" {
		total = number(size)
		ok = ok && total > to
	}
	if !ok || to < from || to >= maxOffset {
		return 0, 0, 0, false
	}
	return from, to + 1, total, true
}

// checkHTML rejects a web page in place of data. Servers of single-page applications send one with
// status 200 for absent objects. Offset is the body's position in its object.
func (s *Store) checkHTML(key string, res response, offset int64) error {
	if !res.html() || isPage(key) {
		return nil
	}
	// Some servers label everything text/html, so the body must look like HTML, too.
	body := strings.TrimLeft(strings.TrimPrefix(string(res.body[:min(len(res.body), 512)]), "\ufeff"), " \t\r\n")
	if offset == 0 && !strings.HasPrefix(body, "<") {
		return nil
	}
	if offset > 0 {
		for _, c := range res.body {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				return nil // binary
			}
		}
	}
	return s.fail(key, res.status, "the server may answer like this for an absent object", ErrHTML)
}

// html reports whether the answer declares itself a web page.
func (r response) html() bool {
	return strings.HasPrefix(ascii.Lower(ascii.TrimSpace(r.contentType)), "text/html")
}

// isPage reports whether the key's name is that of a web page.
func isPage(key string) bool {
	key = ascii.Lower(key)
	return strings.HasSuffix(key, ".html") || strings.HasSuffix(key, ".htm")
}

// validHeader reports whether a header can be sent: the name is a token, and the value cannot end
// the header (RFC 9110, 5.5 and 5.6.2).
func validHeader(name, value string) bool {
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return name != "" && !strings.ContainsAny(value, "\r\n\x00")
}

// checkHeaders rejects headers that cannot be sent.
func checkHeaders(headers map[string]string) error {
	for name, value := range headers {
		if !validHeader(name, value) {
			return errors.New("invalid header " + strconv.Quote(name))
		}
		// A user's Range header would turn every whole object into a part, undetected.
		if ascii.EqualFold(name, "Range") {
			return errors.New("the store sets the header Range itself")
		}
	}
	return nil
}

// mergeHeaders returns the union of both; more overrides headers.
func mergeHeaders(headers, more map[string]string) map[string]string {
	all := cloneHeaders(more)
	for name, value := range headers {
		known := false
		for other := range more {
			known = known || ascii.EqualFold(name, other)
		}
		if !known {
			all[name] = value
		}
	}
	return all
}

func cloneHeaders(h map[string]string) map[string]string {
	c := make(map[string]string, len(h))
	for name, value := range h {
		c[name] = value
	}
	return c
}

// clip shortens a server's text for a message.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}
