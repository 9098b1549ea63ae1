package weburl

import "strings"

// Scrub redacts the addresses in a message from elsewhere, such as a platform's fetch.
func Scrub(message string) string {
	if !strings.Contains(message, "//") {
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
		if strings.Contains(word, "//") {
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
