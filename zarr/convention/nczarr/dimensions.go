package nczarr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Dimension is a dimension that a group declares.
type Dimension struct {
	Name string // in the group
	Size int64
	// Unlimited reports whether the dimension may grow.
	Unlimited bool
}

// Group is NCZarr's description of a group.
type Group struct {
	Dimensions []Dimension // in their order
	// Arrays and Groups are the names of the group's members. Listed is false if NCZarr names none.
	Arrays, Groups []string
	Listed         bool
	// Problems holds a sentence for each invalid statement.
	Problems []string
}

// Array is NCZarr's description of an array.
type Array struct {
	// References holds the dimensions' paths, such as "/g1/time".
	References []string
	// Scalar marks a scalar. v2 stores it with the shape [1].
	Scalar bool
}

// texts returns the items of a list of strings.
func texts(v json.Value) ([]string, bool) {
	if v.Kind() != json.Array {
		return nil, false
	}
	list := make([]string, 0, v.Len())
	for _, item := range v.Items() {
		text, ok := item.Text()
		if !ok {
			return nil, false
		}
		list = append(list, text)
	}
	return list, true
}

// first returns the first of the named members that exists.
func first(v json.Value, names ...string) json.Value {
	for _, name := range names {
		if of := v.Get(name); !of.IsNull() {
			return of
		}
	}
	return json.Value{}
}

// GroupOf returns NCZarr's description of a group, or nil. The path appears in its problems.
func GroupOf(n *meta.Node, path string) *Group { return groupOf(n, path, json.Value{}) }

func groupOf(n *meta.Node, path string, more json.Value) *Group {
	said := ownOf(n, "group")
	if !said.Exists() {
		said = more
	}
	if said.Kind() != json.Object {
		return nil
	}
	g := &Group{}
	seen := map[string]bool{}
	add := func(name, size json.Value, unlimited json.Value) {
		text, ok := name.Text()
		n, sized := size.Int64()
		if !ok || text == "" || strings.Contains(text, "/") || seen[text] || !sized || n < 0 {
			problem := fmt.Sprintf("a dimension of /%s has no valid name or size", path)
			if ok {
				problem += ": " + quote(text)
			}
			g.Problems = append(g.Problems, problem)
			return
		}
		seen[text] = true
		one, _ := unlimited.Int64()
		yes, _ := unlimited.Bool()
		g.Dimensions = append(g.Dimensions, Dimension{text, n, one == 1 || yes})
	}
	switch declared := first(said, "dimensions", "dims"); declared.Kind() {
	case json.Array:
		for _, d := range declared.Items() {
			add(d.Get("name"), d.Get("size"), d.Get("unlimited"))
		}
	case json.Object:
		for _, m := range declared.Members() {
			if m.Value.Kind() == json.Object {
				add(json.Text(m.Name), m.Value.Get("size"), m.Value.Get("unlimited"))
			} else {
				add(json.Text(m.Name), m.Value, json.Value{})
			}
		}
	case json.Invalid, json.Null:
	default:
		g.Problems = append(g.Problems, fmt.Sprintf("the dimensions of /%s are neither a list nor an object", path))
	}
	arrays, hasArrays := texts(first(said, "arrays", "vars"))
	groups, hasGroups := texts(first(said, "groups", "subgroups"))
	g.Arrays, g.Groups, g.Listed = arrays, groups, hasArrays || hasGroups
	return g
}

// ArrayOf returns NCZarr's description of an array, or nil. The error is an *Error with the path
// when the description does not fit the array.
func ArrayOf(n *meta.Node, path string) (*Array, error) { return arrayOf(n, path, json.Value{}) }

func arrayOf(n *meta.Node, path string, more json.Value) (*Array, error) {
	said := ownOf(n, "array")
	if !said.Exists() {
		said = more
	}
	list := first(said, "dimension_references", "dimrefs")
	if n.Array == nil || !list.Exists() {
		return nil, nil
	}
	fail := func(format string, args ...any) (*Array, error) {
		return nil, &Error{Path: path, Msg: fmt.Sprintf(format, args...)}
	}
	references, ok := texts(list)
	if !ok {
		return fail("the dimension references are not a list of strings")
	}
	for _, r := range references {
		if !regexp.MustCompile(`^(/[^/]+)+$`).MatchString(r) {
			return fail("the dimension reference %s is not a path", quote(r))
		}
	}
	shape := n.Array.Shape
	storage, _ := said.Get("storage").Text()
	scalar := storage == "scalar" || len(references) == 0 && len(shape) <= 1
	fits := len(shape) == len(references)
	if scalar {
		fits = len(references) == 0 && !slices.ContainsFunc(shape, func(n int64) bool { return n != 1 })
	}
	if !fits {
		return fail("%d dimensions, but %d references", len(shape), len(references))
	}
	return &Array{references, scalar}, nil
}

// MemberNames removes duplicates, and names that are paths to other places.
func MemberNames(names []string) []string {
	var members []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] && name != "" && name != "." && name != ".." && !strings.Contains(name, "/") {
			members = append(members, name)
		}
		seen[name] = true
	}
	return members
}

// NameOf returns the last segment of a dimension's path.
func NameOf(reference string) string { return reference[strings.LastIndexByte(reference, '/')+1:] }

// Error reports an invalid NCZarr description of a node.
type Error struct {
	Path string // of the node
	Msg  string
}

func (e *Error) Error() string { return "/" + e.Path + ": " + e.Msg }

// quote formats a text as a JSON string.
func quote(text string) string { return string(json.AppendString(nil, text)) }
