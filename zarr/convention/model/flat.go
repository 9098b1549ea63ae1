package model

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Flatten returns a model's nodes by path, without their members and parents first. Consolidated
// metadata has this form (ZEP 6, "Implementing consolidated metadata via Zarr Object Models"). The
// root's path is "", and other paths have no leading slash: "a/b". The error is a
// *zarr.InvalidMetadataError.
func Flatten(model Value) (Value, error) {
	var flat []json.Member
	var walk func(node Value, path string) error
	walk = func(node Value, path string) error {
		if node.Kind() != json.Object {
			return invalid(path, "it is not an object")
		}
		if !isGroup(node) {
			flat = append(flat, json.Member{Name: path, Value: node})
			return nil
		}
		own := without(node, "members")
		if !isGroup(own) {
			return invalid(path, "an array has no members")
		}
		flat = append(flat, json.Member{Name: path, Value: own})
		members := node.Get("members")
		if members.Exists() && members.Kind() != json.Object {
			return invalid(path, "members is not an object")
		}
		for _, m := range members.Members() {
			at := m.Name
			if path != "" {
				at = path + "/" + m.Name
			}
			if !isName(m.Name) {
				return invalid(at, "a node cannot have this name")
			}
			if err := walk(m.Value, at); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(model, ""); err != nil {
		return Value{}, err
	}
	return json.Make(flat...), nil
}

// growing is a node under construction.
type growing struct {
	node    Value
	group   bool
	names   []string
	members map[string]*growing
}

func (g *growing) build() Value {
	if !g.group {
		return g.node
	}
	members := make([]json.Member, len(g.names))
	for i, name := range g.names {
		members[i] = json.Member{Name: name, Value: g.members[name].build()}
	}
	own := slices.Clone(without(g.node, "members").Members())
	return json.Make(append(own, json.Member{Name: "members", Value: json.Make(members...)})...)
}

// Unflatten is the inverse of [Flatten]. A group that no path names, but with nodes below it, gets
// no attributes. Leading slashes are ignored. The error is a *zarr.InvalidMetadataError for paths
// that form no tree: nodes below an array, invalid names, or duplicates.
func Unflatten(flat Value) (Value, error) {
	if flat.Kind() != json.Object {
		return Value{}, invalid("", "it is not an object of nodes by path")
	}
	nodes := make(map[string]Value, flat.Len())
	paths := make([]string, 0, flat.Len())
	format := 0
	for _, m := range flat.Members() {
		path := strings.TrimPrefix(m.Name, "/")
		if _, twice := nodes[path]; twice {
			return Value{}, invalid(path, "it occurs twice")
		}
		if m.Value.Kind() != json.Object {
			return Value{}, invalid(path, "it is not an object")
		}
		if isGroup(m.Value) && !m.Value.Get("members").IsNull() {
			return Value{}, invalid(path, "it has members of its own")
		}
		nodes[path] = m.Value
		paths = append(paths, path)
		if n, ok := m.Value.Get("zarr_format").Int64(); ok && format == 0 && n >= 1 && n <= 3 {
			format = int(n)
		}
	}
	if format == 0 {
		format = 3
	}
	grow := func(path string) *growing {
		node, ok := nodes[path]
		if !ok {
			node = without(groupModel(&meta.Node{Format: format, Attributes: json.EmptyObject()}, json.EmptyObject()), "members")
		}
		return &growing{node: node, group: isGroup(node), members: map[string]*growing{}}
	}
	root := grow("")
	for _, path := range paths {
		if path == "" {
			continue
		}
		above, at := root, ""
		names := strings.Split(path, "/")
		if err := checkDepth(len(names)); err != nil {
			return Value{}, err
		}
		for _, name := range names {
			if !isName(name) {
				return Value{}, invalid(path, "a node cannot have this name")
			}
			if !above.group {
				return Value{}, invalid(path, strconv.Quote(at)+" above it is an array")
			}
			if at != "" {
				at += "/"
			}
			at += name
			next := above.members[name]
			if next == nil {
				next = grow(at)
				above.members[name] = next
				above.names = append(above.names, name)
			}
			above = next
		}
	}
	return root.build(), nil
}

func isName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
}

func invalid(path, why string) error {
	return &zarr.InvalidMetadataError{Path: path, Err: errors.New("of a model: " + why)}
}
