package ome

import (
	"math"
	"math/big"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// ProblemLevel is the severity of a problem: the specification's own word, or Warning.
type ProblemLevel string

// The levels of problems.
const (
	Must    ProblemLevel = "MUST"
	Should  ProblemLevel = "SHOULD"
	Warning ProblemLevel = "warning"
)

// Problem is a fault of an OME-Zarr document.
type Problem struct {
	// Level is the requirement level of the violated rule. A document without problems of level
	// Must is valid.
	Level ProblemLevel
	// Path is the place in the attributes, such as "multiscales[0].datasets[1].path". It is empty
	// for the attributes as a whole.
	Path    string
	Message string
}

// maxProblems bounds the list. A document can have an invalid well on each of its lines.
const maxProblems = 1000

// problems collects problems.
type problems struct{ list []Problem }

func (p *problems) add(level ProblemLevel, path, message string) {
	switch {
	case len(p.list) < maxProblems:
		p.list = append(p.list, Problem{level, path, message})
	case len(p.list) == maxProblems:
		p.list = append(p.list, Problem{level, "", "more than " + strconv.Itoa(maxProblems) + " problems: the others are not listed"})
	case level == Must:
		p.list[maxProblems].Level = level
	}
}

// member is a value in a document with its path, for problems.
type member struct {
	json.Value
	path string
	// name names the value in messages: its own member, or the list that contains it.
	name string
	all  *problems
}

func (p member) isObject() bool { return p.Kind() == json.Object }
func (p member) isList() bool   { return p.Kind() == json.Array }

// isNull reports whether the value is null. An absent value is not null.
func (p member) isNull() bool { return p.Kind() == json.Null }

// get returns a member, which may be absent.
func (p member) get(name string) member {
	path := name
	if p.path != "" {
		path = p.path + "." + name
	}
	return member{p.Value.Get(name), path, name, p.all}
}

// items returns the items of a list, or nothing for another value.
func (p member) items() []member {
	items := p.Value.Items()
	parts := make([]member, len(items))
	for i, v := range items {
		at := "[" + strconv.Itoa(i) + "]"
		parts[i] = member{v, p.path + at, p.name + at, p.all}
	}
	return parts
}

// text returns a string, or "" for another value.
func (p member) text() string {
	text, _ := p.Text()
	return text
}

func (p member) isText() bool { return p.Kind() == json.String }

// number returns a finite number.
func (p member) number() (float64, bool) {
	n, ok := p.Float64()
	return n, ok && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// integer returns the digits of an integer.
func (p member) integer() (string, bool) {
	literal, ok := p.Number()
	if !ok {
		return "", false
	}
	if n, ok := new(big.Int).SetString(literal, 10); ok {
		return n.String(), true
	}
	n, ok := p.Int64()
	return strconv.FormatInt(n, 10), ok
}

// flag returns a boolean, or nil.
func (p member) flag() *bool {
	if b, ok := p.Bool(); ok {
		return &b
	}
	return nil
}

func (p member) report(level ProblemLevel, message string) { p.all.add(level, p.path, message) }
func (p member) must(message string)                       { p.report(Must, message) }
func (p member) should(message string)                     { p.report(Should, message) }

func (p member) quoted() string { return "`" + p.name + "`" }

// list returns the items of a required, non-empty list.
func (p member) list() []member {
	switch {
	case !p.Exists():
		p.must(p.quoted() + " is missing")
	case !p.isList():
		p.must(p.quoted() + " MUST be a list")
	case len(p.Value.Items()) == 0:
		p.must(p.quoted() + " is empty")
	}
	return p.items()
}

// object reports whether the value is an object, and records a problem otherwise.
func (p member) object() bool {
	switch {
	case !p.Exists():
		p.must(p.quoted() + " is missing")
	case !p.isObject():
		p.must(p.quoted() + " MUST be an object")
	}
	return p.isObject()
}

// needed returns a required, non-empty string, or "".
func (p member) needed() string {
	switch {
	case !p.Exists():
		p.must(p.quoted() + " is missing")
	case p.text() == "":
		p.must(p.quoted() + " MUST be a string that is not empty")
	}
	return p.text()
}

// index returns a required integer. It refuses 2^53 and above, which JavaScript's numbers cannot
// represent exactly.
func (p member) index(least int64) (int64, bool) {
	if !p.Exists() {
		p.must(p.quoted() + " is missing")
		return 0, false
	}
	f, ok := p.Float64()
	n, exact := p.Int64()
	switch {
	case !ok || math.IsInf(f, 0) || f != math.Trunc(f):
		p.must(p.quoted() + " MUST be an integer")
		return 0, false
	case f < float64(least):
		p.must(p.quoted() + " MUST be at least " + strconv.FormatInt(least, 10))
		return 0, false
	case !exact || n >= 1<<53 || n <= -1<<53:
		p.report(Warning, p.quoted()+" has more than 53 bits, and is not read")
		return 0, false
	}
	return n, true
}

// optional records a problem for a present value of the wrong type.
func (p member) optional(is bool, expected string) {
	if p.Exists() && !is {
		p.must(p.quoted() + " MUST be " + expected)
	}
}

// anyNumber accepts lists of any length.
const anyNumber = -1

// numbers returns the finite numbers of a list of length count.
func (p member) numbers(count int) ([]float64, bool) {
	n := len(p.Value.Items())
	switch {
	case !p.Exists():
		p.must(p.quoted() + " is missing")
		return nil, false
	case !p.isList():
		p.must(p.quoted() + " MUST be a list of numbers")
		return nil, false
	case count != anyNumber && n != count:
		p.must(p.quoted() + " has " + strconv.Itoa(n) + " numbers for " + strconv.Itoa(count) + " axes")
		return nil, false
	}
	list := make([]float64, n)
	for i, item := range p.items() {
		var ok bool
		if list[i], ok = item.number(); !ok {
			item.must(p.quoted() + " MUST hold finite numbers")
			return nil, false
		}
	}
	return list, true
}

// quote formats a text as a JSON string.
func quote(text string) string { return string(json.AppendString(nil, text)) }
