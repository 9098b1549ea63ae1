// Package weburl parses the addresses of objects, which are absolute http and https URLs, and
// removes secrets from addresses in texts.
//
//	u, err := weburl.Parse("https://example.org/a.zarr?signature=...")
//	weburl.Redact(u.String()) // "https://example.org/a.zarr"
package weburl

import (
	"errors"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
)

// URL is a parsed address. Its fragment is dropped, because it is never sent.
type URL struct {
	// Origin is the scheme, host and port, in lower case and without a default port.
	Origin string
	// Path is percent-encoded, and is empty or begins with a slash.
	Path string
	// Query is percent-encoded, and is empty or begins with a question mark.
	Query string
}

// String returns the address.
func (u URL) String() string { return u.Origin + u.Path + u.Query }

// Parse parses an address. It rejects user names and passwords. Errors do not quote the address.
func Parse(s string) (URL, error) {
	for _, c := range []byte(s) {
		if c < ' ' || c == 0x7f {
			return URL{}, errors.New("the URL contains a control character")
		}
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if first, _, _ := strings.Cut(rest, "/"); !ok || scheme == "" || strings.ContainsAny(scheme, "/?#@") || strings.Contains(first, "@") {
		return URL{}, errors.New("expected an absolute http or https URL")
	}
	scheme = ascii.Lower(scheme)
	if scheme != "http" && scheme != "https" {
		hint := ""
		if scheme == "file" {
			hint = "; only Node can open files"
		}
		return URL{}, errors.New("objects cannot be read below a URL of the scheme " + strconv.Quote(scheme[:min(len(scheme), 100)]) + ": expected http or https" + hint)
	}
	rest, ok = strings.CutPrefix(rest, "//")
	if !ok {
		return URL{}, errors.New(`"//" and a host must follow the scheme`)
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	host, err := authority(scheme, rest[:end])
	if err != nil {
		return URL{}, err
	}
	u := URL{Origin: scheme + "://" + host, Path: Encode(rest[end:])}
	if query != "" {
		u.Query = "?" + Encode(query)
	}
	return u, nil
}

// authority returns a host with its port, in lower case and without the default port of the scheme.
func authority(scheme, s string) (string, error) {
	if strings.Contains(s, "@") {
		return "", errors.New("the URL contains a user name or password: set the header Authorization instead")
	}
	host, port := s, ""
	if colon := strings.LastIndexByte(s, ':'); colon > strings.LastIndexByte(s, ']') {
		host, port = s[:colon], s[colon+1:]
		n, err := strconv.ParseUint(port, 10, 16)
		if port != "" && err != nil {
			return "", errors.New("invalid port: expected a number up to 65535")
		}
		if port = ":" + strconv.Itoa(int(n)); len(s) == colon+1 || scheme == "http" && n == 80 || scheme == "https" && n == 443 {
			port = ""
		}
	}
	if host == "" {
		return "", errors.New("the URL has no host")
	}
	if !validHost(host) {
		return "", errors.New("invalid host")
	}
	return ascii.Lower(host) + port, nil
}

// validHost reports whether a host is a name, or an IPv6 address in brackets, by its characters.
func validHost(s string) bool {
	bracket := s[0] == '['
	if bracket {
		end := len(s) - 1
		if end < 2 || s[end] != ']' {
			return false
		}
		s = s[1:end]
	}
	for _, c := range []byte(s) {
		if c == '~' || !Unreserved(c) && c < 0x80 && !(bracket && c == ':') {
			return false
		}
	}
	return true
}

// Encode percent-encodes the bytes that are invalid in a path or query, and keeps encoded ones.
func Encode(s string) string {
	buf := make([]byte, 0, len(s))
	for i, c := range []byte(s) {
		switch {
		case c == '%' && (i+2 >= len(s) || !hexadecimal(s[i+1]) || !hexadecimal(s[i+2])),
			c <= ' ', c >= 0x7f, strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			buf = AppendEscape(buf, c)
		default:
			buf = append(buf, c)
		}
	}
	return string(buf)
}

// AppendEscape appends a byte, percent-encoded.
func AppendEscape(buf []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(buf, '%', digits[c>>4], digits[c&15])
}

// Unreserved reports whether a byte is never encoded in an address: a letter, a digit, or one of
// "-._~".
func Unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func hexadecimal(c byte) bool {
	return 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' || '0' <= c && c <= '9'
}
