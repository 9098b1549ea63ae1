package httpstore

import (
	"errors"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
)

// base is the URL of a store, taken apart.
type base struct {
	origin string // scheme, host and port, in lower case and without a default port
	path   string // percent-encoded, "" or with a leading slash, without the last trailing slash
	query  string // with its question mark, or ""
	slash  bool   // the URL's path ended with a slash
	object bool   // the URL is that of the only object

	encoded bool // keys are percent-encoded already
}

// parseBase reads the URL of a store.
func parseBase(s string) (base, error) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return base{}, errors.New("a control character in the URL")
		}
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return base{}, errors.New("an absolute URL is expected, http or https")
	}
	scheme = ascii.Lower(scheme)
	if scheme != "http" && scheme != "https" {
		hint := ""
		if scheme == "file" {
			hint = "; files open in Node only"
		}
		return base{}, errors.New("objects cannot be read from below a URL of the scheme " + strconv.Quote(clip(scheme)) + ": http or https expected" + hint)
	}
	rest, ok = strings.CutPrefix(rest, "//")
	if !ok {
		return base{}, errors.New(`"//" and a host are expected behind the scheme`)
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if strings.Contains(host, "@") {
		return base{}, errors.New("a user name or password in the URL: set the header Authorization instead")
	}
	for _, c := range []byte(host) {
		if !alphanumeric(c) && strings.IndexByte(".-_:[]", c) < 0 && c < 0x80 {
			return base{}, errors.New("invalid host")
		}
	}
	host = ascii.Lower(host)
	if scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	} else {
		host = strings.TrimSuffix(host, ":443")
	}
	if host == "" || host[0] == ':' {
		return base{}, errors.New("a URL without a host")
	}
	b := base{origin: scheme + "://" + host}
	if hasPath {
		path, b.slash = strings.CutSuffix(path, "/")
		b.path = "/" + normalize(path)
		if path == "" {
			b.path = ""
		}
	}
	if hasQuery && query != "" {
		b.query = "?" + normalize(query)
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
		if c == '/' || alphanumeric(c) || strings.IndexByte("-._~", c) >= 0 {
			buf = append(buf, c)
		} else {
			// Also what RFC 3986 leaves alone in a path: "+" is a space to some servers.
			buf = escape(buf, c)
		}
	}
	return string(append(buf, b.query...))
}

// normalize percent-encodes what may not stand in a path or query, and leaves
// what is encoded already.
func normalize(s string) string {
	buf := make([]byte, 0, len(s))
	for i, c := range []byte(s) {
		switch {
		case c == '%' && (i+2 >= len(s) || !hexadecimal(s[i+1]) || !hexadecimal(s[i+2])),
			c <= ' ', c >= 0x7f, strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			buf = escape(buf, c)
		default:
			buf = append(buf, c)
		}
	}
	return string(buf)
}

func escape(buf []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(buf, '%', digits[c>>4], digits[c&15])
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func hexadecimal(c byte) bool {
	return 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' || '0' <= c && c <= '9'
}

// redact returns a URL without what may be secret in it: its query, and a
// user name and password.
func redact(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if scheme, rest, ok := strings.Cut(url, "//"); ok {
		host, path, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			rest = host[i+1:] + "/" + path
		}
		url = scheme + "//" + rest
	}
	return clipURL(url)
}

// clipURL keeps a data URL from filling a message.
func clipURL(url string) string {
	if len(url) > 2048 {
		return url[:2048] + "..."
	}
	return url
}
