package json

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// Limits bounds the size of a document. A zero field selects the default.
type Limits struct {
	Bytes  int // length of the document; default 16 MiB
	Depth  int // nesting of arrays and objects; default 128
	Values int // values in the document; default 4 Mi
}

const (
	defaultBytes  = 16 << 20
	defaultDepth  = 128
	defaultValues = 4 << 20
)

// SyntaxError reports a syntax error and its position.
type SyntaxError struct {
	Line, Column int // from 1; the column counts bytes
	Offset       int
	Msg          string
}

func (e *SyntaxError) Error() string {
	return "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column) + ": " + e.Msg
}

// LimitError reports a document that exceeds [Limits].
type LimitError struct {
	Limit string // "bytes", "depth" or "values"
	Max   int
}

func (e *LimitError) Error() string {
	return "JSON document exceeds " + strconv.Itoa(e.Max) + " " + e.Limit
}

// Parse parses one JSON document. The values refer to doc, which must not change afterwards. The
// error is a [*SyntaxError] or a [*LimitError].
func Parse(doc []byte, lim Limits) (Value, error) {
	p := parser{doc: doc, lim: lim}
	var v Value
	err := p.document(func() (err error) {
		v, err = p.value(0)
		return err
	})
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// Checker checks the syntax of many texts without allocating for each. The zero Checker is ready to
// use.
type Checker struct {
	p    parser
	read func() error
}

// Check returns the error that [Parse] would return.
func (c *Checker) Check(doc []byte, lim Limits) error {
	c.p = parser{doc: doc, lim: lim, skip: true}
	if c.read == nil {
		c.read = func() error {
			_, err := c.p.value(0)
			return err
		}
	}
	return c.p.document(c.read)
}

// Walk checks a document that is an object, without building values. It calls f for each member
// with the name's offset, the name, and the value's source text. It does not detect duplicate
// names. [NameAt] and [ValueAt] parse a member later. Errors are those of Parse and of f.
func Walk(doc []byte, lim Limits, f func(at int, name, value []byte) error) error {
	p := parser{doc: doc, lim: lim, skip: true}
	return p.document(func() error {
		if p.space(); p.peek() != '{' {
			return p.fail("unexpected " + p.seen() + ", expected an object")
		}
		return p.members(func() error {
			at := p.pos
			if _, err := p.str(); err != nil {
				return err
			}
			name := doc[at+1 : p.pos-1]
			for _, c := range name {
				if c == '\\' {
					name = []byte(NameAt(doc, at))
					break
				}
			}
			if err := p.colon(); err != nil {
				return err
			}
			p.space()
			from := p.pos
			if _, err := p.value(1); err != nil {
				return err
			}
			return f(at, name, doc[from:p.pos:p.pos])
		})
	})
}

// document runs read on the whole document, and adds positions to its errors.
func (p *parser) document(read func() error) error {
	if p.lim.Bytes == 0 {
		p.lim.Bytes = defaultBytes
	}
	if p.lim.Depth == 0 {
		p.lim.Depth = defaultDepth
	}
	if p.lim.Values == 0 {
		p.lim.Values = defaultValues
	}
	doc := p.doc
	if len(doc) > p.lim.Bytes {
		return &LimitError{"bytes", p.lim.Bytes}
	}
	if len(doc) >= 3 && doc[0] == 0xef && doc[1] == 0xbb && doc[2] == 0xbf {
		p.pos = 3 // leniency: byte order mark
	}
	err := read()
	if err == nil {
		p.space()
		if p.pos < len(doc) {
			err = p.fail("unexpected " + p.seen() + " after the document")
		}
	}
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*SyntaxError](err); ok && wrong.Line == 0 {
		wrong.locate(doc)
	}
	return err
}

// NameAt returns the name of the member at an offset from Walk.
func NameAt(doc []byte, at int) string {
	p := parser{doc: doc, pos: at}
	name, _ := p.str()
	return name
}

// ValueAt returns the value of the member at an offset from Walk.
func ValueAt(doc []byte, at int) Value {
	p := parser{doc: doc, pos: at, lim: Limits{Depth: defaultDepth, Values: len(doc)}}
	_, _ = p.str()
	_ = p.colon()
	v, _ := p.value(0)
	return v
}

func (e *SyntaxError) locate(doc []byte) {
	e.Line, e.Column = 1, 1
	for _, c := range doc[:e.Offset] {
		e.Column++
		if c == '\n' {
			e.Line, e.Column = e.Line+1, 1
		}
	}
}

type parser struct {
	doc    []byte
	pos    int
	values int
	lim    Limits
	skip   bool // check only, build no values
	small  bool // build all values now
	void   node // the discarded value in skip mode
	none   content
	length int // of the last array
}

// Longer arrays and objects remain text until they are accessed.
const lazyBytes = 128

func (p *parser) fail(msg string) error { return &SyntaxError{Offset: p.pos, Msg: msg} }

// seen describes the input at the position.
func (p *parser) seen() string {
	if p.pos >= len(p.doc) {
		return "end of document"
	}
	r, n := utf8.DecodeRune(p.doc[p.pos:])
	if r == utf8.RuneError && n <= 1 {
		return "byte 0x" + strconv.FormatUint(uint64(p.doc[p.pos]), 16)
	}
	return strconv.QuoteRune(r)
}

func (p *parser) space() {
	for p.pos < len(p.doc) {
		switch p.doc[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.doc) {
		return p.doc[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (Value, error) {
	p.space()
	if p.values++; p.values > p.lim.Values {
		return Value{}, &LimitError{"values", p.lim.Values}
	}
	start := p.pos
	v := &p.void
	if !p.skip {
		v = &node{}
	}
	var err error
	switch c := p.peek(); {
	case c == '{' || c == '[':
		if depth >= p.lim.Depth {
			return Value{}, &LimitError{"depth", p.lim.Depth}
		}
		if v.kind = Array; c == '{' {
			v.kind = Object
		}
		err = p.nested(v, depth)
	case c == '"':
		v.kind = String
		v.text, err = p.str()
	case c == 't' && p.word("true"):
		v.kind, v.truth = Bool, true
	case c == 'f' && p.word("false"):
		v.kind = Bool
	case c == 'n' && p.word("null"):
		v.kind = Null
	case c == 'N' && p.word("NaN"), c == 'I' && p.word("Infinity"),
		c == '-' && p.word("-Infinity"), c == '+' && p.word("+Infinity"):
		v.kind = Number // leniency: what Python's json.dumps writes
	case c == '-' || c >= '0' && c <= '9':
		v.kind = Number
		err = p.number()
	default:
		err = p.fail("unexpected " + p.seen() + ", expected a value")
	}
	if err != nil {
		return Value{}, err
	}
	v.raw = p.doc[start:p.pos:p.pos]
	return Value{v}, nil
}

func (p *parser) word(w string) bool {
	if len(p.doc)-p.pos < len(w) || string(p.doc[p.pos:p.pos+len(w)]) != w {
		return false
	}
	p.pos += len(w)
	return true
}

func (p *parser) digits() int {
	start := p.pos
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos - start
}

func (p *parser) number() error {
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
		if c := p.peek(); c >= '0' && c <= '9' {
			return p.fail("number with a leading zero")
		}
	} else if p.digits() == 0 {
		return p.fail("unexpected " + p.seen() + " in a number")
	}
	if p.peek() == '.' {
		p.pos++
		p.digits() // leniency: "0." without digits
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if p.digits() == 0 {
			return p.fail("unexpected " + p.seen() + " in an exponent")
		}
	}
	return nil
}

// nested parses an array or object. It only checks a large one.
func (p *parser) nested(v *node, depth int) error {
	made, start, values := !p.skip, p.pos, p.values
	if made && !p.small {
		p.skip = true
		_, err := p.composite(v.kind, depth)
		p.skip = false
		if err != nil || p.pos-start > lazyBytes {
			return err
		}
		p.pos, p.values, p.small = start, values, true
		defer func() { p.small = false }()
	}
	c, err := p.composite(v.kind, depth)
	if made {
		v.content.Store(c)
	}
	return err
}

func (p *parser) composite(kind Kind, depth int) (*content, error) {
	c := &p.none
	if !p.skip {
		c = &content{}
	}
	if kind == Object {
		c.members = []Member{}
		return c, p.object(c, depth)
	}
	c.items = []Value{}
	return c, p.array(c, depth)
}

func (p *parser) array(c *content, depth int) error {
	p.pos++
	if p.space(); p.peek() == ']' {
		p.pos++
		return nil
	}
	for n := 1; ; n++ {
		if p.skip {
			n += p.plain()
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if p.length = n; !p.skip {
			c.items = append(c.items, v)
		}
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return nil
		default:
			return p.fail("unexpected " + p.seen() + ", expected ',' or ']'")
		}
	}
}

// plain skips the numbers without exponents that follow in a list, with their commas, and returns
// their count. It is several times as fast in lists of millions of numbers. It leaves the last
// number, and any other form, to value, which also checks the limits.
func (p *parser) plain() (n int) {
	doc, next := p.doc, p.pos
	for ; ; n++ {
		at := next
		for at < len(doc) && doc[at] == ' ' {
			at++
		}
		if at < len(doc) && doc[at] == '-' {
			at++
		}
		first := at
		for at < len(doc) && doc[at]-'0' < 10 {
			at++
		}
		whole := at - first
		if whole > 0 && at < len(doc) && doc[at] == '.' {
			for at++; at < len(doc) && doc[at]-'0' < 10; at++ {
			}
		}
		if whole == 0 || whole > 1 && doc[first] == '0' || at == len(doc) || doc[at] != ',' {
			break
		}
		next = at + 1
	}
	p.pos = next
	p.values += n
	return n
}

// fewMembers is the number of names that are compared one by one; objects with more use a map.
const fewMembers = 16

func (p *parser) object(c *content, depth int) error {
	var index map[string]int
	find := func(name string) (int, bool) {
		if index != nil {
			i, ok := index[name]
			return i, ok
		}
		for i := range c.members {
			if c.members[i].Name == name {
				return i, true
			}
		}
		return 0, false
	}
	return p.members(func() error {
		name, err := p.str()
		if err != nil {
			return err
		}
		if err := p.colon(); err != nil {
			return err
		}
		v, err := p.value(depth + 1)
		if err != nil || p.skip {
			return err
		}
		if i, dup := find(name); dup {
			c.members[i].Value = v // leniency: the last one wins
			return nil
		}
		if c.members = append(c.members, Member{name, v}); index != nil {
			index[name] = len(c.members) - 1
		} else if len(c.members) == fewMembers {
			index = map[string]int{}
			for i := range c.members {
				index[c.members[i].Name] = i
			}
		}
		return nil
	})
}

// members parses an object. It calls member for each member.
func (p *parser) members(member func() error) error {
	p.pos++
	if p.space(); p.peek() == '}' {
		p.pos++
		return nil
	}
	for {
		if p.space(); p.peek() != '"' {
			return p.fail("unexpected " + p.seen() + ", expected a member name")
		}
		if err := member(); err != nil {
			return err
		}
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return nil
		default:
			return p.fail("unexpected " + p.seen() + ", expected ',' or '}'")
		}
	}
}

func (p *parser) colon() error {
	if p.space(); p.peek() != ':' {
		return p.fail("unexpected " + p.seen() + ", expected ':'")
	}
	p.pos++
	return nil
}

func (p *parser) str() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.doc) {
		switch c := p.doc[p.pos]; {
		case c == '"':
			b := p.doc[start:p.pos]
			p.pos++
			if !utf8.Valid(b) {
				p.pos = start
				return "", p.fail("string is not UTF-8")
			}
			if p.skip {
				return "", nil
			}
			return string(b), nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.fail("control character in a string")
		default:
			p.pos++
		}
	}
	return "", p.fail("string without its closing quote")
}

// escaped parses the rest of a string from its first escape.
func (p *parser) escaped(start int) (string, error) {
	buf := append([]byte(nil), p.doc[start:p.pos]...)
	for p.pos < len(p.doc) {
		c := p.doc[p.pos]
		switch {
		case c == '"':
			p.pos++
			if !utf8.Valid(buf) {
				p.pos = start
				return "", p.fail("string is not UTF-8")
			}
			return string(buf), nil
		case c < 0x20:
			return "", p.fail("control character in a string")
		case c != '\\':
			buf = append(buf, c)
			p.pos++
			continue
		}
		p.pos++
		e := p.peek()
		p.pos++
		switch e {
		case '"', '\\', '/':
			buf = append(buf, e)
		case 'b':
			buf = append(buf, '\b')
		case 'f':
			buf = append(buf, '\f')
		case 'n':
			buf = append(buf, '\n')
		case 'r':
			buf = append(buf, '\r')
		case 't':
			buf = append(buf, '\t')
		case 'u':
			r, ok := p.hex4()
			if !ok {
				return "", p.fail("bad \\u escape")
			}
			if r >= 0xd800 && r < 0xdc00 && p.peek() == '\\' {
				mark := p.pos
				p.pos++
				low := rune(-1)
				if p.peek() == 'u' {
					p.pos++
					low, _ = p.hex4()
				}
				if low >= 0xdc00 && low < 0xe000 {
					r = (r-0xd800)<<10 + (low - 0xdc00) + 0x10000
				} else {
					p.pos = mark
				}
			}
			buf = utf8.AppendRune(buf, r) // a lone surrogate becomes U+FFFD
		default:
			p.pos--
			return "", p.fail("unknown escape")
		}
	}
	return "", p.fail("string without its closing quote")
}

func (p *parser) hex4() (rune, bool) {
	if len(p.doc)-p.pos < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.doc[p.pos:p.pos+4]), 16, 32)
	p.pos += 4
	return rune(n), err == nil
}
