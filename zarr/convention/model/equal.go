package model

import "github.com/zarr-wasm/zarr-wasm/internal/json"

// EqualStructure tells whether two hierarchies have the same structure (ZEP 6, "Motivation and Scope"): the same tree of nodes with the same
// metadata, attributes included. They are compared as JSON values: the order of members does not count, and 1 is 1.0, but 0 is not false.
func EqualStructure(a, b Value) bool { return equal(a, b) }

// EqualIgnoringAttributes is [EqualStructure], but that the user's attributes do not count.
func EqualIgnoringAttributes(a, b Value) bool {
	keep := func(node Value) []json.Member { return without(node, "attributes").Members() }
	return equal(reduced(a, keep), reduced(b, keep))
}

// EqualLayout tells whether two hierarchies have the same layout: nodes of the same names and of the same types, whatever their metadata is.
func EqualLayout(a, b Value) bool {
	keep := func(Value) []json.Member { return nil }
	return equal(reduced(a, keep), reduced(b, keep))
}

// reduced is a model with less of each node; of a group the members stay.
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
