// Package percent decodes percent-encoding.
//
//	percent.Decode("a%20b", false) // "a b"
package percent

import "strconv"

// Decode decodes percent-encoding once, and keeps other text unchanged. With plus, a plus sign
// becomes a space.
func Decode(s string, plus bool) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
		} else if c == '+' && plus {
			c = ' '
		}
		b = append(b, c)
	}
	return string(b)
}
