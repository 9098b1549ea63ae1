// Package ascii has the functions of package strings for text of protocols, in which only the letters and spaces of ASCII count.
// Unlike those they bring no tables of Unicode into the wasm.
package ascii

// Lower returns a text with the letters of ASCII in lower case.
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

// EqualFold reports whether texts are equal but for the case of the letters of ASCII.
func EqualFold(s, t string) bool { return len(s) == len(t) && Lower(s) == Lower(t) }

// TrimSpace returns a text without the spaces, tabs and ends of lines around it.
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
