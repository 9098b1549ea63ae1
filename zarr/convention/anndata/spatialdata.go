package anndata

import (
	"context"
	"fmt"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// The kinds of elements that a SpatialData has.
const (
	Images = "images"
	Labels = "labels"
	Points = "points"
	Shapes = "shapes"
	Tables = "tables"
)

func spatialKinds() []string { return []string{Images, Labels, Points, Shapes, Tables} }

// SpatialData is images, labels, points, shapes and tables in common coordinate systems: the format of the SpatialData library.
type SpatialData struct {
	// Group is the object's group.
	Group *zarr.Group
	// Version is the version of its format, as it is written; "" where it is not, as in stores before 0.2.
	Version string

	members map[string]*members
}

// Path is the path of the object's group.
func (s *SpatialData) Path() string { return s.Group.Path() }

// Names returns the names of the elements of a kind, and whether they are known: without consolidated metadata a store has to list.
func (s *SpatialData) Names(kind string) (names []string, known bool) {
	m := s.members[kind]
	if m == nil {
		return []string{}, true
	}
	return m.names(), m.complete
}

// Transformation is a coordinate transformation of an element.
type Transformation struct {
	// System is the coordinate system that it leads to.
	System string
	// Value is the transformation as it is written.
	Value json.Value
}

// SpatialElement is an element of a SpatialData: its group, and what the group's attributes say.
type SpatialElement struct {
	// Kind is one of the constants, and Name the element's name.
	Kind, Name string
	// Group is its group. Of images and labels it is an OME-Zarr image.
	Group *zarr.Group
	// Version is the version of its format, as it is written; "" where it is not.
	Version string
	// Axes are the names of its axes, where the attributes have them; nil of tables.
	Axes []string
	// Transformations are those that lead to a coordinate system by name, in the order in which they are written.
	Transformations []Transformation
}

// Path is the path of the element's group.
func (e *SpatialElement) Path() string { return e.Group.Path() }

// SpatialTable is a table of a SpatialData.
type SpatialTable struct {
	// Table is the table.
	Table *AnnData
	// Region has the elements that its rows are about.
	Region []string
	// RegionKey and InstanceKey are the columns of obs that have each row's element, and its instance in that; "" where the
	// table is about none.
	RegionKey, InstanceKey string
}

// OpenSpatialData opens a SpatialData. Of its elements only the names are read, where consolidated metadata or the store's
// list tell them. Where there is none of its groups, or another thing, the error is a *zarr.NotFoundError.
func OpenSpatialData(ctx context.Context, g *zarr.Group) (*SpatialData, error) {
	e, err := EncodingOf(g)
	if err != nil {
		return nil, err
	}
	if e.Type != "" {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: "SpatialData", Found: e.Type}
	}
	s := &SpatialData{Group: g, members: map[string]*members{}}
	attrs := g.Metadata().Attributes.Get("spatialdata_attrs")
	if attrs.Exists() {
		var ok bool
		if s.Version, ok = attrs.Get("version").Text(); !ok {
			return nil, invalid(g.Path(), "spatialdata_attrs", "it has no version")
		}
	}
	// Before 0.1 the one table was in "table".
	inside, err := membersOf(ctx, g, append(spatialKinds(), "table")...)
	if err != nil {
		return nil, err
	}
	for _, kind := range spatialKinds() {
		name := kind
		if kind == Tables && !inside.has(kind) {
			name = "table"
		}
		if !inside.has(name) {
			continue
		}
		group, err := groupOf(inside.open(ctx, name))
		if err != nil {
			return nil, err
		}
		if s.members[kind], err = membersOf(ctx, group); err != nil {
			return nil, err
		}
	}
	if len(s.members) == 0 && !attrs.Exists() {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: "SpatialData"}
	}
	return s, nil
}

func (s *SpatialData) group(ctx context.Context, kind, name string) (*zarr.Group, error) {
	m := s.members[kind]
	if m == nil {
		return nil, &zarr.NotFoundError{Path: s.Path(), Want: fmt.Sprintf("%.60q of %.60q", name, kind)}
	}
	return groupOf(m.open(ctx, name))
}

// Open opens an element: its group, and what its attributes say. Where there is none of that name the error is a
// *zarr.NotFoundError.
func (s *SpatialData) Open(ctx context.Context, kind, name string) (*SpatialElement, error) {
	g, err := s.group(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	e := &SpatialElement{Kind: kind, Name: name, Group: g}
	attrs := g.Metadata().Attributes
	axes, list := attrs.Get("axes"), attrs.Get("coordinateTransformations")
	version := attrs.Get("spatialdata_attrs").Get("version")
	if version.IsNull() {
		version = attrs.Get("version")
	}
	if kind == Images || kind == Labels {
		scales := attrs.Get("ome").Get("multiscales")
		if scales.IsNull() {
			scales = attrs.Get("multiscales")
		}
		var first json.Value
		if items := scales.Items(); len(items) > 0 {
			first = items[0]
		}
		axes, list = first.Get("axes"), first.Get("coordinateTransformations")
		if version = first.Get("version"); version.IsNull() {
			version = attrs.Get("ome").Get("version")
		}
	}
	e.Version, _ = version.Text()
	for _, axis := range axes.Items() {
		name, ok := axis.Text()
		if !ok {
			name, ok = axis.Get("name").Text()
		}
		if !ok {
			return nil, invalid(g.Path(), "axes", "they have no names")
		}
		e.Axes = append(e.Axes, name)
	}
	if !list.IsNull() && list.Kind() != json.Array {
		return nil, invalid(g.Path(), "coordinateTransformations", "it is no list")
	}
	for _, one := range list.Items() {
		// OME's own, of all levels, lead to no coordinate system by name.
		if system, ok := one.Get("output").Get("name").Text(); ok {
			e.Transformations = append(e.Transformations, Transformation{system, one})
		}
	}
	return e, nil
}

// Open opens a part: a level of an image, or an array of shapes of version 0.1 ("coords", "Index", "radius", "offset0").
// Points, and shapes of later versions, are Parquet files and no part of the hierarchy: a *zarr.UnsupportedError.
func (e *SpatialElement) Open(ctx context.Context, part string) (Element, error) {
	if e.Kind == Points || e.Kind == Shapes && e.Version != "" && e.Version != "0.1" {
		return nil, unsupported(e.Path(), e.Kind+" in Parquet ("+e.Kind+".parquet)")
	}
	n, err := open(ctx, e.Group, part)
	if err != nil {
		return nil, err
	}
	return OpenElement(ctx, n)
}

// Table opens a table: [Open] of its group, and what its attributes say it is about.
func (s *SpatialData) Table(ctx context.Context, name string) (*SpatialTable, error) {
	g, err := s.group(ctx, Tables, name)
	if err != nil {
		return nil, err
	}
	attrs := g.Metadata().Attributes
	t := &SpatialTable{Region: []string{}}
	if one, ok := attrs.Get("region").Text(); ok {
		t.Region = []string{one}
	} else if v := attrs.Get("region"); !v.IsNull() {
		if t.Region, err = names(g.Path(), "region", v); err != nil {
			return nil, err
		}
	}
	for name, to := range map[string]*string{"region_key": &t.RegionKey, "instance_key": &t.InstanceKey} {
		if !attrs.Get(name).IsNull() {
			if *to, err = text(g, name); err != nil {
				return nil, err
			}
		}
	}
	if t.Table, err = Open(ctx, g); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *SpatialData) String() string {
	var there []string
	for _, kind := range spatialKinds() {
		if names, known := s.Names(kind); len(names) > 0 || !known {
			there = append(there, kind)
		}
	}
	lines := []string{"SpatialData object"}
	branch := func(last bool) string {
		if last {
			return "└── "
		}
		return "├── "
	}
	for i, kind := range there {
		last := i == len(there)-1
		lines = append(lines, branch(last)+strings.ToUpper(kind[:1])+kind[1:])
		bar := "│"
		if last {
			bar = " "
		}
		names, known := s.Names(kind)
		shown := make([]string, len(names))
		for k, name := range names {
			shown[k] = quoted(name)
		}
		if !known {
			shown = []string{"?"}
		}
		for k, name := range shown {
			lines = append(lines, bar+"     "+branch(k == len(shown)-1)+name)
		}
	}
	return strings.Join(lines, "\n")
}
