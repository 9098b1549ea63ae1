package model

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// maxProgram is the most instructions of one pattern.
const maxProgram = 10_000

type opcode uint8

const (
	opIn opcode = iota
	opNotIn
	opStart
	opEnd
	opWord
	opNotWord
	opSplit
	opJump
	opMatch
)

type instruction struct {
	op     opcode
	ranges []rune // both ends included, one after the other
	a, b   int
}

// pattern is a regular expression as JSON Schema writes them (ECMA-262, with the flag u), whose matching takes time in proportion to
// the text and the expression, whatever they are. It does without what such matching cannot have: back references, lookahead and lookbehind;
// and without classes by Unicode property. Package regexp reads another language.
type pattern []instruction

// newPattern reads an expression. Errors are *SchemaError and *zarr.LimitError.
func newPattern(source string) (pattern, error) {
	p := patternParser{source: source, points: []rune(source)}
	part, err := p.alternatives()
	if err == nil && p.at < len(p.points) {
		err = p.fail("a ) without its (")
	}
	if err != nil {
		return nil, err
	}
	var program pattern
	if err := program.emit(part); err != nil {
		return nil, err
	}
	return program, program.add(instruction{op: opMatch})
}

// match tells whether the pattern matches anywhere in the text; each step is counted.
func (p pattern) match(text string, count func(int) error) (bool, error) {
	points := []rune(text)
	isWord := func(at int) bool { return at >= 0 && at < len(points) && within(points[at], word) }
	var states []int
	// In which round an instruction was last seen.
	seen := make([]int, len(p))
	if err := count(len(p) >> 4); err != nil {
		return false, err
	}
	for at := 0; ; at++ {
		// The states that are reached without a code point, and where the expression may begin here.
		reached := append([]int{0}, states...)
		states = nil
		steps := 0
		for len(reached) > 0 {
			pc := reached[len(reached)-1]
			reached = reached[:len(reached)-1]
			if seen[pc] == at+1 {
				continue
			}
			seen[pc] = at + 1
			steps++
			in, holds := p[pc], false
			switch in.op {
			case opMatch:
				return true, nil
			case opJump:
				reached = append(reached, in.a)
			case opSplit:
				reached = append(reached, in.a, in.b)
			case opStart:
				holds = at == 0
			case opEnd:
				holds = at == len(points)
			case opWord, opNotWord:
				holds = (isWord(at-1) != isWord(at)) == (in.op == opWord)
			default:
				if at < len(points) && within(points[at], in.ranges) == (in.op == opIn) {
					states = append(states, pc+1)
				}
			}
			if holds {
				reached = append(reached, pc+1)
			}
		}
		if err := count(steps); err != nil {
			return false, err
		}
		if at >= len(points) {
			return false, nil
		}
	}
}

func within(point rune, ranges []rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if point >= ranges[i] && point <= ranges[i+1] {
			return true
		}
	}
	return false
}

var (
	digit    = []rune{'0', '9'}
	word     = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	lineEnds = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
	space    = []rune{
		0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
		0x3000, 0x3000, 0xfeff, 0xfeff,
	}
)

// complement is what is not in the ranges.
func complement(ranges []rune) []rune {
	var out []rune
	from := rune(0)
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] > from {
			out = append(out, from, ranges[i]-1)
		}
		from = ranges[i+1] + 1
	}
	return append(out, from, unicode.MaxRune)
}

type syntaxKind uint8

const (
	isInstruction syntaxKind = iota
	isAll
	isAny
	isRepeat
)

type syntax struct {
	kind     syntaxKind
	in       instruction
	parts    []syntax
	min, max int // max is math.MaxInt where there is none
}

type patternParser struct {
	source string
	points []rune
	at     int
	depth  int
}

func (p *patternParser) fail(why string) error {
	return &SchemaError{Msg: "the pattern " + strconv.Quote(p.source) + " has " + why}
}

func (p *patternParser) unsupported(what string) error {
	return &SchemaError{Msg: what + " in the pattern " + strconv.Quote(p.source), Unsupported: true}
}

func (p *patternParser) peek() rune {
	if p.at < len(p.points) {
		return p.points[p.at]
	}
	return -1
}

// next takes one code point; -1 is the end.
func (p *patternParser) next() rune {
	r := p.peek()
	p.at++
	return r
}

func (p *patternParser) take(text string) bool {
	rest := p.points[min(p.at, len(p.points)):]
	if len(rest) < len(text) || string(rest[:len(text)]) != text {
		return false
	}
	p.at += len(text)
	return true
}

func (p *patternParser) alternatives() (syntax, error) {
	if p.depth++; p.depth > 200 {
		return syntax{}, &zarr.LimitError{Limit: "depth", Max: 200, What: "a group of a pattern"}
	}
	all := syntax{kind: isAny}
	for {
		one, err := p.sequence()
		if err != nil {
			return syntax{}, err
		}
		all.parts = append(all.parts, one)
		if !p.take("|") {
			p.depth--
			return all, nil
		}
	}
}

func (p *patternParser) sequence() (syntax, error) {
	all := syntax{kind: isAll}
	for {
		if r := p.peek(); r == -1 || r == '|' || r == ')' {
			return all, nil
		}
		part, err := p.atom()
		if err == nil {
			part, err = p.repeated(part)
		}
		if err != nil {
			return syntax{}, err
		}
		all.parts = append(all.parts, part)
	}
}

func (p *patternParser) repeated(part syntax) (syntax, error) {
	low, high := 0, math.MaxInt
	switch {
	case p.take("+"):
		low = 1
	case p.take("?"):
		high = 1
	case p.take("*"):
	case p.take("{"):
		from, ok := p.number()
		if !ok {
			return syntax{}, p.fail("a { that begins no count")
		}
		low, high = from, from
		if p.take(",") {
			if high, ok = p.number(); !ok {
				high = math.MaxInt
			}
		}
		if !p.take("}") || high < low {
			return syntax{}, p.fail("a count that is none")
		}
	default:
		return part, nil
	}
	if part.kind == isInstruction && part.in.op > opNotIn {
		return syntax{}, p.fail("nothing to repeat")
	}
	// That it takes as little as possible makes no difference to whether it matches.
	p.take("?")
	return syntax{kind: isRepeat, parts: []syntax{part}, min: low, max: high}, nil
}

func (p *patternParser) number() (int, bool) {
	n, digits := 0, 0
	for ; within(p.peek(), digit); digits++ {
		n = min(n*10+int(p.next()-'0'), math.MaxInt32)
	}
	return n, digits > 0
}

func one(r rune) []rune { return []rune{r, r} }

func instructionOf(op opcode, ranges []rune) syntax {
	return syntax{in: instruction{op: op, ranges: ranges}}
}

func (p *patternParser) atom() (syntax, error) {
	switch r := p.next(); r {
	case '^':
		return instructionOf(opStart, nil), nil
	case '$':
		return instructionOf(opEnd, nil), nil
	case '.':
		return instructionOf(opNotIn, lineEnds), nil
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		if p.take("b") {
			return instructionOf(opWord, nil), nil
		}
		if p.take("B") {
			return instructionOf(opNotWord, nil), nil
		}
		ranges, err := p.escape()
		return instructionOf(opIn, ranges), err
	case '*', '+', '?':
		return syntax{}, p.fail("nothing to repeat")
	case '{', '}', ']':
		return syntax{}, p.fail("a " + string(r) + " that stands alone")
	default:
		return instructionOf(opIn, one(r)), nil
	}
}

func (p *patternParser) group() (syntax, error) {
	if p.take("?") {
		switch {
		case p.take("<=") || p.take("<!"):
			return syntax{}, p.unsupported("lookbehind")
		case p.take("<"):
			var name []rune
			for p.at < len(p.points) && !p.take(">") {
				name = append(name, p.next())
			}
			if !isGroupName(name) {
				return syntax{}, p.fail("a group with a name that is none")
			}
		case p.take("=") || p.take("!"):
			return syntax{}, p.unsupported("lookahead")
		case !p.take(":"):
			return syntax{}, p.fail("a (? that begins nothing")
		}
	}
	inner, err := p.alternatives()
	if err == nil && !p.take(")") {
		err = p.fail("a ( without its )")
	}
	return inner, err
}

func isGroupName(name []rune) bool {
	for i, r := range name {
		if !(unicode.IsLetter(r) || r == '$' || r == '_' || i > 0 && unicode.IsDigit(r)) {
			return false
		}
	}
	return len(name) > 0
}

func (p *patternParser) class() (syntax, error) {
	op := opIn
	if p.take("^") {
		op = opNotIn
	}
	var ranges []rune
	for !p.take("]") {
		from, err := p.classItem()
		if err != nil {
			return syntax{}, err
		}
		if p.peek() != '-' || p.at+1 >= len(p.points) || p.points[p.at+1] == ']' {
			ranges = append(ranges, from...)
			continue
		}
		p.at++
		to, err := p.classItem()
		if err != nil {
			return syntax{}, err
		}
		if len(from) != 2 || len(to) != 2 || from[0] != from[1] || to[0] != to[1] || from[0] > to[0] {
			return syntax{}, p.fail("a range of characters that is none")
		}
		ranges = append(ranges, from[0], to[0])
	}
	return instructionOf(op, ranges), nil
}

func (p *patternParser) classItem() ([]rune, error) {
	switch r := p.next(); {
	case r == -1:
		return nil, p.fail("a [ without its ]")
	case r != '\\':
		return one(r), nil
	case p.take("b"):
		return one('\b'), nil
	case p.take("-"):
		return one('-'), nil
	}
	return p.escape()
}

// escape reads what stands after a backslash.
func (p *patternParser) escape() ([]rune, error) {
	r := p.next()
	switch r {
	case -1:
		return nil, p.fail("a \\ at its end")
	case 'd':
		return digit, nil
	case 'D':
		return complement(digit), nil
	case 'w':
		return word, nil
	case 'W':
		return complement(word), nil
	case 's':
		return space, nil
	case 'S':
		return complement(space), nil
	case 't', 'n', 'v', 'f', 'r':
		return one(map[rune]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}[r]), nil
	case 'k':
		return nil, p.unsupported("a back reference")
	case 'p', 'P':
		return nil, p.unsupported("a class by Unicode property")
	case 'c':
		if c := p.next(); c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return one(c % 32), nil
		}
	case 'x':
		return p.hex(2)
	case 'u':
		return p.unicode()
	case '0':
		if !within(p.peek(), digit) {
			return one(0), nil
		}
	}
	if strings.ContainsRune(`^$\.*+?()[]{}|/`, r) {
		return one(r), nil
	}
	if within(r, digit) {
		return nil, p.unsupported("a back reference")
	}
	return nil, p.fail("the escape \\" + string(r) + ", which is none")
}

func (p *patternParser) unicode() ([]rune, error) {
	if !p.take("{") {
		unit, err := p.hex(4)
		if err != nil || unit[0] < 0xd800 || unit[0] > 0xdbff {
			return unit, err
		}
		mark := p.at
		if p.take(`\u`) {
			if low, err := p.hex(4); err != nil || low[0] >= 0xdc00 && low[0] <= 0xdfff {
				if err != nil {
					return nil, err
				}
				return one(0x10000 + (unit[0]-0xd800)<<10 + low[0] - 0xdc00), nil
			}
		}
		p.at = mark
		return unit, nil
	}
	from := p.at
	for p.at < len(p.points) && isHex(p.peek()) {
		p.at++
	}
	n, err := strconv.ParseUint(strings.TrimLeft(string(p.points[from:p.at]), "0"), 16, 32)
	if errors.Is(err, strconv.ErrSyntax) && p.at > from {
		n, err = 0, nil // zeros only
	}
	if err != nil || n > unicode.MaxRune || !p.take("}") {
		return nil, p.fail("the escape \\u, which is none")
	}
	return one(rune(n)), nil
}

func isHex(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) }

func (p *patternParser) hex(digits int) ([]rune, error) {
	to := p.at + digits
	if to > len(p.points) || slices.ContainsFunc(p.points[p.at:to], func(r rune) bool { return !isHex(r) }) {
		return nil, p.fail("an escape without its digits")
	}
	n, _ := strconv.ParseUint(string(p.points[p.at:to]), 16, 32)
	p.at = to
	return one(rune(n)), nil
}

func (p *pattern) add(in instruction) error {
	if len(*p) >= maxProgram {
		return &zarr.LimitError{Limit: "pattern", Max: maxProgram, What: "a pattern"}
	}
	*p = append(*p, in)
	return nil
}

func (p *pattern) emit(s syntax) error {
	switch s.kind {
	case isInstruction:
		return p.add(s.in)
	case isAll:
		for _, part := range s.parts {
			if err := p.emit(part); err != nil {
				return err
			}
		}
		return nil
	case isAny:
		return p.alternatives(s.parts)
	}
	return p.repeat(s.parts[0], s.min, s.max)
}

func (p *pattern) alternatives(parts []syntax) error {
	var ends []int
	for _, part := range parts[:len(parts)-1] {
		split := len(*p)
		if err := p.add(instruction{op: opSplit}); err != nil {
			return err
		}
		if err := p.emit(part); err != nil {
			return err
		}
		ends = append(ends, len(*p))
		if err := p.add(instruction{op: opJump}); err != nil {
			return err
		}
		(*p)[split].a, (*p)[split].b = split+1, len(*p)
	}
	if err := p.emit(parts[len(parts)-1]); err != nil {
		return err
	}
	for _, end := range ends {
		(*p)[end].a = len(*p)
	}
	return nil
}

func (p *pattern) repeat(part syntax, low, high int) error {
	before := len(*p)
	for range low {
		if err := p.emit(part); err != nil {
			return err
		}
		// A part of no instructions is the same however often it stands there.
		if len(*p) == before {
			return nil
		}
	}
	var splits []int
	for i := low; i < high; i++ {
		splits = append(splits, len(*p))
		if err := p.add(instruction{op: opSplit}); err != nil {
			return err
		}
		if err := p.emit(part); err != nil {
			return err
		}
		if high == math.MaxInt {
			if err := p.add(instruction{op: opJump, a: splits[0]}); err != nil {
				return err
			}
			break
		}
	}
	for _, split := range splits {
		(*p)[split].a, (*p)[split].b = split+1, len(*p)
	}
	return nil
}
