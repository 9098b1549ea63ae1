// Package model has the Zarr object model (ZEP 6): the JSON model of a hierarchy, its flattening, comparison, and
// the JSON Schemas of models.
//
// A model is a [Value] of JSON. That of an array is an object of the properties that the core specification of its version defines, as its
// metadata documents have them, and of its attributes; that of a group has its members besides, which are models by name.
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
	// MaxDepth is how many levels of groups there may be; default 64. What is deeper is a *zarr.LimitError.
	MaxDepth int
	// Partial takes, where nothing lists the members of a group, those that its attributes lead to. There may be more.
	Partial bool
}

// ToModel returns the model of a node and of all below it (ZEP 6, "Specification of the base Zarr Object Model"). Members are sorted by name.
// Consolidated metadata tells all without a request; without them a group costs what [zarr.Group.Members] costs.
//
// Errors are those of Members. A node that cannot be opened is one too, and a group that has only members to be guessed
// (Options.Partial) is a *zarr.UnsupportedError.
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
			err = &zarr.UnsupportedError{Path: node.Path(), Feature: "the model of a group whose members nothing lists; Options.Partial takes those that are known"}
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
		// A folder that is no node and holds none is none of the hierarchy's.
		if models[i].Exists() && (m.Kind != "implicit" || models[i].Get("members").Len() > 0) {
			members = append(members, json.Member{Name: m.Name, Value: models[i]})
		}
	}
	slices.SortFunc(members, func(a, b json.Member) int { return strings.Compare(a.Name, b.Name) })
	return groupModel(node.Metadata(), json.Make(members...)), nil
}

// memberOf returns the node that a member is, or nil for a folder that is none.
func memberOf(ctx context.Context, group *zarr.Group, m zarr.Member) (zarr.Node, error) {
	if m.Err != nil || m.Node != nil {
		return m.Node, m.Err
	}
	path := m.Name
	if group.Path() != "" {
		path = group.Path() + "/" + m.Name
	}
	// Consolidated metadata tell what is below a group without a document.
	node, err := group.Hierarchy().Open(ctx, path, zarr.OpenOptions{Kind: "group"})
	var missing *zarr.NotFoundError
	if errors.As(err, &missing) && m.Kind == "implicit" {
		return nil, nil
	}
	return node, err
}

// ofArrays returns the properties of arrays that the core specification of a version defines, in its order.
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

// groupModel is the model of a group. Its metadata's own members, of a later version of Zarr, have another name.
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

// head is what both kinds of nodes have, as core versions define it.
func head(format int, kind string) []json.Member {
	version, _ := json.Parse([]byte{byte('0' + format)}, json.Limits{})
	members := []json.Member{{Name: "zarr_format", Value: version}}
	if format == 3 {
		members = append(members, json.Member{Name: "node_type", Value: json.Text(kind)})
	}
	return members
}

// documentOf is the document with the node's properties; there is none of a group that is known only because nodes lie below it.
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
			// It was read before.
			v, _ := json.Parse(d.Bytes, json.Limits{Bytes: len(d.Bytes) + 1, Depth: 1 << 10, Values: len(d.Bytes) + 1})
			return v
		}
	}
	return Value{}
}

// isGroup tells whether what is or should be a model is a group's.
func isGroup(model Value) bool {
	switch kind, ok := model.Get("node_type").Text(); {
	case ok:
		return kind == "group"
	case model.Get("node_type").Exists():
		return false
	}
	return model.Get("members").Exists() || !model.Get("shape").Exists()
}

// without is an object without one of its members.
func without(v Value, name string) Value {
	if !v.Get(name).Exists() {
		return v
	}
	return json.Make(slices.DeleteFunc(slices.Clone(v.Members()), func(m json.Member) bool { return m.Name == name })...)
}
