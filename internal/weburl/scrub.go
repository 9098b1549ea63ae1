package weburl

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
)

// Secret reports whether a text may hold an address, or one that lacks its scheme or slashes and
// has a user and a password.
func Secret(text string) bool {
	scheme, rest, ok := strings.Cut(text, ":")
	return strings.Contains(text, "//") || ok && (strings.Contains(rest, "@") || strings.HasPrefix(ascii.Lower(scheme), "http"))
}

// Scrub redacts the addresses in a message from elsewhere, such as a platform's fetch.
func Scrub(message string) string {
	if !Secret(message) {
		return message
	}
	// A requested address contains none of these.
	isEnd := func(c byte) bool { return c <= ' ' || c == '"' || c == '<' || c == '>' || c == '`' }
	out := make([]byte, 0, len(message))
	for i := 0; i < len(message); {
		j := i
		for j < len(message) && !isEnd(message[j]) {
			j++
		}
		word := message[i:j]
		if Secret(word) && !strings.HasPrefix(word, "file:///") {
			word = Redact(word)
		}
		out = append(out, word...)
		for ; j < len(message) && isEnd(message[j]); j++ {
			out = append(out, message[j])
		}
		i = j
	}
	return string(out)
}
