// Package ascii implements functions of package strings for ASCII: only ASCII letters have cases,
// and only ASCII spaces are trimmed. It links no Unicode tables into the wasm.
//
//	ascii.EqualFold("Content-Type", "content-type") // true
package ascii

// Lower returns s with ASCII letters in lower case.
func Lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// EqualFold reports whether two texts are equal up to the case of ASCII letters.
func EqualFold(s, t string) bool { return len(s) == len(t) && Lower(s) == Lower(t) }

// TrimSpace returns s without leading and trailing spaces, tabs and line ends.
func TrimSpace(s string) string {
	for s != "" && space(s[0]) {
		s = s[1:]
	}
	for s != "" && space(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
