package model

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

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
