package model

import "github.com/zarr-wasm/zarr-wasm/internal/json"

// EqualStructure reports whether two hierarchies have the same structure (ZEP 6, "Motivation and
// Scope"): the same tree of nodes with the same metadata and attributes. It compares JSON values.
// The order of members does not count, and 1 equals 1.0, but 0 does not equal false.
func EqualStructure(a, b Value) bool { return equal(a, b) }

// EqualIgnoringAttributes is [EqualStructure] without the user's attributes.
func EqualIgnoringAttributes(a, b Value) bool {
	keep := func(node Value) []json.Member { return without(node, "attributes").Members() }
	return equal(reduced(a, keep), reduced(b, keep))
}

// EqualLayout reports whether two hierarchies have nodes of the same names and types. It ignores
// their metadata.
func EqualLayout(a, b Value) bool {
	keep := func(Value) []json.Member { return nil }
	return equal(reduced(a, keep), reduced(b, keep))
}

// reduced returns a model with the chosen members of each node. Groups keep their child nodes.
func reduced(model Value, keep func(Value) []json.Member) Value {
	if model.Kind() != json.Object {
		return model
	}
	if !isGroup(model) {
		return json.Make(keep(model)...)
	}
	below := model.Get("members")
	if below.IsNull() || below.Kind() == json.Object {
		members := make([]json.Member, below.Len())
		for i, m := range below.Members() {
			members[i] = json.Member{Name: m.Name, Value: reduced(m.Value, keep)}
		}
		below = json.Make(members...)
	}
	own := keep(without(model, "members"))
	return json.Make(append(own[:len(own):len(own)], json.Member{Name: "members", Value: below})...)
}
