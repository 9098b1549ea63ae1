package zarr

import (
	"context"
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// SetAttributes replaces all attributes of a node, and returns the new node. The old one no longer
// matches the store: its reads fail with a [*MetadataChangedError].
func SetAttributes[N Node](ctx context.Context, n N, attrs map[string]any) (N, error) {
	return changeAttributes(ctx, n, func(json.Value) (json.Value, error) { return attributesOf(n.Path(), attrs) })
}

// UpdateAttributes sets some attributes of a node, and keeps the others. It returns the node as
// [SetAttributes] does.
func UpdateAttributes[N Node](ctx context.Context, n N, attrs map[string]any) (N, error) {
	return changeAttributes(ctx, n, func(old json.Value) (json.Value, error) {
		set, err := attributesOf(n.Path(), attrs)
		members := slices.Clone(old.Members())
		for _, m := range set.Members() {
			members = withMember(members, m.Name, m.Value)
		}
		return json.Make(members...), err
	})
}

// DeleteAttributes deletes attributes of a node; missing ones are no error. It returns the node as
// [SetAttributes] does.
func DeleteAttributes[N Node](ctx context.Context, n N, names ...string) (N, error) {
	return changeAttributes(ctx, n, func(old json.Value) (json.Value, error) {
		members := slices.DeleteFunc(slices.Clone(old.Members()), func(m json.Member) bool { return slices.Contains(names, m.Name) })
		return json.Make(members...), nil
	})
}

// withMember sets a member of an object.
func withMember(members []json.Member, name string, v json.Value) []json.Member {
	for i := range members {
		if members[i].Name == name {
			members[i].Value = v
			return members
		}
	}
	return append(members, json.Member{Name: name, Value: v})
}

func changeAttributes[N Node](ctx context.Context, n N, change func(old json.Value) (json.Value, error)) (N, error) {
	changed, err := n.base().change(ctx, func(_ *writer.Change, n *meta.Node) (err error) {
		n.Attributes, err = change(n.Attributes)
		return err
	})
	if err != nil {
		return n, err
	}
	return changed.(N), nil
}

// change changes a node as the store now has it, and returns the new node. Unknown members of its
// documents stay.
func (n *node) change(ctx context.Context, change func(c *writer.Change, n *meta.Node) error) (Node, error) {
	h := n.h
	if n.meta.Format == 1 {
		return nil, &UnsupportedError{Path: n.path, Feature: "changing a node of version 1, which can be migrated to version 2"}
	}
	e, err := h.writing(n.path)
	if err != nil {
		return nil, err
	}
	err = e.Change(ctx, store.Join(n.path, lockName), func(c *writer.Change) error {
		now, err := h.Open(ctx, n.path, OpenOptions{Format: n.meta.Format, Fresh: true})
		if err != nil {
			return err
		}
		changed := *now.Metadata()
		if err := change(c, &changed); err != nil {
			return err
		}
		docs, err := h.documents(n.path, &changed)
		if err != nil {
			return err
		}
		return h.changeDocuments(ctx, c, n.path, now.Metadata().Documents, docs)
	})
	if err != nil {
		return nil, err
	}
	// Whole also reads a group's consolidated metadata, in either version.
	return h.open(ctx, n.path, catalog.Options{Format: n.meta.Format, Fresh: true, Whole: n.meta.Array == nil})
}

// Resize changes an array's shape, and returns the new array. The old one no longer matches the
// store: its reads and writes fail with a [*MetadataChangedError]. Elements keep their places, and
// new ones are the fill value. Chunks outside the new shape are deleted, and elements of edge
// chunks beyond it become the fill value. (zarr-python keeps those elements.) A rectilinear grid
// keeps its edges; if they end before the array does, one more chunk holds the rest.
func (a *Array) Resize(ctx context.Context, shape ...int64) (*Array, error) {
	if err := a.resizable(shape); err != nil {
		return nil, err
	}
	return a.reshape(ctx, func(*writer.Change, []int64) ([]int64, error) { return shape, nil })
}

// reshape gives an array a shape computed from its current shape in the store.
func (a *Array) reshape(ctx context.Context, shape func(c *writer.Change, now []int64) ([]int64, error)) (*Array, error) {
	n, err := a.change(ctx, func(c *writer.Change, n *meta.Node) (err error) {
		if n.Array == nil || len(n.Array.Shape) != len(a.Shape) {
			return &MetadataChangedError{Path: a.path}
		}
		now, err := a.h.engine.NewArray(a.path, n, a.h.codecs)
		if err != nil {
			return err
		}
		to := *n.Array
		if to.Shape, err = shape(c, slices.Clone(to.Shape)); err != nil {
			return err
		}
		to.Grid, err = to.Grid.Resize(to.Shape, now.InnerChunks())
		n.Array = &to
		return err
	})
	if err != nil {
		return nil, err
	}
	resized := n.(*Array)
	return resized, a.trim(ctx, resized)
}

// resizable checks that an array can have another shape.
func (a *Array) resizable(shape []int64) error {
	if err := a.current(); err != nil {
		return err
	}
	invalid := func(msg string) error {
		return &InvalidSelectionError{Path: a.path, Err: &meta.Error{Document: "shape", Msg: msg}}
	}
	if len(shape) != len(a.Shape) {
		return invalid(shapeText(shape) + " for an array of shape " + shapeText(a.Shape))
	}
	if kind := a.Grid.Kind(); kind != "regular" && kind != "rectilinear" {
		return &UnsupportedError{Path: a.path, Feature: "resizing an array with a grid of the kind " + kind}
	}
	if _, err := a.Grid.Resize(shape, a.InnerChunks()); err != nil {
		return invalid(shapeText(shape) + " is not a shape of this array: " + err.Error())
	}
	return nil
}

// trim deletes an array's chunks outside its new shape. It sets elements of edge chunks beyond that
// shape to the fill value.
func (a *Array) trim(ctx context.Context, to *Array) error {
	e, err := a.h.writing(a.path)
	if err != nil {
		return err
	}
	return e.Trim(ctx, a.reader, to.reader, a.h.opt.Limits)
}

// Append writes values after an array's last elements along a dimension, and returns the longer
// array: see [Array.Resize]. Values follow the elements that the store then has, so concurrent
// appends do not overwrite each other. The other dimensions of the values are those of the array.
// If writing the values fails, the array is already longer.
func (a *Array) Append(ctx context.Context, values any, dim int, opt WriteOptions) (*Array, error) {
	if dim < 0 {
		dim += len(a.Shape)
	}
	if dim < 0 || dim >= len(a.Shape) {
		return nil, &InvalidSelectionError{Path: a.path, Err: &meta.Error{Document: "dimension", Msg: "is not one of the array's"}}
	}
	block, flat, err := blockOf(values, a.Type)
	if err != nil {
		return nil, a.invalidValue(err)
	}
	// A list without shape fills as many rows along the dimension as its length allows.
	row := int64(1)
	for d, n := range a.Shape {
		if d != dim {
			row *= n
		}
	}
	shape := slices.Clone(a.Shape)
	if flat {
		if row == 0 || int64(block.Len())%row != 0 {
			return nil, a.invalidValue(shapeError(block.Shape, a.Shape))
		}
		shape[dim] = int64(block.Len()) / row
		block.Shape = nil
		for _, n := range shape {
			block.Shape = append(block.Shape, int(n))
		}
	}
	fits := len(block.Shape) == len(shape)
	for d := 0; fits && d < len(shape); d++ {
		fits = d == dim || int64(block.Shape[d]) == shape[d]
	}
	if !fits {
		return nil, a.invalidValue(shapeError(block.Shape, a.Shape))
	}
	n := int64(block.Shape[dim])
	copy(shape, a.Shape)
	if shape[dim] += n; shape[dim] < n {
		return nil, a.invalidValue(shapeError(block.Shape, a.Shape))
	}
	if err := a.resizable(shape); err != nil {
		return nil, err
	}
	var from int64
	longer, err := a.reshape(ctx, func(c *writer.Change, now []int64) ([]int64, error) {
		c.Once = true   // a repetition would append twice
		from = now[dim] // another writer may have extended it
		for d := range now {
			if d != dim && now[d] != shape[d] || from > math.MaxInt64-n {
				return nil, &MetadataChangedError{Path: a.path}
			}
		}
		now[dim] += n
		return now, nil
	})
	if err != nil {
		return longer, err
	}
	_, lazy := values.(*Elements)
	if list, ok := values.(List); ok {
		_, lazy = list.Elements.(*Elements)
	}
	if !lazy {
		values = block
	}
	return longer, longer.set(ctx, along(dim, from, from+n), values, dim+1, opt)
}
