// Package model implements the Zarr object model (ZEP 6): the JSON model of a hierarchy,
// flattening, comparison, and the JSON Schemas of models.
//
//	m, err := model.ToModel(ctx, group, model.Options{})
//	flat, err := model.Flatten(m)
//
// A model is a JSON [Value]. An array's model holds the properties that the core specification of
// its version defines, as in its metadata document, and its attributes. A group's model also holds
// its members: models by name.
package model

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Options are the settings of [ToModel].
type Options struct {
	// MaxDepth bounds the levels of groups; the default is 64. The error beyond it is a
	// *zarr.LimitError.
	MaxDepth int
	// Partial accepts groups whose store cannot list. The model then has only the members that
	// attributes name.
	Partial bool
}

// ToModel returns the model of a node and of all nodes below it (ZEP 6, "Specification of the base
// Zarr Object Model"). Members are sorted by name. With consolidated metadata it sends no request;
// otherwise each group costs a call of [zarr.Group.Members].
//
// Errors are those of Members and of opening nodes. For a group whose store cannot list, the error
// is a *zarr.UnsupportedError unless Options.Partial is set.
func ToModel(ctx context.Context, node zarr.Node, opt Options) (Value, error) {
	if opt.MaxDepth == 0 {
		opt.MaxDepth = 64
	}
	return opt.modelOf(ctx, node, 0)
}

func (o Options) modelOf(ctx context.Context, node zarr.Node, depth int) (Value, error) {
	group, ok := node.(*zarr.Group)
	if !ok {
		return arrayModel(node.Metadata()), nil
	}
	found, err := group.Members(ctx)
	if err != nil {
		return Value{}, err
	}
	if len(found) > 0 && depth >= o.MaxDepth {
		return Value{}, &zarr.LimitError{Limit: "MaxDepth", Max: int64(o.MaxDepth), What: "the model of " + node.Path()}
	}
	models := make([]Value, len(found))
	all, ctx := guard.NewGroup(ctx)
	for i, m := range found {
		if !o.Partial && (m.How == zarr.Named || m.How == zarr.Probed) {
			err = &zarr.UnsupportedError{Path: node.Path(), Feature: "the model of a group whose members are not listed; Options.Partial accepts the known ones"}
			break
		}
		all.Go(func() error {
			below, err := memberOf(ctx, group, m)
			if err == nil && below != nil {
				models[i], err = o.modelOf(ctx, below, depth+1)
			}
			return err
		})
	}
	if waited := all.Wait(); err == nil {
		err = waited
	}
	if err != nil {
		return Value{}, err
	}
	members := make([]json.Member, 0, len(found))
	for i, m := range found {
		// A folder without metadata or nodes does not belong to the hierarchy.
		if models[i].Exists() && (m.Kind != "implicit" || models[i].Get("members").Len() > 0) {
			members = append(members, json.Member{Name: m.Name, Value: models[i]})
		}
	}
	slices.SortFunc(members, func(a, b json.Member) int { return strings.Compare(a.Name, b.Name) })
	return groupModel(node.Metadata(), json.Make(members...)), nil
}

// memberOf opens a member's node, or returns nil for a folder without metadata.
func memberOf(ctx context.Context, group *zarr.Group, m zarr.Member) (zarr.Node, error) {
	if m.Err != nil || m.Node != nil {
		return m.Node, m.Err
	}
	path := m.Name
	if group.Path() != "" {
		path = group.Path() + "/" + m.Name
	}
	// Consolidated metadata lists the nodes below a group that has no document.
	node, err := group.Hierarchy().Open(ctx, path, zarr.OpenOptions{Kind: "group"})
	var missing *zarr.NotFoundError
	if errors.As(err, &missing) && m.Kind == "implicit" {
		return nil, nil
	}
	return node, err
}

// ofArrays returns the array properties that a version's core specification defines, in its order.
func ofArrays(format int) []string {
	switch format {
	case 1:
		return []string{"shape", "chunks", "dtype", "compression", "compression_opts", "fill_value", "order"}
	case 2:
		return []string{"shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters", "dimension_separator"}
	}
	return []string{"shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs", "storage_transformers", "dimension_names"}
}

func arrayModel(m *meta.Node) Value {
	document := documentOf(m)
	members := head(m.Format, "array")
	for _, name := range ofArrays(m.Format) {
		if v := document.Get(name); v.Exists() {
			members = append(members, json.Member{Name: name, Value: v})
		}
	}
	return json.Make(append(members, json.Member{Name: "attributes", Value: m.Attributes})...)
}

// groupModel returns a group's model. It renames properties of later versions of Zarr that clash
// with the model's own.
func groupModel(m *meta.Node, below Value) Value {
	document := documentOf(m)
	members := head(m.Format, "group")
	for _, own := range document.Members() {
		if strings.TrimLeft(own.Name, "_") != "members" {
			continue
		}
		if own.Name == "members" {
			for own.Name = "_members"; document.Get(own.Name).Exists(); own.Name = "_" + own.Name {
			}
		}
		members = append(members, own)
	}
	return json.Make(append(members, json.Member{Name: "attributes", Value: m.Attributes}, json.Member{Name: "members", Value: below})...)
}

// head returns the properties that all nodes of a version share.
func head(format int, kind string) []json.Member {
	version, _ := json.Parse([]byte{byte('0' + format)}, json.Limits{})
	members := []json.Member{{Name: "zarr_format", Value: version}}
	if format == 3 {
		members = append(members, json.Member{Name: "node_type", Value: json.Text(kind)})
	}
	return members
}

// documentOf returns the document with the node's properties. An implicit group has none.
func documentOf(m *meta.Node) Value {
	name := meta.DocumentV3
	switch {
	case m.Format == 1:
		name = meta.DocumentV1
	case m.Format == 2 && m.Array != nil:
		name = meta.DocumentArray
	case m.Format == 2:
		name = meta.DocumentGroup
	}
	for _, d := range m.Documents {
		if d.Name == name {
			// The document has been parsed once without error.
			v, _ := json.Parse(d.Bytes, json.Limits{Bytes: len(d.Bytes) + 1, Depth: 1 << 10, Values: len(d.Bytes) + 1})
			return v
		}
	}
	return Value{}
}

// isGroup reports whether a model, or a value in its place, is a group's.
func isGroup(model Value) bool {
	switch kind, ok := model.Get("node_type").Text(); {
	case ok:
		return kind == "group"
	case model.Get("node_type").Exists():
		return false
	}
	return model.Get("members").Exists() || !model.Get("shape").Exists()
}

// without returns an object without one of its members.
func without(v Value, name string) Value {
	if !v.Get(name).Exists() {
		return v
	}
	return json.Make(slices.DeleteFunc(slices.Clone(v.Members()), func(m json.Member) bool { return m.Name == name })...)
}
