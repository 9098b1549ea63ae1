package model

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

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
