package object

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// newJSON makes json2. The text's encoding is the only option that matters to a reader.
func newJSON(config json.Value, b codec.Build) (any, error) {
	if v := config.Get("encoding"); !v.IsNull() {
		switch s, _ := v.Text(); s {
		case "utf-8", "UTF-8", "utf8", "utf_8", "ascii", "us-ascii":
		default:
			return nil, &codec.UnsupportedError{Feature: "the codec json2 with the encoding " + strconv.Quote(s)}
		}
	}
	return newDocument("json2", jsonText{}, b), nil
}

// jsonText reads JSON documents. It only finds the ends of the elements. Parsing a whole document
// into values would take fifty times its memory.
type jsonText struct{}

func (jsonText) stable() bool { return true }

func (jsonText) walk(lim codec.Limits, src []byte, shape []int, n int, visit func(i int, text []byte) error) error {
	s := scanner{doc: src}
	count, last, before, err := s.outline(longest(shape, n))
	if err != nil {
		return err
	}
	d := &document{limits: lim}
	tail, err := d.parse(last)
	if err != nil {
		return err
	}
	switch tail.Kind() {
	case json.Array:
		typ, err := d.parse(before)
		if err != nil {
			return err
		}
		if _, ok := typ.Text(); !ok || tail.Len() > lim.Rank {
			return errForm
		}
		shape = make([]int, tail.Len())
		for i, v := range tail.Items() {
			size, ok := v.Int64()
			if !ok || size < 0 {
				return errForm
			}
			shape[i] = int(size)
		}
		count -= 2
	case json.String:
		count--
	default:
		return errForm
	}
	if shape, err = itemsOf(shape, n, count); err != nil {
		return err
	}
	s = scanner{doc: src}
	i := 0
	return s.elements(shape, func(text []byte) error {
		i++
		return visit(i-1, text)
	})
}

// scanner finds the ends of JSON values without parsing them.
type scanner struct {
	doc []byte
	pos int
}

func (s *scanner) space() {
	for s.pos < len(s.doc) {
		switch s.doc[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// take moves past the character c, if it is next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.pos < len(s.doc) && s.doc[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// need is take for a required character.
func (s *scanner) need(c byte) error {
	switch {
	case s.take(c):
		return nil
	case s.pos >= len(s.doc):
		return codec.Truncated("ends inside a JSON document")
	}
	return errForm
}

// value moves past the next value and returns its text.
func (s *scanner) value() ([]byte, error) {
	s.space()
	start := s.pos
	for depth := 0; s.pos < len(s.doc); {
		c := s.doc[s.pos]
		switch c {
		case '"':
			s.text()
		case '[', '{':
			depth++
			s.pos++
			continue
		case ']', '}':
			if depth == 0 {
				return nil, errForm
			}
			depth--
			s.pos++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return nil, errForm
			}
			s.pos++
			continue
		default:
			s.word()
		}
		if depth == 0 {
			return s.doc[start:s.pos:s.pos], nil
		}
	}
	return nil, codec.Truncated("ends inside a JSON document")
}

// text moves past a string.
func (s *scanner) text() {
	for s.pos++; s.pos < len(s.doc); s.pos++ {
		switch s.doc[s.pos] {
		case '\\':
			s.pos++
		case '"':
			s.pos++
			return
		}
	}
	s.pos = len(s.doc) // the string has no end, and an escape may have none either
}

// word moves past a number, true, false, null or any other token.
func (s *scanner) word() {
	for ; s.pos < len(s.doc); s.pos++ {
		switch s.doc[s.pos] {
		case '"', '[', '{', ']', '}', ',', ':', ' ', '\t', '\n', '\r':
			return
		}
	}
}

// outline counts the items of the document, which is a list, and returns its last two items. More
// than most items are an error.
func (s *scanner) outline(most int) (count int, last, before []byte, err error) {
	s.pos = bom(s.doc)
	if err := s.need('['); err != nil {
		return 0, nil, nil, err
	}
	for {
		before = last
		if last, err = s.value(); err != nil {
			return 0, nil, nil, err
		}
		if count++; count > most {
			return 0, nil, nil, errLong
		}
		if s.take(']') {
			break
		}
		if err := s.need(','); err != nil {
			return 0, nil, nil, err
		}
	}
	if s.space(); s.pos < len(s.doc) {
		return 0, nil, nil, codec.Corrupt("bytes follow the JSON document")
	}
	return count, last, before, nil
}

// bom returns the length of a byte order mark.
func bom(doc []byte) int {
	if len(doc) >= 3 && string(doc[:3]) == "\xef\xbb\xbf" {
		return 3
	}
	return 0
}

// elements calls visit for the elements of the document, whose lists are nested by the shape. The
// items after the elements in the outermost list stay unread.
func (s *scanner) elements(shape []int, visit func(text []byte) error) error {
	s.pos = bom(s.doc)
	if err := s.need('['); err != nil {
		return err
	}
	for i := range shape[0] {
		if i > 0 {
			if err := s.need(','); err != nil {
				return err
			}
		}
		if err := s.nested(shape[1:], visit); err != nil {
			return err
		}
	}
	return nil
}

// nested reads an element, or a list of them.
func (s *scanner) nested(shape []int, visit func(text []byte) error) error {
	if len(shape) == 0 {
		text, err := s.value()
		if err != nil {
			return err
		}
		return visit(text)
	}
	if err := s.need('['); err != nil {
		return err
	}
	for i := range shape[0] {
		if i > 0 {
			if err := s.need(','); err != nil {
				return err
			}
		}
		if err := s.nested(shape[1:], visit); err != nil {
			return err
		}
	}
	return s.need(']')
}
