package httpstore

import (
	"errors"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// What makes the bytes of an answer believable.

// checkLength compares a whole body with what was announced. A browser does
// that itself for most, but not for all connections.
func (s *Store) checkLength(key string, res response) error {
	if res.length < 0 || res.encoded || res.length == int64(len(res.body)) {
		return nil
	}
	return s.fail(key, res.status, "", errors.New("the body has "+strconv.Itoa(len(res.body))+" bytes, announced were "+strconv.FormatInt(res.length, 10)))
}

// checkPart wants the answer 206 to be exactly what was asked for. Size is the
// object's, or -1.
func (s *Store) checkPart(key string, res response, r store.ByteRange, size int64) error {
	if res.encoding != "" {
		return s.fail(key, res.status, "a part of a compressed object cannot be read: the server must not compress data (Content-Encoding)",
			errors.New("the range is one of bytes encoded with "+strconv.Quote(clip(res.encoding))))
	}
	if strings.HasPrefix(res.contentType, "multipart/byteranges") {
		return s.fail(key, res.status, "", errors.New("several ranges where one was asked for"))
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
			start = 1 // anywhere but at the start, as far as is known
		}
		return s.checkHTML(key, res, start)
	}
	cause := errors.New("the part has " + strconv.FormatInt(got, 10) + " bytes, asked for were " + strconv.FormatInt(r.Length, 10))
	if got < r.Length && !ranged {
		// A server cuts a range at the object's end. That this is what
		// happened is likely, and the header that would say so is hidden.
		why := store.ErrRange
		if size >= 0 {
			why = store.ErrChanged // it had these bytes
		}
		cause = &causedError{cause.Error(), why}
	}
	return s.fail(key, res.status, "", cause)
}

func (s *Store) wrongPart(key string, res response) error {
	return s.fail(key, res.status, "", errors.New("the part is "+strconv.Quote(clip(res.contentRange))+", which was not asked for"))
}

// parseContentRange reads "bytes from-last/total" (RFC 9110, 14.4). Total is -1 for "*"; to is last+1.
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

// checkHTML refuses a web page where data was expected: what servers of
// single-page applications send, with status 200, for what they do not have.
// Offset is where the body begins in its object.
func (s *Store) checkHTML(key string, res response, offset int64) error {
	if !res.html() || isPage(key) {
		return nil
	}
	// Servers that call everything text/html exist, so the body must look like it.
	body := strings.TrimLeft(strings.TrimPrefix(string(res.body[:min(len(res.body), 512)]), "\ufeff"), " \t\r\n")
	if offset == 0 && !strings.HasPrefix(body, "<") {
		return nil
	}
	if offset > 0 {
		for _, c := range res.body {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				return nil // not text
			}
		}
	}
	return s.fail(key, res.status, "the server may answer so for an object that it does not have", ErrHTML)
}

// html says whether the answer calls itself a web page.
func (r response) html() bool {
	return strings.HasPrefix(ascii.Lower(ascii.TrimSpace(r.contentType)), "text/html")
}

// isPage says whether HTML is what one gets under that key.
func isPage(key string) bool {
	key = ascii.Lower(key)
	return strings.HasSuffix(key, ".html") || strings.HasSuffix(key, ".htm")
}

// validHeader says whether a header can be sent: a name that is a token and a
// value that cannot end the header (RFC 9110, 5.5 and 5.6.2).
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

// checkHeaders refuses headers that cannot be sent.
func checkHeaders(headers map[string]string) error {
	for name, value := range headers {
		if !validHeader(name, value) {
			return errors.New("invalid header " + strconv.Quote(name))
		}
		// A Range of the caller's would make every whole object a part, taken for the whole.
		if ascii.EqualFold(name, "Range") {
			return errors.New("the header Range is the store's to set")
		}
	}
	return nil
}

// mergeHeaders returns the headers of both; those of more win.
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

// clip shortens what a server sent, for a message.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}
