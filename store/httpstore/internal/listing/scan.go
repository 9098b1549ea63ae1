package listing

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
)

// scanner reads the tags of HTML and XML one by one. It treats malformed tags as text.
type scanner struct {
	rest   string
	before string // the text before the tag
	// lower-case, without namespace; "" for comments, instructions and declarations
	name         string
	inside       string // the attributes
	close, empty bool
}

// next reads the next tag. It returns false after the last one.
func (s *scanner) next() bool {
	i := strings.IndexByte(s.rest, '<')
	if i < 0 {
		return false
	}
	s.before, s.rest, s.name = s.rest[:i], s.rest[i+1:], ""
	switch {
	case strings.HasPrefix(s.rest, "!--"):
		_, s.rest, _ = strings.Cut(s.rest, "-->")
		return true
	case strings.HasPrefix(s.rest, "!"), strings.HasPrefix(s.rest, "?"):
		_, s.rest, _ = strings.Cut(s.rest, ">")
		return true
	}
	n := end(s.rest)
	s.inside, s.rest = s.rest[:n], s.rest[min(n+1, len(s.rest)):]
	s.inside, s.close = strings.CutPrefix(s.inside, "/")
	s.empty = strings.HasSuffix(s.inside, "/")
	if i = strings.IndexAny(s.inside, spaces); i < 0 {
		i = len(s.inside)
	}
	s.name = ascii.Lower(s.inside[:i])
	s.name = s.name[strings.LastIndexByte(s.name, ':')+1:]
	s.inside = s.inside[i:]
	return true
}

const spaces = " \t\r\n\f/"

// skip advances to a text, given in lower case, in any case.
func (s *scanner) skip(text string) {
	for {
		i := strings.IndexByte(s.rest, text[0])
		if i < 0 {
			s.rest = ""
			return
		}
		s.rest = s.rest[i:]
		if ascii.Lower(s.rest[:min(len(text), len(s.rest))]) == text {
			return
		}
		s.rest = s.rest[1:]
	}
}

// end returns the position of the first ">" outside of quotes.
func end(b string) int {
	quote := byte(0)
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '>':
			return i
		case (c == '"' || c == '\'') && i > 0 && strings.IndexByte("= \t\r\n", b[i-1]) >= 0:
			quote = c
		}
	}
	return len(b)
}

// href returns the value of the tag's attribute href, "" if it has none.
func (s *scanner) href() string {
	for rest := s.inside; ; {
		key, after, ok := strings.Cut(rest, "=")
		if !ok {
			return ""
		}
		rest = strings.TrimLeft(after, spaces[:5])
		var value string
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			value, rest, _ = strings.Cut(rest[1:], rest[:1])
		} else {
			i := strings.IndexAny(rest+" ", spaces[:5])
			value, rest = rest[:i], rest[i:]
		}
		if key = " " + ascii.TrimSpace(ascii.Lower(key)); strings.HasSuffix(key, "href") && strings.IndexByte(spaces, key[len(key)-5]) >= 0 {
			return ascii.TrimSpace(entities(value))
		}
	}
}

// entities decodes character references. It keeps invalid ones, and texts too long for a name.
func entities(s string) string {
	const named = "&amp;&&lt;<&gt;>&quot;\"&apos;'"
	for i := 0; i < len(s) && len(s) < 1<<15; i++ {
		n := strings.IndexByte(s[i:min(i+12, len(s))], ';') + 1
		if s[i] != '&' || n < 3 {
			continue
		}
		var r uint64
		if s[i+1] != '#' {
			at := strings.Index(named, s[i:i+n])
			if at < 0 || s[i+1] == '&' {
				continue
			}
			r = uint64(named[at+n])
		} else {
			digits, base := s[i+2:i+n-1], 10
			if strings.HasPrefix(digits, "x") {
				digits, base = digits[1:], 16
			}
			var err error
			if r, err = strconv.ParseUint(digits, base, 20); err != nil {
				continue
			}
		}
		s = s[:i] + string(rune(r)) + s[i+n:]
	}
	return s
}
