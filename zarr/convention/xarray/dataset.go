// Package xarray opens groups as datasets, as Python's xarray does: variables with named
// dimensions, coordinates, selection by labels, and CF decoding (package cf).
//
//	ds, err := xarray.Open(ctx, group, xarray.Options{})
//	t2m, err := ds.Var("t2m")
//	july := xarray.Selectors{"time": "2020-07", "lat": xarray.Between(60, 40)}
//	part, err := t2m.Sel(ctx, july, xarray.SelOptions{})
//	values, err := part.Read(ctx)
package xarray

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// Options holds the settings of [Open]. The zero value matches xarray.
type Options struct {
	// CF selects the attributes to apply.
	CF cf.Options
	// DecodeCoords selects the variables that become coordinates, beyond those of dimensions.
	DecodeCoords DecodeCoords
	// Variables, if not nil, limits the dataset to these variables and the coordinates that they
	// name. It serves large groups, and stores that cannot list.
	Variables []string
}

// Dimension is a dimension of a dataset.
type Dimension struct {
	Name string
	Size int64
}

// Dataset holds the variables of a group. Elements are read on demand. It is safe for concurrent
// use.
type Dataset struct {
	// Encoding holds the group's attributes that decoding consumed, and Attributes the others.
	Attributes, Encoding []json.Member
	// Groups holds the names of the child groups.
	Groups []string
	// Problems holds a sentence for each fault. The faulty part remains as stored.
	Problems []string
	// Complete is false when the store cannot list: variables that no attribute names may be
	// missing.
	Complete bool

	group       *zarr.Group
	names       []string // the variables' names, in order
	all         map[string]*variable
	coordinates map[string]bool
	sizes       []Dimension
	lengths     map[string]int64 // the lengths of the dimensions
	selected    map[string]grid.Axis
}

// Open opens a group as xarray's open_zarr does. Its arrays are variables. Coordinates are
// variables named like their only dimension, and variables that attributes name (CF 5, 7). Open
// reads only metadata. Errors are those of [zarr.Group.Members]. A faulty variable does not affect
// the others; see Problems.
func Open(ctx context.Context, g *zarr.Group, opt Options) (*Dataset, error) {
	return open(ctx, g, opt, nil)
}

// open opens a group. parent is the dataset of the group above, or nil.
func open(ctx context.Context, g *zarr.Group, opt Options, parent *Dataset) (*Dataset, error) {
	d := &Dataset{
		group: g, all: map[string]*variable{}, coordinates: map[string]bool{}, Attributes: nczarr.UserAttributes(g.Metadata()),
	}
	arrays := map[string]*zarr.Array{}
	var err error
	if opt.Variables != nil {
		err = d.chosen(ctx, arrays, opt)
	} else {
		err = d.contents(ctx, arrays)
	}
	if err != nil {
		return nil, err
	}
	inherited := inheritedBy(arrays)
	for _, name := range d.names {
		d.all[name] = newVariable(name, arrays[name], opt.CF, inherited[name])
	}
	d.findCoordinates(opt.DecodeCoords)
	d.measure()
	if parent != nil {
		d.inherit(parent)
	}
	for _, name := range d.names {
		v := d.all[name]
		if v.isIndex() {
			d.coordinates[name] = true
		}
		for _, problem := range v.problems {
			d.problem("%s: %s", name, problem)
		}
	}
	return d, nil
}

// open opens arrays by name, and skips missing ones.
func (d *Dataset) open(ctx context.Context, arrays map[string]*zarr.Array, names []string) error {
	for _, name := range names {
		a, err := d.group.Hierarchy().OpenArray(ctx, store.Join(d.group.Path(), name))
		var absent *zarr.NotFoundError
		if errors.As(err, &absent) {
			continue
		}
		if err != nil {
			return err
		}
		arrays[name] = a
		d.names = append(d.names, name)
	}
	return nil
}

// contents returns all arrays of the group: its members, or NCZarr's list when the store cannot
// list.
func (d *Dataset) contents(ctx context.Context, arrays map[string]*zarr.Array) error {
	members, err := d.group.Members(ctx)
	var unsupported *zarr.UnsupportedError
	if errors.As(err, &unsupported) {
		if said := nczarr.GroupOf(d.group.Metadata(), d.group.Path()); said != nil && said.Listed {
			d.Groups, d.Complete = nczarr.MemberNames(said.Groups), true
			return d.open(ctx, arrays, nczarr.MemberNames(said.Arrays))
		}
	}
	if err != nil {
		return err
	}
	d.Complete = true
	for _, m := range members {
		d.Complete = d.Complete && (m.How == zarr.Consolidated || m.How == zarr.Listed)
		if a, ok := m.Node.(*zarr.Array); ok {
			arrays[m.Name] = a
			d.names = append(d.names, m.Name)
			continue
		}
		switch {
		case m.Err != nil:
			d.problem("%s cannot be opened: %s", m.Name, m.Err)
		case m.Kind != "array":
			d.Groups = append(d.Groups, m.Name)
		}
	}
	return nil
}

// chosen returns the requested variables, and the coordinates that they name.
func (d *Dataset) chosen(ctx context.Context, arrays map[string]*zarr.Array, opt Options) error {
	asked := map[string]bool{}
	names := slices.Clone(opt.Variables)
	for first := true; len(names) > 0; first = false {
		for _, name := range names {
			asked[name] = true
		}
		if err := d.open(ctx, arrays, names); err != nil {
			return err
		}
		var more []string
		for _, name := range names {
			a := arrays[name]
			if a == nil {
				if first {
					return &zarr.NotFoundError{Path: store.Join(d.group.Path(), name), Want: "array"}
				}
				continue
			}
			v := newVariable(name, a, cf.Options{}, nil)
			refers := slices.Clone(v.dims)
			if opt.DecodeCoords != CoordsNone {
				for _, attribute := range []string{"coordinates", "bounds", "climatology", "grid_mapping"} {
					refers = append(refers, namesIn(attribute, a.Metadata().Attributes.Get(attribute))...)
				}
			}
			for _, one := range nczarr.MemberNames(refers) {
				if !asked[one] {
					asked[one] = true
					more = append(more, one)
				}
			}
		}
		names = more
	}
	return nil
}

// inheritedBy returns the attributes that bounds inherit from their variable (CF 7.1), such as the
// units and calendar of times.
func inheritedBy(arrays map[string]*zarr.Array) map[string][]json.Member {
	inherited := map[string][]json.Member{}
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		attrs := arrays[name].Metadata().Attributes
		units, _ := attrs.Get("units").Text()
		if fields := strings.Fields(units); len(fields) < 3 || !strings.EqualFold(fields[1], "since") {
			continue
		}
		has := []json.Member{{Name: "units", Value: attrs.Get("units")}}
		if calendar := attrs.Get("calendar"); calendar.Exists() {
			has = append(has, json.Member{Name: "calendar", Value: calendar})
		}
		for _, attribute := range []string{"bounds", "climatology"} {
			for _, one := range namesIn(attribute, attrs.Get(attribute)) {
				inherited[one] = has
			}
		}
	}
	return inherited
}

// measure finds the lengths of the dimensions: that of the coordinate, or else of the first
// variable with the dimension.
func (d *Dataset) measure() {
	sizes := map[string]int64{}
	d.lengths = sizes
	for _, own := range []bool{true, false} {
		for _, name := range d.names {
			v := d.all[name]
			for i, dim := range v.dims {
				if !v.named[i] || v.isIndex() != own {
					continue
				}
				if known, ok := sizes[dim]; !ok {
					sizes[dim] = v.shape[i]
				} else if known != v.shape[i] {
					d.problem("the dimension %s of %s has length %d, but %d in other variables", dim, name, v.shape[i], known)
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range d.names {
		v := d.all[name]
		for i, dim := range v.dims {
			if v.named[i] && !seen[dim] {
				seen[dim] = true
				d.sizes = append(d.sizes, Dimension{dim, sizes[dim]})
			}
		}
	}
}

// inherit adopts dimension coordinates of the parent group, for dimensions that the dataset has and
// names that it lacks.
func (d *Dataset) inherit(parent *Dataset) {
	for _, name := range parent.names {
		if v := parent.dimension(name); v != nil && d.all[name] == nil && d.size(name) == v.shape[0] {
			d.all[name] = v
			d.names = append(d.names, name)
		}
	}
}

// Tree is a group's dataset and its child groups.
type Tree struct {
	// Name is the group's name; the root's is "/".
	Name string
	// Dataset is the group's dataset. It inherits coordinates of the groups above unless it has one
	// of that name.
	Dataset  *Dataset
	Children []*Tree
}

// OpenTree opens a group and the groups below it, each as [Open] does. A negative depth stands for
// 16 levels.
func OpenTree(ctx context.Context, g *zarr.Group, opt Options, depth int) (*Tree, error) {
	if depth < 0 {
		depth = 16
	}
	return openTree(ctx, g, "/", opt, depth, nil)
}

func openTree(ctx context.Context, g *zarr.Group, name string, opt Options, depth int, parent *Dataset) (*Tree, error) {
	d, err := open(ctx, g, opt, parent)
	if err != nil {
		return nil, err
	}
	t := &Tree{Name: name, Dataset: d}
	if depth == 0 {
		return t, nil
	}
	for _, name := range d.Groups {
		below, err := g.Hierarchy().OpenGroup(ctx, store.Join(g.Path(), name))
		var absent *zarr.NotFoundError
		if errors.As(err, &absent) { // a folder without metadata
			continue
		}
		if err != nil {
			return nil, err
		}
		child, err := openTree(ctx, below, name, opt, depth-1, d)
		if err != nil {
			return nil, err
		}
		t.Children = append(t.Children, child)
	}
	return t, nil
}

// Path returns the group's path in its hierarchy.
func (d *Dataset) Path() string { return d.group.Path() }

// Sizes returns the dimensions with their lengths, in the order of the variables.
func (d *Dataset) Sizes() []Dimension {
	var sizes []Dimension
	for _, dim := range d.sizes {
		a, ok := d.selected[dim.Name]
		if !ok {
			sizes = append(sizes, dim)
		} else if !a.Drop {
			sizes = append(sizes, Dimension{dim.Name, a.Count})
		}
	}
	return sizes
}

// Coords returns the names of the coordinates: those of dimensions, and those that attributes name.
func (d *Dataset) Coords() []string { return d.some(true) }

// DataVars returns the names of the other variables.
func (d *Dataset) DataVars() []string { return d.some(false) }

func (d *Dataset) some(coordinates bool) []string {
	var names []string
	for _, name := range d.names {
		if d.coordinates[name] == coordinates {
			names = append(names, name)
		}
	}
	return names
}

// Var returns a variable or coordinate. The error is a *[zarr.NotFoundError] for an unknown name.
func (d *Dataset) Var(name string) (*DataArray, error) {
	v := d.all[name]
	if v == nil {
		return nil, &zarr.NotFoundError{Path: store.Join(d.Path(), name), Want: "array"}
	}
	axes := whole(v.shape)
	for i, dim := range v.dims {
		if a, ok := d.selected[dim]; ok && v.named[i] && v.shape[i] == d.size(dim) {
			axes[i] = a
		}
	}
	return &DataArray{d, v, axes}, nil
}

func (d *Dataset) size(dim string) int64 {
	if n, ok := d.lengths[dim]; ok {
		return n
	}
	return -1
}

// Related returns the names of the existing variables that a variable's attribute names: its
// bounds, its grid_mapping, its ancillary_variables.
func (d *Dataset) Related(name, attribute string) []string {
	v := d.all[name]
	if v == nil {
		return nil
	}
	value := member(v.attributes, attribute)
	if !value.Exists() {
		value = member(v.encoding, attribute)
	}
	return slices.DeleteFunc(namesIn(attribute, value), func(one string) bool { return d.all[one] == nil })
}

// left returns the selection along a dimension.
func (d *Dataset) left(what, dim string) (grid.Axis, error) {
	a, selected := d.selected[dim]
	size := d.size(dim)
	if size < 0 || selected && a.Drop {
		return a, d.wrong(fmt.Errorf("%s: there is no dimension %q", what, dim))
	}
	if !selected {
		a = wholeAxis(size)
	}
	return a, nil
}

func (d *Dataset) wrong(err error) error {
	return &zarr.InvalidSelectionError{Path: d.Path(), Err: err}
}

// with returns the dataset with other selections.
func (d *Dataset) with(selected map[string]grid.Axis) *Dataset {
	part := *d
	part.selected = maps.Clone(d.selected)
	if part.selected == nil {
		part.selected = map[string]grid.Axis{}
	}
	maps.Copy(part.selected, selected)
	return &part
}

// Indices selects positions by dimension.
type Indices map[string]grid.Item

// Selectors selects labels by dimension: a label, a [Slice] or [Labels]. A label is a number, a
// string, a bool, a time.Time or a [cf.Date]. A time's text may lack its end: "2020-07".
type Selectors map[string]any

// SelOptions selects how to find labels that a coordinate does not contain. Method and Tolerance
// apply to all dimensions except those in By. Ranges need no method.
type SelOptions struct {
	Method    Method
	Tolerance any
	// By holds settings for single dimensions: a method or a Period.
	By map[string]Lookup
}

func (o SelOptions) of(dim string) Lookup {
	if by, ok := o.By[dim]; ok {
		return by
	}
	return Lookup{Method: o.Method, Tolerance: o.Tolerance}
}

// ISel selects positions in all variables. The error is a *[zarr.InvalidSelectionError].
func (d *Dataset) ISel(by Indices) (*Dataset, error) {
	selected := map[string]grid.Axis{}
	for dim, item := range by {
		a, err := d.left("ISel", dim)
		if err != nil {
			return nil, err
		}
		axes, err := grid.Resolve([]grid.Item{item}, []int64{a.Count})
		if err != nil {
			return nil, d.wrong(err)
		}
		selected[dim] = among(a, axes[0])
	}
	return d.with(selected), nil
}

// Sel selects labels in all variables; see [DataArray.Sel].
func (d *Dataset) Sel(ctx context.Context, by Selectors, opt SelOptions) (*Dataset, error) {
	before := map[string]grid.Axis{}
	for dim := range by {
		a, err := d.left("Sel", dim)
		if err != nil {
			return nil, err
		}
		before[dim] = a
	}
	selected, err := d.find(ctx, by, before, opt)
	if err != nil {
		return nil, err
	}
	return d.with(selected), nil
}

// dimension returns a dimension's coordinate, or nil.
func (d *Dataset) dimension(dim string) *variable {
	if v := d.all[dim]; v != nil && v.isIndex() {
		return v
	}
	return nil
}

// find finds labels along dimensions after earlier selections. It reads coordinates concurrently.
func (d *Dataset) find(ctx context.Context, by Selectors, before map[string]grid.Axis, opt SelOptions) (map[string]grid.Axis, error) {
	dims := slices.Sorted(maps.Keys(by))
	found := make([]grid.Axis, len(dims))
	all, ctx := guard.NewGroup(ctx)
	for i, dim := range dims {
		all.Go(func() (err error) {
			found[i], err = d.findOne(ctx, dim, before[dim], by[dim], opt.of(dim))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	selected := map[string]grid.Axis{}
	for i, dim := range dims {
		selected[dim] = found[i]
	}
	return selected, nil
}

func (d *Dataset) findOne(ctx context.Context, dim string, before grid.Axis, labels any, by Lookup) (grid.Axis, error) {
	v := d.dimension(dim)
	if v == nil { // without a coordinate labels are positions
		item, err := itemAt(labels)
		if by != (Lookup{}) {
			err = errors.New("a method needs a coordinate, but the dimension has none")
		}
		if err == nil {
			var axes []grid.Axis
			if axes, err = grid.Resolve([]grid.Item{item}, []int64{before.Count}); err == nil {
				return among(before, axes[0]), nil
			}
		}
		return grid.Axis{}, d.wrong(fmt.Errorf("%s: %w", dim, err))
	}
	index, err := v.labels(ctx, before)
	if err != nil {
		return grid.Axis{}, err
	}
	p, err := index.locate(labels, by)
	if err != nil {
		return grid.Axis{}, d.wrong(err)
	}
	return among(before, axisOf(p)), nil
}

// itemAt converts a selector of labels to positions, for dimensions without a coordinate.
func itemAt(labels any) (grid.Item, error) {
	whole := func(x any) (*int64, error) {
		if x == nil {
			return nil, nil
		}
		k, ok := numberOf(x)
		if f := k.number(); !ok || k.kind == missing || f != float64(int64(f)) {
			return nil, fmt.Errorf("%s is not a position", shown(x))
		}
		n := int64(k.number())
		return &n, nil
	}
	switch labels := labels.(type) {
	case Slice:
		start, err := whole(labels.Start)
		if err != nil {
			return grid.Item{}, err
		}
		stop, err := whole(labels.Stop)
		if err != nil {
			return grid.Item{}, err
		}
		step := int64(labels.Step)
		if step == 0 {
			step = 1
		}
		return grid.Range(start, stop, &step), nil
	case Labels:
		list := make([]int64, len(labels))
		for i, one := range labels {
			n, err := whole(one)
			if err != nil || n == nil {
				return grid.Item{}, fmt.Errorf("%s is not a position", shown(one))
			}
			list[i] = *n
		}
		return grid.ListOf(list), nil
	}
	n, err := whole(labels)
	if err != nil || n == nil {
		return grid.Item{}, fmt.Errorf("the dimension has no coordinate, but %s is not a position", shown(labels))
	}
	return grid.At(*n), nil
}
