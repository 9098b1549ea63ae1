package ome

import (
	"math"
	"math/big"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// ProblemLevel is how much a problem weighs: the specification's own word, or Warning where it has none.
type ProblemLevel string

// The levels of problems.
const (
	Must    ProblemLevel = "MUST"
	Should  ProblemLevel = "SHOULD"
	Warning ProblemLevel = "warning"
)

// Problem is what is wrong with a document of OME-Zarr.
type Problem struct {
	// Level is the word of the rule that is broken. A document without problems of level Must is valid.
	Level ProblemLevel
	// Path is where in the attributes, as in "multiscales[0].datasets[1].path"; empty for the attributes as a whole.
	Path    string
	Message string
}

// mostProblems are listed: a document may have a wrong well for each of its lines.
const mostProblems = 1000

// problems collects problems.
type problems struct{ list []Problem }

func (p *problems) add(level ProblemLevel, path, message string) {
	switch {
	case len(p.list) < mostProblems:
		p.list = append(p.list, Problem{level, path, message})
	case len(p.list) == mostProblems:
		p.list = append(p.list, Problem{level, "", "more than " + strconv.Itoa(mostProblems) + " problems: the others are not listed"})
	case level == Must:
		p.list[mostProblems].Level = level
	}
}

// part is a value in a document that knows where it stands: what is wrong with it is reported with its path.
type part struct {
	json.Value
	path string
	// name is what messages call it: the member that it is, or that it is an item of.
	name string
	all  *problems
}

func (p part) isObject() bool { return p.Kind() == json.Object }
func (p part) isList() bool   { return p.Kind() == json.Array }

// isNull is true of null itself, not of what is not there.
func (p part) isNull() bool { return p.Kind() == json.Null }

// get returns a member, which need not be there.
func (p part) get(name string) part {
	path := name
	if p.path != "" {
		path = p.path + "." + name
	}
	return part{p.Value.Get(name), path, name, p.all}
}

// items returns the items of a list; none of what is no list.
func (p part) items() []part {
	items := p.Value.Items()
	parts := make([]part, len(items))
	for i, v := range items {
		at := "[" + strconv.Itoa(i) + "]"
		parts[i] = part{v, p.path + at, p.name + at, p.all}
	}
	return parts
}

// text returns the text that it is, or "".
func (p part) text() string {
	text, _ := p.Text()
	return text
}

func (p part) isText() bool { return p.Kind() == json.String }

// number returns the finite number that it is, if any.
func (p part) number() (float64, bool) {
	n, ok := p.Float64()
	return n, ok && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// integer returns the digits of the integer that it is, if any.
func (p part) integer() (string, bool) {
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

// flag returns the truth value that it is, if any.
func (p part) flag() *bool {
	if b, ok := p.Bool(); ok {
		return &b
	}
	return nil
}

func (p part) report(level ProblemLevel, message string) { p.all.add(level, p.path, message) }
func (p part) must(message string)                       { p.report(Must, message) }
func (p part) should(message string)                     { p.report(Should, message) }

func (p part) quoted() string { return "`" + p.name + "`" }

// list returns the items of a list that must be there and not be empty.
func (p part) list() []part {
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

// object is true of an object; of anything else that is reported.
func (p part) object() bool {
	switch {
	case !p.Exists():
		p.must(p.quoted() + " is missing")
	case !p.isObject():
		p.must(p.quoted() + " MUST be an object")
	}
	return p.isObject()
}

// needed returns the text that must be there and not be empty; it is "" otherwise.
func (p part) needed() string {
	switch {
	case !p.Exists():
		p.must(p.quoted() + " is missing")
	case p.text() == "":
		p.must(p.quoted() + " MUST be a text that is not empty")
	}
	return p.text()
}

// index returns the integer that must be there. One of 2^53 and more is not taken: JavaScript's numbers would hold another.
func (p part) index(least int64) (int64, bool) {
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

// optional reports what is there but is not what is tells.
func (p part) optional(is bool, expected string) {
	if p.Exists() && !is {
		p.must(p.quoted() + " MUST be " + expected)
	}
}

// anyNumber of numbers.
const anyNumber = -1

// numbers returns the finite numbers of a list, as many as told.
func (p part) numbers(count int) ([]float64, bool) {
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

// quote returns a text as JSON has it.
func quote(text string) string { return string(json.AppendString(nil, text)) }
