package json

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Layout selects the layout of a document.
type Layout struct {
	// Indent is the number of spaces for each level. 0 puts the document on one line.
	Indent int
	// Sorted sorts the members of all objects by name.
	Sorted bool
}

// LayoutOf returns the layout of an existing document.
func LayoutOf(doc []byte) Layout {
	_, rest, found := bytes.Cut(doc, []byte{'\n'})
	if !found {
		return Layout{}
	}
	return Layout{Indent: len(rest) - len(bytes.TrimLeft(rest, " "))}
}

// AppendLaidOut appends a value in the layout of Python's json.dumps: non-ASCII escaped, a space
// after colons, numbers as written. text must be valid JSON. The last of duplicate names wins.
// Lenient forms become those that Python reads ("0." becomes "0.0"). Otherwise only spaces and
// escapes change.
func AppendLaidOut(dst, text []byte, l Layout) []byte {
	w := writer{src: text, dst: dst, Layout: l}
	w.value(0)
	return w.dst
}

// writer rewrites the text of a value.
type writer struct {
	src []byte
	at  int
	dst []byte
	Layout
}

// next returns the first byte after spaces.
func (w *writer) next() byte {
	for ; w.at < len(w.src); w.at++ {
		switch c := w.src[w.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// line starts a line at a depth, unless the layout has one line.
func (w *writer) line(depth int) {
	if w.Indent == 0 {
		return
	}
	w.dst = append(w.dst, '\n')
	for range depth * w.Indent {
		w.dst = append(w.dst, ' ')
	}
}

func (w *writer) value(depth int) {
	switch w.next() {
	case '[':
		w.array(depth)
	case '{':
		w.object(depth)
	case '"':
		w.dst = appendLiteral(w.dst, w.skip())
	default:
		text := w.skip()
		if text[0] == '+' { // "+Infinity"
			text = text[1:]
		}
		if w.dst = append(w.dst, text...); text[len(text)-1] == '.' {
			w.dst = append(w.dst, '0')
		}
	}
}

func (w *writer) array(depth int) {
	w.at++
	w.dst = append(w.dst, '[')
	empty := true
	for ; w.next() != ']'; empty = false {
		if !empty {
			w.at++ // the comma
			w.comma()
		}
		w.line(depth + 1)
		w.value(depth + 1)
	}
	w.at++
	if !empty {
		w.line(depth)
	}
	w.dst = append(w.dst, ']')
}

// comma ends an item or member that is not the last.
func (w *writer) comma() {
	if w.dst = append(w.dst, ','); w.Indent == 0 {
		w.dst = append(w.dst, ' ')
	}
}

// named is a rewritten member.
type named struct {
	name    string
	literal string
	from    int
}

func (w *writer) object(depth int) {
	w.at++
	var members []named
	index := map[string]int{}
	for c := w.next(); c != '}'; c = w.next() {
		if c == ',' {
			w.at++
			w.next()
		}
		name := w.skip()
		m := named{NameAt(name, 0), string(appendLiteral(nil, name)), 0}
		w.next()
		w.at++ // the colon
		w.next()
		m.from = w.at
		w.skip()
		if i, dup := index[m.literal]; dup {
			members[i] = m
			continue
		}
		index[m.literal] = len(members)
		members = append(members, m)
	}
	w.at++
	end := w.at
	if w.Sorted {
		slices.SortStableFunc(members, func(a, b named) int { return cmp.Compare(a.name, b.name) })
	}
	w.dst = append(w.dst, '{')
	for i, m := range members {
		if i > 0 {
			w.comma()
		}
		w.line(depth + 1)
		w.dst = append(append(w.dst, m.literal...), ": "...)
		w.at = m.from
		w.value(depth + 1)
	}
	if len(members) > 0 {
		w.line(depth)
	}
	w.dst = append(w.dst, '}')
	w.at = end
}

// skip passes a value and returns its text.
func (w *writer) skip() []byte {
	from, depth := w.at, 0
	for w.at < len(w.src) {
		switch c := w.src[w.at]; c {
		case '"':
			for w.at++; w.src[w.at] != '"'; w.at++ {
				if w.src[w.at] == '\\' {
					w.at++
				}
			}
		case '[', '{':
			depth++
		case ']', '}', ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return w.src[from:w.at]
			}
			if c == ']' || c == '}' {
				depth--
			}
		}
		w.at++
		if depth == 0 && (w.src[w.at-1] == '"' || w.src[w.at-1] == ']' || w.src[w.at-1] == '}') {
			break
		}
	}
	return w.src[from:w.at]
}

// appendLiteral rewrites a string literal. It keeps a lone surrogate, which no UTF-8 text can
// contain.
func appendLiteral(dst, literal []byte) []byte {
	dst = append(dst, '"')
	for s := literal[1 : len(literal)-1]; len(s) > 0; {
		if s[0] != '\\' {
			r, n := utf8.DecodeRune(s)
			dst = appendRune(dst, r)
			s = s[n:]
			continue
		}
		n := 2
		switch c := s[1]; c {
		case 'u':
			unit, _ := strconv.ParseUint(string(s[2:6]), 16, 16)
			dst = appendRune(dst, rune(unit))
			n = 6
		case 'b':
			dst = appendRune(dst, '\b')
		case 'f':
			dst = appendRune(dst, '\f')
		case 'n':
			dst = appendRune(dst, '\n')
		case 'r':
			dst = appendRune(dst, '\r')
		case 't':
			dst = appendRune(dst, '\t')
		default:
			dst = appendRune(dst, rune(c))
		}
		s = s[n:]
	}
	return append(dst, '"')
}

// AppendASCII appends s as a JSON string literal with non-ASCII escaped, as json.dumps does.
func AppendASCII(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}

// appendRune appends a character or lone surrogate, escaped as in Python.
func appendRune(dst []byte, r rune) []byte {
	const short = "\b\f\n\r\t\"\\"
	if i := bytes.IndexRune([]byte(short), r); i >= 0 && r < 0x80 {
		return append(dst, '\\', `bfnrt"\`[i])
	}
	if r >= ' ' && r < 0x7f {
		return append(dst, byte(r))
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendUnit(appendUnit(dst, high), low)
	}
	return appendUnit(dst, r)
}

// appendUnit appends a unit of UTF-16 as an escape.
func appendUnit(dst []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}
