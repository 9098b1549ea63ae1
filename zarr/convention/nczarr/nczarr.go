// Package nczarr reads the netCDF metadata that netCDF-C stores in Zarr. Groups declare dimensions,
// arrays reference them by path, and nodes have netCDF types and the user's attributes.
//
//	h, err := nczarr.Open(ctx, group, nczarr.Options{})
//	v := h.Variables["g1/temperature"] // v.Dims, v.Type, v.Attributes
//
// It reads all forms that netCDF-C has written since 2020. These are attributes named _nczarr_… (v2
// and v3), keys in .zgroup and .zarray, also in capitals, and the separate documents .nczgroup,
// .nczarray and .nczattr.
package nczarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// Options are the settings of [Open].
type Options struct {
	// Files, if set, is the hierarchy's source. Open reads from it the documents that netCDF-C
	// wrote before 2021.
	Files store.Source
	// Anonymous names unnamed dimensions as netCDF-C does: _Anonymous_Dimension_4 for the length 4.
	Anonymous bool
}

// Variable is an array as netCDF sees it.
type Variable struct {
	Array *zarr.Array
	// Dims holds the dimensions' paths, "/g1/time", or "" for an unnamed dimension.
	Dims []string
	// Names holds the last segments of Dims.
	Names []string
	// Shape is the array's shape. A scalar has the empty shape, even if v2 stores it as one
	// element.
	Shape []int64
	// Type is the netCDF type of the elements: "short", "char".
	Type string
	// Attributes holds the user's attributes, and AttributeTypes the netCDF types that are known.
	Attributes     []json.Member
	AttributeTypes map[string]string
}

// Hierarchy is a hierarchy as netCDF sees it.
type Hierarchy struct {
	// Groups holds the groups' paths relative to the opened group, starting with "".
	Groups []string
	// Dimensions holds the declared dimensions by path.
	Dimensions map[string]Dimension
	// Variables holds the arrays by their paths relative to the opened group.
	Variables map[string]*Variable
	// Problems holds a sentence for each invalid statement. Dimensions concerned by one remain
	// unnamed.
	Problems []string
}

// Open opens the hierarchy that netCDF-C wrote below a group. The group must be the hierarchy's
// root, or references are not found. A group's members are those that NCZarr names, or else those
// of [zarr.Group.Members]. The error is a *[zarr.LimitError] for more than 10,000 groups or 64
// levels. Other errors are those of opening nodes.
func Open(ctx context.Context, g *zarr.Group, opt Options) (*Hierarchy, error) {
	o := &opener{opt: opt, root: g.Path(), arrays: map[string]*array{}, found: &Hierarchy{Dimensions: map[string]Dimension{}, Variables: map[string]*Variable{}}}
	if err := o.group(ctx, g, "", 0); err != nil {
		return nil, err
	}
	slices.Sort(o.found.Groups)
	for _, path := range slices.Sorted(maps.Keys(o.arrays)) {
		o.variable(path, o.arrays[path])
	}
	return o.found, nil
}

type opener struct {
	opt    Options
	root   string
	found  *Hierarchy
	arrays map[string]*array
}

// array is an array of the hierarchy with its documents of the oldest form.
type array struct {
	*zarr.Array
	own, types json.Value
}

func (o *opener) problem(format string, args ...any) {
	o.found.Problems = append(o.found.Problems, fmt.Sprintf(format, args...))
}

// file reads a document of the oldest form. A document that is not an object counts as absent.
func (o *opener) file(ctx context.Context, n zarr.Node, name string) (json.Value, error) {
	if o.opt.Files == nil || n.Metadata().Format != 2 {
		return json.Value{}, nil
	}
	doc, err := store.Get(ctx, o.opt.Files, store.Join(n.Path(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return json.Value{}, nil
	}
	if err != nil {
		return json.Value{}, err
	}
	v, err := json.Parse(doc, json.Limits{})
	if err != nil || v.Kind() != json.Object {
		return json.Value{}, nil
	}
	return v, nil
}

// A server may answer every path with a group that names others.
const (
	maxGroups = 10_000
	maxDepth  = 64
)

func (o *opener) group(ctx context.Context, g *zarr.Group, path string, depth int) error {
	switch {
	case len(o.found.Groups) >= maxGroups:
		return &zarr.LimitError{Limit: "groups", Max: maxGroups, What: "NCZarr's groups below /" + o.root}
	case depth > maxDepth:
		return &zarr.LimitError{Limit: "depth", Max: maxDepth, What: "NCZarr's groups below /" + o.root}
	}
	said := GroupOf(g.Metadata(), g.Path())
	if said == nil {
		more, err := o.file(ctx, g, ".nczgroup")
		if err != nil {
			return err
		}
		said = groupOf(g.Metadata(), g.Path(), more)
	}
	o.found.Groups = append(o.found.Groups, path)
	if said != nil {
		o.found.Problems = append(o.found.Problems, said.Problems...)
		for _, d := range said.Dimensions {
			o.found.Dimensions["/"+store.Join(path, d.Name)] = d
		}
	}
	children, err := o.children(ctx, g, said)
	if err != nil {
		return err
	}
	for _, child := range children {
		at := store.Join(path, child.Path()[strings.LastIndexByte(child.Path(), '/')+1:])
		switch child := child.(type) {
		case *zarr.Group:
			if err := o.group(ctx, child, at, depth+1); err != nil {
				return err
			}
		case *zarr.Array:
			a := &array{Array: child}
			if !ownOf(child.Metadata(), "array").Exists() {
				if a.own, err = o.file(ctx, child, ".nczarray"); err != nil {
					return err
				}
				if a.types, err = o.file(ctx, child, ".nczattr"); err != nil {
					return err
				}
			}
			o.arrays[at] = a
		}
	}
	return nil
}

func (o *opener) children(ctx context.Context, g *zarr.Group, said *Group) ([]zarr.Node, error) {
	var nodes []zarr.Node
	if said == nil || !said.Listed {
		members, err := g.Members(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			if m.Err != nil {
				return nil, m.Err
			}
			if m.Node != nil {
				nodes = append(nodes, m.Node)
			}
		}
		return nodes, nil
	}
	open := func(names []string, kind string) error {
		for _, name := range MemberNames(names) {
			n, err := g.Hierarchy().Open(ctx, store.Join(g.Path(), name), zarr.OpenOptions{Kind: kind})
			var absent *zarr.NotFoundError
			switch {
			case errors.As(err, &absent):
				o.problem("/%s names the %s %q, which does not exist", g.Path(), kind, name)
			case err != nil:
				return err
			default:
				nodes = append(nodes, n)
			}
		}
		return nil
	}
	if err := open(said.Arrays, "array"); err != nil {
		return nil, err
	}
	if err := open(said.Groups, "group"); err != nil {
		return nil, err
	}
	return nodes, nil
}

// variable adds a variable for an array. All dimensions must be known.
func (o *opener) variable(path string, a *array) {
	n := a.Metadata()
	shape := a.Shape
	v := &Variable{
		Array: a.Array, Shape: shape, Type: TypeName(a.DType()), Attributes: UserAttributes(n), AttributeTypes: attributeTypes(n, a.types),
		Dims: make([]string, len(shape)), Names: make([]string, len(shape)),
	}
	o.found.Variables[path] = v
	for i, name := range a.DimensionNames {
		v.Names[i] = name.Text
	}
	said, err := arrayOf(n, a.Path(), a.own)
	switch {
	case err != nil:
		o.problem("%s", err)
	case said != nil:
		if wrong := o.unfit(said.References, shape); wrong != "" {
			d, declared := o.found.Dimensions[wrong]
			length := "not declared"
			if declared {
				length = fmt.Sprintf("of length %d", d.Size)
			}
			o.problem("/%s refers to the dimension %s, which is %s", a.Path(), wrong, length)
			return
		}
		v.Dims = said.References
		v.Names = make([]string, len(v.Dims))
		for i, reference := range v.Dims {
			v.Names[i] = NameOf(reference)
		}
		if said.Scalar {
			v.Shape = nil
		}
	case o.opt.Anonymous:
		for i, size := range shape {
			if v.Names[i] == "" {
				v.Names[i] = fmt.Sprintf("_Anonymous_Dimension_%d", size)
			}
			at := "/" + v.Names[i]
			if d, declared := o.found.Dimensions[at]; !declared {
				o.found.Dimensions[at] = Dimension{Name: v.Names[i], Size: size}
			} else if d.Size != size {
				continue
			}
			v.Dims[i] = at
		}
	}
}

// unfit returns the first reference to a dimension that is undeclared or differs in length from the
// array.
func (o *opener) unfit(references []string, shape []int64) string {
	for i, reference := range references {
		d, declared := o.found.Dimensions[reference]
		if !declared || (shape[i] > d.Size || shape[i] < d.Size && !d.Unlimited) {
			return reference
		}
	}
	return ""
}

// JoinChars joins netCDF characters to strings along the last dimension. The first NUL ends a
// string.
func JoinChars(data []byte, shape []int) []string {
	width, count := shape[len(shape)-1], 1
	for _, n := range shape[:len(shape)-1] {
		count *= n
	}
	joined := make([]string, count)
	for i := range joined {
		text, _, _ := strings.Cut(string(data[i*width:(i+1)*width]), "\x00")
		joined[i] = text
	}
	return joined
}
