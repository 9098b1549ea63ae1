package httpstore

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
)

// base is the parsed URL of a store.
type base struct {
	origin string // Scheme, host and port, in lower case and without a default port.
	path   string // Percent-encoded; "" or with a leading slash, without one trailing slash.
	query  string // With its question mark, or "".
	slash  bool   // The URL's path ended with a slash.
	object bool   // The URL names the only object.

	encoded bool // Keys are percent-encoded already.
}

// parseBase parses the URL of a store.
func parseBase(s string) (base, error) {
	u, err := weburl.Parse(s)
	if err != nil {
		return base{}, err
	}
	b := base{origin: u.Origin, query: u.Query}
	if path, ok := strings.CutPrefix(u.Path, "/"); ok {
		path, b.slash = strings.CutSuffix(path, "/")
		if path != "" {
			b.path = "/" + path
		}
	}
	return b, nil
}

// join returns the URL of an object.
func (b base) join(key string) string {
	if b.object {
		slash := ""
		if b.slash || b.path == "" {
			slash = "/"
		}
		return b.origin + b.path + slash + b.query
	}
	if b.encoded {
		return b.origin + b.path + "/" + key + b.query
	}
	buf := make([]byte, 0, len(b.origin)+len(b.path)+len(b.query)+len(key)+len(key)/4+1)
	buf = append(buf, b.origin...)
	buf = append(buf, b.path...)
	buf = append(buf, '/')
	for _, c := range []byte(key) {
		if c == '/' || weburl.Unreserved(c) {
			buf = append(buf, c)
		} else {
			// Escape also bytes that RFC 3986 allows in a path: some servers read "+" as a space.
			buf = weburl.AppendEscape(buf, c)
		}
	}
	return string(append(buf, b.query...))
}
