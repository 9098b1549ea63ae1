package weburl

import "strings"

// maxShown bounds the bytes of an address in a message.
const maxShown = 2048

// Redact returns an address for messages: without its query and fragment, which may be a signature,
// and without user names and passwords. It accepts any text, since an invalid address may also hold
// a password. js/platform/redact.ts does the same for the page.
func Redact(address string) string {
	shown := make([]byte, 0, len(address))
	// A user was removed from the last segment, and a further "@" ends another part of it.
	cut := false
	// in shown: the start of its last segment, and whether that follows two slashes
	segment, authority := 0, false
	for i := 0; i < len(address); i++ {
		c := address[i]
		switch c {
		case '?', '#', '/', '\\':
			if authority && strangePort(shown[segment:]) {
				// Before an "@", this is the start of a password with a slash, "?" or "#".
				if at := strings.LastIndexByte(address[i:], '@'); at >= 0 {
					shown, i = shown[:segment], i+at
					continue
				}
			}
			if c == '?' || c == '#' {
				return string(shown)
			}
			authority, cut = segment == len(shown) && i > 0, false
			segment = len(shown) + 1
		case '@':
			// After "|" a colon ends the name of an adapter, as in "a|icechunk:@branch.main".
			if s := string(shown[segment:]); authority || cut || strings.IndexByte(s, ':') >= 0 && !adapter(s) {
				shown, cut = shown[:segment], true
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

// strangePort reports whether a host is followed by an invalid port.
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
