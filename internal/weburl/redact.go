package weburl

import "strings"

// maxShown is how many bytes of an address a message has at most.
const maxShown = 2048

// Redact returns an address as messages may show it: without its query and fragment, which may be a signature, and
// without user names and passwords. It takes any text: an address that cannot be parsed may hold a password as well.
// js/platform/redact.ts is the same for the page.
func Redact(address string) string {
	shown := make([]byte, 0, len(address))
	segment, authority := 0, false // of shown: where its last segment begins, and whether that follows two slashes
	for i := 0; i < len(address); i++ {
		c := address[i]
		switch c {
		case '?', '#', '/', '\\':
			if authority && strangePort(shown[segment:]) {
				// Where an "@" follows, it is the beginning of a password that has a slash, "?" or "#".
				if at := strings.LastIndexByte(address[i:], '@'); at >= 0 {
					shown, i = shown[:segment], i+at
					continue
				}
			}
			if c == '?' || c == '#' {
				return string(shown)
			}
			authority = segment == len(shown) && i > 0
			segment = len(shown) + 1
		case '@':
			// After "|" a colon ends the name of an adapter, as in "a|icechunk:@branch.main".
			if s := string(shown[segment:]); authority || strings.IndexByte(s, ':') >= 0 && !adapter(s) {
				shown = shown[:segment]
				continue
			}
		}
		if shown = append(shown, c); len(shown) > maxShown {
			return string(shown[:maxShown]) + "..."
		}
	}
	return string(shown)
}

// adapter reports whether a segment names an adapter, as "a|icechunk:" does, encoded or not.
func adapter(s string) bool { return strings.IndexByte(s, '|') >= 0 || strings.Contains(s, "%7C") }

// strangePort reports whether a host is followed by what is no port.
func strangePort(s []byte) bool {
	colon := false
	for _, c := range s {
		if colon && (c < '0' || c > '9') {
			return s[0] != '['
		}
		colon = colon || c == ':'
	}
	return false
}
