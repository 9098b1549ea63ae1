package model

import (
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr"
)

// Problem is what is wrong with a model.
type Problem struct {
	// Path is where in the model, as a JSON Pointer: "/members/t/shape/0".
	Path string
	// Keyword is the keyword of the schema that does not hold.
	Keyword string
	// SchemaPath is where in the schema, as a JSON Pointer.
	SchemaPath string
	// Message is what is wrong there.
	Message string
}

// SchemaError says what is wrong with a schema, or what of it is not supported.
type SchemaError struct {
	// Pointer is where in the schema, as a JSON Pointer.
	Pointer string
	Msg     string
	// Unsupported is true when the schema may be valid, but asks for what is not known here.
	Unsupported bool
}

func (e *SchemaError) Error() string {
	kind := "invalid schema at #"
	if e.Unsupported {
		kind = "unsupported in the schema at #"
	}
	return kind + e.Pointer + ": " + e.Msg
}

// ValidateOptions are the settings of [Validate].
type ValidateOptions struct {
	// MaxSteps is how many steps validation may take; default 20,000,000. More are a *zarr.LimitError.
	MaxSteps int
}

// maxProblems is how many problems are reported.
const maxProblems = 100

// Validate returns what is wrong with a model by a JSON Schema (draft 2020-12): nothing when it is valid. For a schema that is the zero
// Value it is [Schema] of the model's version. Where no branch of an anyOf or oneOf holds, the problems are those of the branch with the fewest.
// At most 100 are reported.
//
// All of a schema is read before. Errors are *SchemaError and *zarr.LimitError: a keyword that is not known here, a reference to another document
// and a draft other than 2020-12 are unsupported; a reference to nothing or one that leads back to itself is not valid. format, default and
// their like do not constrain.
func Validate(model, schema Value, opt ValidateOptions) ([]Problem, error) {
	if opt.MaxSteps == 0 {
		opt.MaxSteps = 20_000_000
	}
	if !schema.Exists() {
		version := 3
		if n, _ := model.Get("zarr_format").Int64(); n == 2 {
			version = 2
		}
		schema = Schema(version)
	}
	r := &run{root: schema, max: opt.MaxSteps, patterns: map[string]pattern{}, read: map[Value]bool{}, targets: map[string]*at{}}
	root := rooted(schema, "")
	if err := r.check(root, 0); err != nil {
		return nil, err
	}
	found, err := r.holds(root, model, nil, nil, 0)
	if err != nil {
		return nil, err
	}
	problems := make([]Problem, len(found))
	for i, one := range found {
		problems[i] = one.told()
	}
	return problems, nil
}

// at is a schema, and where it is in the document: below a keyword of another one, or below a name or number there.
type at struct {
	schema        Value
	keyword, name string
	above         *at
}

func (a *at) below(v Value, keyword, name string) *at {
	return &at{schema: v, keyword: keyword, name: name, above: a}
}

// rooted is a schema at a place that a reference names.
func rooted(v Value, pointer string) *at { return &at{schema: v, name: pointer} }

func (a *at) pointer() string {
	switch {
	case a.above == nil:
		return a.name
	case a.name == "":
		return a.above.pointer() + step(a.keyword)
	}
	return a.above.pointer() + step(a.keyword) + step(a.name)
}

// path is where a value is in the model.
type path struct {
	name  string
	above *path
}

func (p *path) pointer() string {
	if p == nil {
		return ""
	}
	return p.above.pointer() + step(p.name)
}

// problem is a Problem whose places are not written yet: most are of branches that need not hold.
type problem struct {
	path             *path
	at               *at
	keyword, message string
}

func (p problem) told() Problem {
	pointer := p.at.pointer()
	if p.keyword != "" {
		pointer += step(p.keyword)
	}
	return Problem{p.path.pointer(), p.keyword, pointer, p.message}
}

// step is a name of a JSON Pointer.
func step(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// followed are the references that were followed since the value was reached.
type followed struct {
	schema Value
	before *followed
}

type run struct {
	root     Value
	max      int
	steps    int
	patterns map[string]pattern
	read     map[Value]bool
	targets  map[string]*at
}

func (r *run) count(steps int) error {
	if r.steps += steps; r.steps > r.max {
		return &zarr.LimitError{Limit: "MaxSteps", Max: int64(r.max), What: "validation"}
	}
	return nil
}

type keywordKind uint8

const (
	kindSchema keywordKind = iota
	kindSchemas
	kindNamed
	kindCount
	kindNumber
	kindPositive
	kindNames
	kindNamesBy
	kindType
	kindList
	kindAny
	kindFlag
	kindText
	kindIgnored
	kindUnknown
)

func kindOf(keyword string) keywordKind {
	switch keyword {
	case "not", "if", "then", "else", "additionalProperties", "propertyNames", "items", "contains":
		return kindSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return kindSchemas
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		return kindNamed
	case "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties":
		return kindCount
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return kindNumber
	case "multipleOf":
		return kindPositive
	case "required":
		return kindNames
	case "dependentRequired":
		return kindNamesBy
	case "type":
		return kindType
	case "enum":
		return kindList
	case "const":
		return kindAny
	case "uniqueItems":
		return kindFlag
	case "pattern", "$ref", "$schema", "$id":
		return kindText
	case "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format",
		"contentEncoding", "contentMediaType", "contentSchema":
		return kindIgnored
	}
	if strings.HasPrefix(keyword, "x-") {
		return kindIgnored
	}
	return kindUnknown
}

func isSchema(v Value) bool { return v.Kind() == json.Object || v.Kind() == json.Bool }

func isTexts(v Value) bool {
	return v.Kind() == json.Array && !slices.ContainsFunc(v.Items(), func(v Value) bool { return v.Kind() != json.String })
}

func names(v Value) []string {
	var names []string
	for _, item := range v.Items() {
		name, _ := item.Text()
		names = append(names, name)
	}
	return names
}

// types are the names of a type keyword.
func types(v Value) []string {
	if name, ok := v.Text(); ok {
		return []string{name}
	}
	return names(v)
}

// isWanted tells whether a keyword has a value of its kind, and what that is.
func (kind keywordKind) isWanted(v Value) (ok bool, expected string) {
	n, isNumber := numberOf(v)
	switch kind {
	case kindSchema:
		return isSchema(v), "a schema"
	case kindSchemas:
		return v.Kind() == json.Array && v.Len() > 0, "a list of schemas"
	case kindNamed:
		return v.Kind() == json.Object, "an object of schemas"
	case kindCount:
		return isNumber && n.isInteger() && n.exact().Sign() >= 0, "an integer, at least 0"
	case kindNumber:
		return isNumber && !math.IsNaN(n.float), "a number"
	case kindPositive:
		return isNumber && n.decimal() != nil && n.decimal().Sign() > 0, "a number above 0"
	case kindNames:
		return isTexts(v), "a list of names"
	case kindNamesBy:
		return v.Kind() == json.Object && !slices.ContainsFunc(v.Members(), func(m json.Member) bool { return !isTexts(m.Value) }), "lists of names"
	case kindType:
		wrong := func(name string) bool {
			return !slices.Contains([]string{"null", "boolean", "object", "array", "number", "string", "integer"}, name)
		}
		all := types(v)
		return (v.Kind() == json.String || isTexts(v)) && len(all) > 0 && !slices.ContainsFunc(all, wrong), "a type, or a list of types"
	case kindList:
		return v.Kind() == json.Array, "a list"
	case kindFlag:
		return v.Kind() == json.Bool, "true or false"
	case kindText:
		return v.Kind() == json.String, "a text"
	}
	return true, ""
}

// check reads a schema and what it holds and refers to.
func (r *run) check(a *at, depth int) error {
	if err := checkDepth(depth); err != nil {
		return err
	}
	if err := r.count(1); err != nil {
		return err
	}
	if !isSchema(a.schema) {
		return &SchemaError{Pointer: a.pointer(), Msg: "it is no schema"}
	}
	if r.read[a.schema] {
		return nil
	}
	r.read[a.schema] = true
	for _, m := range a.schema.Members() {
		kind := kindOf(m.Name)
		if kind == kindUnknown {
			return &SchemaError{a.pointer(), "the keyword " + m.Name, true}
		}
		if ok, expected := kind.isWanted(m.Value); !ok {
			return &SchemaError{Pointer: a.pointer() + step(m.Name), Msg: expected + " expected"}
		}
		if err := r.checkKeyword(a, m, kind, depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) checkKeyword(a *at, m json.Member, kind keywordKind, depth int) error {
	text, _ := m.Value.Text()
	switch {
	case kind == kindSchema:
		return r.check(a.below(m.Value, m.Name, ""), depth+1)
	case kind == kindSchemas:
		for i, one := range m.Value.Items() {
			if err := r.check(a.below(one, m.Name, strconv.Itoa(i)), depth+1); err != nil {
				return err
			}
		}
	case kind == kindNamed:
		for _, one := range m.Value.Members() {
			if m.Name == "patternProperties" {
				if _, err := r.pattern(one.Name, a); err != nil {
					return err
				}
			}
			if err := r.check(a.below(one.Value, m.Name, one.Name), depth+1); err != nil {
				return err
			}
		}
	case m.Name == "pattern":
		_, err := r.pattern(text, a)
		return err
	case m.Name == "$schema":
		if draft := strings.TrimSuffix(text, "#"); draft != "https://json-schema.org/draft/2020-12/schema" && draft != "http://json-schema.org/draft/2020-12/schema" {
			return &SchemaError{a.pointer(), "the draft " + text + " of JSON Schema", true}
		}
	case m.Name == "$id" && a.pointer() != "":
		return &SchemaError{a.pointer(), "a $id below the schema's root", true}
	case m.Name == "$ref":
		target, err := r.target(text, a)
		if err != nil {
			return err
		}
		return r.check(target, depth+1)
	}
	return nil
}

func (r *run) pattern(source string, a *at) (pattern, error) {
	if p, ok := r.patterns[source]; ok {
		return p, nil
	}
	p, err := newPattern(source)
	if e, ok := err.(*SchemaError); ok {
		e.Pointer = a.pointer()
	}
	if err == nil {
		r.patterns[source] = p
	}
	return p, err
}

// target is what a reference leads to.
func (r *run) target(reference string, a *at) (*at, error) {
	if known := r.targets[reference]; known != nil {
		return known, nil
	}
	fragment, local := strings.CutPrefix(reference, "#")
	switch {
	case !local:
		return nil, &SchemaError{a.pointer(), "the reference " + reference + ", to another document", true}
	case fragment != "" && fragment[0] != '/':
		return nil, &SchemaError{a.pointer(), "the reference " + reference + ", which is no JSON Pointer", true}
	}
	found := r.root
	decoded, err := url.PathUnescape(fragment)
	if err != nil {
		found = Value{}
	}
	for _, name := range strings.Split(decoded, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if found.Kind() != json.Array {
			found = found.Get(name)
			continue
		}
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= found.Len() {
			found = Value{}
			break
		}
		found = found.Items()[i]
	}
	if !isSchema(found) {
		return nil, &SchemaError{Pointer: a.pointer(), Msg: "the reference " + reference + " leads to no schema"}
	}
	target := rooted(found, decoded)
	r.targets[reference] = target
	return target, nil
}

// holds tells what is wrong with a value, apart from the problems that are reported.
func (r *run) holds(a *at, v Value, p *path, f *followed, depth int) ([]problem, error) {
	var problems []problem
	err := r.apply(a, v, p, &problems, f, depth)
	return problems, err
}

// apply adds what is wrong with a value.
func (r *run) apply(a *at, v Value, p *path, problems *[]problem, f *followed, depth int) error {
	if err := checkDepth(depth); err != nil {
		return err
	}
	if err := r.count(1); err != nil {
		return err
	}
	c := call{run: r, at: a, value: v, path: p, problems: problems, followed: f, depth: depth}
	if truth, ok := a.schema.Bool(); ok {
		if !truth {
			c.problem("", "nothing may be here")
		}
		return nil
	}
	if reference, ok := a.schema.Get("$ref").Text(); ok {
		for one := f; one != nil; one = one.before {
			if one.schema == a.schema {
				return &SchemaError{Pointer: a.pointer(), Msg: "the reference " + reference + " leads back to itself"}
			}
		}
		target, err := r.target(reference, a)
		if err == nil {
			err = r.apply(target, v, p, problems, &followed{a.schema, f}, depth+1)
		}
		if err != nil {
			return err
		}
	}
	for _, part := range []func() error{c.values, c.branches} {
		if err := part(); err != nil {
			return err
		}
	}
	switch v.Kind() {
	case json.Number:
		c.numbers()
	case json.String:
		return c.texts()
	case json.Array:
		return c.items()
	case json.Object:
		return c.members()
	}
	return nil
}

// call is one schema at one value.
type call struct {
	*run
	at       *at
	value    Value
	path     *path
	problems *[]problem
	followed *followed
	depth    int
}

func (c *call) problem(keyword, message string) {
	if len(*c.problems) < maxProblems {
		*c.problems = append(*c.problems, problem{c.path, c.at, keyword, message})
	}
}

func (c *call) has(keyword string) Value { return c.at.schema.Get(keyword) }

// here applies another schema to the value.
func (c *call) here(a *at) error {
	return c.apply(a, c.value, c.path, c.problems, c.followed, c.depth+1)
}

// wrong is what another schema has against the value.
func (c *call) wrong(a *at) ([]problem, error) {
	return c.holds(a, c.value, c.path, c.followed, c.depth+1)
}

// child applies a schema to what the value holds.
func (c *call) child(a *at, name string, v Value) error {
	return c.apply(a, v, &path{name, c.path}, c.problems, nil, c.depth+1)
}

func (c *call) values() error {
	if t := c.has("type"); t.Exists() {
		all := types(t)
		if !slices.ContainsFunc(all, func(name string) bool { return isOfType(c.value, name) }) {
			c.problem("type", strings.Join(all, " or ")+" expected")
		}
	}
	if constant := c.has("const"); constant.Exists() {
		if err := c.count((len(constant.Raw()) + len(c.value.Raw())) >> 4); err != nil {
			return err
		}
		if !equal(constant, c.value) {
			c.problem("const", short(constant)+" expected, not "+short(c.value))
		}
	}
	if list := c.has("enum"); list.Exists() {
		if err := c.count((len(list.Raw())+len(c.value.Raw()))>>4 + list.Len()); err != nil {
			return err
		}
		text := string(canonical(nil, c.value))
		if !slices.ContainsFunc(list.Items(), func(one Value) bool { return string(canonical(nil, one)) == text }) {
			var known []string
			for _, one := range list.Items()[:min(8, list.Len())] {
				known = append(known, short(one))
			}
			c.problem("enum", "one of "+strings.Join(known, ", ")+" expected, not "+short(c.value))
		}
	}
	return nil
}

func (c *call) branches() error {
	for i, one := range c.has("allOf").Items() {
		if err := c.here(c.at.below(one, "allOf", strconv.Itoa(i))); err != nil {
			return err
		}
	}
	for most, keyword := range []string{"anyOf", "oneOf"} {
		holding, best := 0, []problem(nil)
		for i, one := range c.has(keyword).Items() {
			wrong, err := c.wrong(c.at.below(one, keyword, strconv.Itoa(i)))
			switch {
			case err != nil:
				return err
			case len(wrong) == 0:
				holding++
			case best == nil || len(wrong) < len(best):
				best = wrong
			}
			if holding > most {
				break
			}
		}
		if holding > 1 {
			c.problem(keyword, "more than one branch holds")
		} else if holding == 0 {
			*c.problems = append(*c.problems, best[:min(len(best), maxProblems-len(*c.problems))]...)
		}
	}
	if not := c.has("not"); not.Exists() {
		wrong, err := c.wrong(c.at.below(not, "not", ""))
		if err != nil {
			return err
		}
		if len(wrong) == 0 {
			c.problem("not", "what may not be is so")
		}
	}
	if condition := c.has("if"); condition.Exists() {
		wrong, err := c.wrong(c.at.below(condition, "if", ""))
		if err != nil {
			return err
		}
		branch := "then"
		if len(wrong) > 0 {
			branch = "else"
		}
		if one := c.has(branch); one.Exists() {
			return c.here(c.at.below(one, branch, ""))
		}
	}
	return nil
}

func (c *call) numbers() {
	value, _ := numberOf(c.value)
	bound := func(keyword, what string, holds func(order int) bool) {
		if limit, ok := numberOf(c.has(keyword)); ok {
			order, comparable := value.compare(limit)
			if !comparable || !holds(order) {
				c.problem(keyword, value.text()+what+limit.text())
			}
		}
	}
	bound("minimum", " is less than ", func(order int) bool { return order >= 0 })
	bound("maximum", " is more than ", func(order int) bool { return order <= 0 })
	bound("exclusiveMinimum", " is not more than ", func(order int) bool { return order > 0 })
	bound("exclusiveMaximum", " is not less than ", func(order int) bool { return order < 0 })
	if of, ok := numberOf(c.has("multipleOf")); ok {
		if d := value.decimal(); d == nil || !new(big.Rat).Quo(d, of.decimal()).IsInt() {
			c.problem("multipleOf", value.text()+" is no multiple of "+of.text())
		}
	}
}

// between checks a size.
func (c *call) between(of string, size int, things string) {
	n := number{float: float64(size)}
	if limit, ok := numberOf(c.has("min" + of)); ok {
		if order, _ := n.compare(limit); order < 0 {
			c.problem("min"+of, strconv.Itoa(size)+" "+things+", fewer than "+limit.text())
		}
	}
	if limit, ok := numberOf(c.has("max" + of)); ok {
		if order, _ := n.compare(limit); order > 0 {
			c.problem("max"+of, strconv.Itoa(size)+" "+things+", more than "+limit.text())
		}
	}
}

func (c *call) texts() error {
	text, _ := c.value.Text()
	if c.has("minLength").Exists() || c.has("maxLength").Exists() {
		if err := c.count(len(text) >> 4); err != nil {
			return err
		}
		c.between("Length", utf8.RuneCountInString(text), "characters")
	}
	source, ok := c.has("pattern").Text()
	if !ok {
		return nil
	}
	p, err := c.pattern(source, c.at)
	if err != nil {
		return err
	}
	matches, err := p.match(text, c.count)
	if err == nil && !matches {
		c.problem("pattern", short(c.value)+" does not match "+source)
	}
	return err
}

func (c *call) items() error {
	items := c.value.Items()
	c.between("Items", len(items), "items")
	first, rest := c.has("prefixItems").Items(), c.has("items")
	for i, one := range items {
		schema := c.at.below(rest, "items", "")
		if i < len(first) {
			schema = c.at.below(first[i], "prefixItems", strconv.Itoa(i))
		}
		if !schema.schema.Exists() {
			continue
		}
		if err := c.child(schema, strconv.Itoa(i), one); err != nil {
			return err
		}
	}
	if contained := c.has("contains"); contained.Exists() {
		found := 0
		for i, one := range items {
			wrong, err := c.holds(c.at.below(contained, "contains", ""), one, &path{strconv.Itoa(i), c.path}, nil, c.depth+1)
			if err != nil {
				return err
			}
			if len(wrong) == 0 {
				found++
			}
		}
		least, ok := numberOf(c.has("minContains"))
		if !ok {
			least.float = 1
		}
		n := number{float: float64(found)}
		if order, _ := n.compare(least); order < 0 {
			c.problem("contains", n.text()+" items are as they have to be, fewer than "+least.text())
		}
		if most, ok := numberOf(c.has("maxContains")); ok {
			if order, _ := n.compare(most); order > 0 {
				c.problem("maxContains", n.text()+" items are so, more than "+most.text())
			}
		}
	}
	if unique, _ := c.has("uniqueItems").Bool(); unique {
		if err := c.count(len(c.value.Raw()) >> 4); err != nil {
			return err
		}
		seen := make(map[string]bool, len(items))
		for _, one := range items {
			seen[string(canonical(nil, one))] = true
		}
		if len(seen) < len(items) {
			c.problem("uniqueItems", "two items are the same")
		}
	}
	return nil
}

// require reports names that the value does not have.
func (c *call) require(keyword string, wanted Value) error {
	for _, name := range wanted.Items() {
		if name, _ := name.Text(); !c.value.Get(name).Exists() {
			c.problem(keyword, name+" is missing")
		}
	}
	return c.count(wanted.Len() * (1 + c.value.Len()>>4))
}

func (c *call) members() error {
	members := c.value.Members()
	c.between("Properties", len(members), "members")
	if err := c.require("required", c.has("required")); err != nil {
		return err
	}
	for _, m := range c.has("dependentRequired").Members() {
		if !c.value.Get(m.Name).Exists() {
			continue
		}
		if err := c.require("dependentRequired", m.Value); err != nil {
			return err
		}
	}
	for _, m := range c.has("dependentSchemas").Members() {
		if !c.value.Get(m.Name).Exists() {
			continue
		}
		if err := c.here(c.at.below(m.Value, "dependentSchemas", m.Name)); err != nil {
			return err
		}
	}
	if err := c.count(len(members) * (1 + c.has("properties").Len()>>4)); err != nil {
		return err
	}
	for _, m := range members {
		if err := c.member(m); err != nil {
			return err
		}
	}
	return nil
}

// member checks one member of the value.
func (c *call) member(m json.Member) error {
	schema := c.has("properties").Get(m.Name)
	known := schema.Exists()
	if known {
		if err := c.child(c.at.below(schema, "properties", m.Name), m.Name, m.Value); err != nil {
			return err
		}
	}
	for _, one := range c.has("patternProperties").Members() {
		p, err := c.pattern(one.Name, c.at)
		if err != nil {
			return err
		}
		matches, err := p.match(m.Name, c.count)
		if err == nil && matches {
			known = true
			err = c.child(c.at.below(one.Value, "patternProperties", one.Name), m.Name, m.Value)
		}
		if err != nil {
			return err
		}
	}
	if additional := c.has("additionalProperties"); additional.Exists() && !known {
		if truth, ok := additional.Bool(); ok && !truth {
			c.problem("additionalProperties", m.Name+" is not known")
		} else if err := c.child(c.at.below(additional, "additionalProperties", ""), m.Name, m.Value); err != nil {
			return err
		}
	}
	if named := c.has("propertyNames"); named.Exists() {
		return c.child(c.at.below(named, "propertyNames", ""), m.Name, json.Text(m.Name))
	}
	return nil
}

func isOfType(v Value, name string) bool {
	if name == "integer" {
		n, ok := numberOf(v)
		return ok && n.isInteger()
	}
	return v.Kind().String() == name
}

// short is a value in a message.
func short(v Value) string {
	text := []rune(string(canonical(nil, v)))
	if len(text) > 60 {
		return string(text[:60]) + "…"
	}
	return string(text)
}
