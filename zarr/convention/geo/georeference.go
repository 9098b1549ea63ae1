package geo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// Georeference places the pixels of an array, or of a group's arrays, in the world, and names the
// source of each fact. Facts that nothing states are nil or "".
type Georeference struct {
	// Path is the path of the node, and Kind "array" or "group".
	Path, Kind string
	// Grid holds the transform, registration, shape and names of the dimensions. The transform
	// comes from spatial:transform, GeoTransform, or the coordinates of x and y. The shape is the
	// array's own, or spatial:shape.
	Grid
	// PixelSize holds the lengths of a pixel's edges along x and y, in world units.
	PixelSize *[2]float64
	// Bounds holds the outer edges of the pixels. They follow from the transform and shape, or else
	// from BBox.
	Bounds *Bounds
	// BBox is spatial:bbox as written. With node registration it passes through the centres of the
	// outermost pixels.
	BBox *Bounds
	// Axes are the positions of y and x among an array's dimensions.
	Axes *Axes
	// TransformType is spatial:transform_type. Only transforms of the type "affine" are read.
	TransformType string
	// CRS is the coordinate reference system.
	CRS *CRS
	// GridMapping is the grid mapping with its CF parameters.
	GridMapping *GridMapping
	// Conventions are the conventions that the node declares.
	Conventions []Convention
	// Stated maps each fact to the place that states it.
	Stated map[Fact]Statement
	// Problems lists invalid and missing statements. Invalid ones are not used.
	Problems []Problem
}

// ReadGeoreference reads from the metadata where the pixels of an array or a group lie.
//
// For an array it takes the first statement of each fact, in this order:
//   - its own spatial: and proj: attributes;
//   - those of its group;
//   - its CF grid mapping with WKT and GeoTransform: the variable named by grid_mapping, else a
//     variable spatial_ref listed by consolidated metadata or coordinates;
//   - the one-dimensional coordinates of its dimensions, if evenly spaced.
//
// For a group it takes the group's own attributes. It completes them from the first array with x
// and y dimensions, found by their names or else by their coordinates.
//
// Invalid attributes are problems in the result. Errors are those of [zarr.Hierarchy.Open] and
// [zarr.Array.Read], except for nodes that are missing or invalid.
func ReadGeoreference(ctx context.Context, node zarr.Node) (*Georeference, error) {
	if array, ok := node.(*zarr.Array); ok {
		return ofArray(ctx, array)
	}
	return ofGroup(ctx, node.(*zarr.Group))
}

func ofArray(ctx context.Context, array *zarr.Array) (*Georeference, error) {
	f := newFacts()
	f.attributes(array.Path(), array.Metadata().Attributes)
	parents, err := parentsOf(ctx, array)
	if err != nil {
		return nil, err
	}
	for i, group := range parents {
		if err := f.inherit(array, group, i == 0); err != nil {
			return nil, err
		}
	}
	found := finder{facts: f, array: array, parents: parents}
	if err := found.find(ctx); err != nil {
		return nil, err
	}
	g := f.finish(array, found.axes)
	g.GridMapping = found.mapping
	return g, nil
}

func ofGroup(ctx context.Context, group *zarr.Group) (*Georeference, error) {
	f := newFacts()
	f.attributes(group.Path(), group.Metadata().Attributes)
	if f.transform != nil && f.crs != nil && f.shape != nil && f.dimensions != nil {
		return f.finish(group, nil), nil
	}
	first, err := f.firstGrid(ctx, group)
	if err != nil || first == nil {
		return f.finish(group, nil), err
	}
	f.problems = append(f.problems, first.Problems...)
	take(f, FactDimensions, &f.dimensions, first.Dimensions, first.Stated[FactDimensions])
	take(f, FactShape, &f.shape, first.Shape, first.Stated[FactShape])
	if at, ok := first.Stated[FactRegistration]; ok {
		f.takeRegistration(first.Registration, at)
	}
	take(f, FactTransform, &f.transform, first.Transform, first.Stated[FactTransform])
	take(f, FactCRS, &f.crs, first.CRS, first.Stated[FactCRS])
	take(f, FactBBox, &f.bbox, first.BBox, first.Stated[FactBBox])
	g := f.finish(group, nil)
	g.GridMapping = first.GridMapping
	return g, nil
}

// maxTries bounds the arrays that are searched for coordinates when dimension names do not identify
// x and y.
const maxTries = 8

// firstGrid returns the georeference of a group's first array with x and y dimensions, found by
// their names, else by their coordinates.
func (f *facts) firstGrid(ctx context.Context, group *zarr.Group) (*Georeference, error) {
	members, err := group.Members(ctx)
	if err != nil {
		if !passed(err) {
			return nil, err
		}
		f.problem(group.Path(), "", "its members are not known: only its attributes were read")
		return nil, nil
	}
	var arrays, named []*zarr.Array
	for _, m := range members {
		if m.Err != nil && !passed(m.Err) {
			return nil, m.Err
		}
		if array, ok := m.Node.(*zarr.Array); ok && len(array.Shape) >= 2 {
			arrays = append(arrays, array)
			if axesOf(array, f.dimensions) != nil {
				named = append(named, array)
			}
		}
	}
	tries := arrays[:min(len(arrays), maxTries)]
	if len(named) > 0 {
		tries = named[:1]
	}
	for _, array := range tries {
		found, err := ofArray(ctx, array)
		if err != nil {
			return nil, err
		}
		if found.Axes == nil {
			continue
		}
		another := func(a *zarr.Array) bool { return *shapeAt(a, axesOf(a, f.dimensions)) != *found.Shape }
		if slices.ContainsFunc(named, another) {
			f.problem(group.Path(), "", "has arrays of several grids: the result describes /"+found.Path)
		}
		return found, nil
	}
	return nil, nil
}

// inherit takes a group's statements for an array below it. From a group with a layout of levels it
// takes the level that contains the array. The array's own group provides the system ("Inheritance
// Model" of proj) and the dimensions (spatial:dimensions). It provides the transform unless it
// states another shape, or levels.
func (f *facts) inherit(array *zarr.Array, group *zarr.Group, direct bool) error {
	path, attributes := group.Path(), group.Metadata().Attributes
	multiscales := attributes.Get("multiscales").Exists()
	if !direct && !multiscales {
		return nil
	}
	of := newFacts()
	of.attributes(path, attributes)
	dimensions := f.dimensions
	if dimensions == nil {
		dimensions = of.dimensions
	}
	var shape *[2]int64
	if axes := axesOf(array, dimensions); axes != nil {
		shape = shapeAt(array, axes)
	}
	fits := func(stated *[2]int64) bool { return stated == nil || shape != nil && *stated == *shape }
	level, err := levelOf(path, attributes, array.Path())
	if err != nil {
		return err
	}
	if direct || level != nil {
		f.problems = append(f.problems, of.problems...)
		take(f, FactCRS, &f.crs, of.crs, of.stated[FactCRS])
		take(f, FactDimensions, &f.dimensions, of.dimensions, of.stated[FactDimensions])
		f.takeRegistration(of.registration, of.stated[FactRegistration])
	}
	switch {
	case level != nil && fits(level.Shape):
		take(f, FactTransform, &f.transform, level.Transform, Statement{path, "multiscales"})
	case level != nil:
		f.problem(path, "multiscales", fmt.Sprintf("states %s for %s, but /%s has %s", shownShape(level.Shape), level.Path, array.Path(), shownShape(shape)))
	case direct && !multiscales && fits(of.shape):
		take(f, FactTransform, &f.transform, of.transform, of.stated[FactTransform])
		take(f, FactBBox, &f.bbox, of.bbox, of.stated[FactBBox])
		if f.transformType == "" && f.transform == nil {
			f.transformType = of.transformType
		}
	}
	return nil
}

// finder reads an array's neighbours for facts that its attributes do not state.
type finder struct {
	*facts
	array   *zarr.Array
	parents []*zarr.Group
	axes    *Axes
	mapping *GridMapping
}

func (f *finder) find(ctx context.Context) error {
	path := f.array.Path()
	stated := f.array.Metadata().Attributes.Get("grid_mapping")
	reference := f.reference(stated)
	f.axes = axesOf(f.array, f.dimensions)
	if f.axes == nil && f.dimensions != nil {
		names := json.AppendString(append(json.AppendString([]byte{'['}, f.dimensions[0]), ','), f.dimensions[1])
		f.problem(path, f.stated[FactDimensions].Attribute, "names "+short(string(names)+"]")+", which are not dimensions of the array")
	}
	if reference.Variable != "" && len(f.parents) > 0 {
		mapping, err := f.mappingVariable(ctx, reference.Variable, stated.Exists())
		switch {
		case err != nil:
			return err
		case mapping != nil:
			f.mapping = gridMappingOf(reference, mapping.Metadata().Attributes)
			f.stated[FactGridMapping] = Statement{Path: mapping.Path()}
			f.takeMapping(mapping)
		case stated.Exists():
			f.problem(path, "grid_mapping", "names "+shown(json.Text(reference.Variable))+", which does not exist")
		}
	}
	coordinates, err := f.coordinates(ctx)
	if err != nil {
		return err
	}
	if f.axes == nil {
		f.axes = axesOfCoordinates(coordinates)
	}
	if f.axes != nil && f.dimensions == nil {
		if y, x := f.array.DimensionNames[f.axes.Y], f.array.DimensionNames[f.axes.X]; y.Named && x.Named {
			take(f.facts, FactDimensions, &f.dimensions, &[2]string{y.Text, x.Text}, Statement{Path: path})
		}
	}
	if f.transform != nil || f.axes == nil {
		return nil
	}
	return f.takeCoordinates(ctx, coordinates[f.axes.Y], coordinates[f.axes.X])
}

// reference returns the grid mapping of the array: the stated one, or xarray's spatial_ref where a
// fact is missing that it may state.
func (f *finder) reference(stated json.Value) (reference GridMappingReference) {
	switch {
	case stated.Exists():
		references, ok := ParseGridMapping(textOf(stated))
		if ok {
			return f.choose(references)
		}
		f.problem(f.array.Path(), "grid_mapping", "is "+shown(stated)+`, neither a name nor of the form "crs: x y"`)
	case (f.transform == nil || f.crs == nil) && f.toldOf("spatial_ref"):
		reference.Variable = "spatial_ref"
	}
	return reference
}

// coordinates opens the coordinate variables that may state the axes or the transform, one for each
// dimension of the array, nil where there is none. The grid mapping's facts need no such requests.
func (f *finder) coordinates(ctx context.Context) ([]*zarr.Array, error) {
	coordinates := make([]*zarr.Array, len(f.array.Shape))
	if len(f.parents) == 0 {
		return coordinates, nil
	}
	all, ctx := guard.NewGroup(ctx)
	for i, name := range f.array.DimensionNames {
		wanted := f.axes == nil || f.transform == nil && (i == f.axes.Y || i == f.axes.X)
		if !wanted || name.Text == "" || strings.Contains(name.Text, "/") {
			continue
		}
		all.Go(func() error {
			node, err := f.open(ctx, f.parents[0], name.Text)
			if node != nil && len(node.Shape) == 1 && node.Shape[0] == f.array.Shape[i] {
				coordinates[i] = node
			}
			return err
		})
	}
	return coordinates, all.Wait()
}

// mappingVariable opens a grid mapping variable in the array's group. A named variable may also lie
// in the nearest group above.
func (f *finder) mappingVariable(ctx context.Context, name string, named bool) (*zarr.Array, error) {
	for i, group := range f.parents {
		if i > 0 && !named {
			break
		}
		if node, err := f.open(ctx, group, name); node != nil || err != nil {
			return node, err
		}
	}
	return nil, nil
}

// choose returns, among several grid mappings, the one for the array's dimension coordinates.
func (f *finder) choose(references []GridMappingReference) GridMappingReference {
	var names []string
	for _, name := range f.array.DimensionNames {
		names = append(names, name.Text)
	}
	for _, r := range references {
		fits := !slices.ContainsFunc(r.Coordinates, func(c string) bool { return !slices.Contains(names, c) })
		if d := f.dimensions; d != nil {
			fits = slices.Contains(r.Coordinates, d[0]) && slices.Contains(r.Coordinates, d[1])
		}
		if fits {
			return r
		}
	}
	return references[0]
}

// takeMapping takes the facts that a grid mapping variable states.
func (f *finder) takeMapping(node *zarr.Array) {
	path, attributes := node.Path(), node.Metadata().Attributes
	f.proj(path, attributes)
	crs, attribute := crsOfGridMapping(attributes)
	take(f.facts, FactCRS, &f.crs, crs, Statement{path, attribute})
	if crs != nil && crs.EPSG != 0 && f.crs.EPSG != 0 && crs.EPSG != f.crs.EPSG {
		f.problem(path, attribute, fmt.Sprintf("states EPSG:%d, but /%s states EPSG:%d", crs.EPSG, f.stated[FactCRS].Path, f.crs.EPSG))
	}
	written := attributes.Get("GeoTransform")
	if written.IsNull() {
		return
	}
	if m, ok := ParseGeoTransform(written); ok {
		take(f.facts, FactTransform, &f.transform, &m, Statement{path, "GeoTransform"})
	} else {
		f.problem(path, "GeoTransform", "is "+shown(written)+", not six numbers of an affine that has an inverse")
	}
}

// axesOfCoordinates returns the dimensions whose coordinates declare themselves y and x.
func axesOfCoordinates(coordinates []*zarr.Array) *Axes {
	axes := Axes{-1, -1}
	for i, node := range coordinates {
		if node == nil {
			continue
		}
		switch roleOfCoordinate(node.Metadata().Attributes) {
		case 'y':
			axes.Y = i
		case 'x':
			axes.X = i
		}
	}
	if axes.Y < 0 || axes.X < 0 {
		return nil
	}
	return &axes
}

// takeCoordinates computes the transform from the coordinates of x and y.
func (f *finder) takeCoordinates(ctx context.Context, nodes ...*zarr.Array) error {
	var axes [2]regularAxis
	var whys [2]string
	all, ctx := guard.NewGroup(ctx)
	for i, node := range nodes {
		if node == nil {
			continue
		}
		all.Go(func() error {
			r, err := node.Read(ctx, nil, zarr.ReadOptions{})
			if err != nil {
				return err
			}
			axes[i], whys[i] = regular(r.Data, r.Type, r.Len(), node.Metadata().Attributes)
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	for i, node := range nodes {
		if node != nil && whys[i] != "" {
			f.problem(node.Path(), "", whys[i])
		}
	}
	y, x := axes[0], axes[1]
	if y.step == 0 || x.step == 0 {
		return nil
	}
	half := 0.5
	if f.registration == Node {
		half = 0
	}
	m := Affine{x.step, 0, x.first - half*x.step, 0, y.step, y.first - half*y.step}
	take(f.facts, FactTransform, &f.transform, &m, Statement{Path: nodes[1].Path()})
	return nil
}

func (f *facts) finish(node zarr.Node, axes *Axes) *Georeference {
	g := &Georeference{
		Path: node.Path(), Kind: "group", Axes: axes,
		Grid:          Grid{Transform: f.transform, Registration: f.registration, Shape: f.shape, Dimensions: f.dimensions},
		BBox:          f.bbox,
		TransformType: f.transformType,
		CRS:           f.crs,
		Conventions:   ConventionsOf(node.Metadata().Attributes),
		Stated:        f.stated,
	}
	if array, ok := node.(*zarr.Array); ok {
		g.Kind = "array"
		if axes != nil {
			own := shapeAt(array, axes)
			if f.shape != nil && *f.shape != *own {
				f.problem(g.Path, f.stated[FactShape].Attribute, fmt.Sprintf("is %s, but the array has %s", shownShape(f.shape), shownShape(own)))
			}
			g.Shape, f.stated[FactShape] = own, Statement{Path: g.Path}
		}
	}
	if g.Registration == "" {
		g.Registration = Pixel
	}
	if g.TransformType == "" {
		g.TransformType = "affine"
	}
	if g.Transform != nil {
		size := g.Transform.PixelSize()
		g.PixelSize = &size
	}
	g.Problems = f.problems
	g.Bounds = g.OuterBounds()
	if g.Bounds == nil && g.BBox != nil {
		if g.Registration != Node {
			g.Bounds = g.BBox
		} else if m := g.Transform; m != nil {
			dx, dy := (abs(m[0])+abs(m[1]))/2, (abs(m[3])+abs(m[4]))/2
			g.Bounds = &Bounds{g.BBox[0] - dx, g.BBox[1] - dy, g.BBox[2] + dx, g.BBox[3] + dy}
		}
	}
	return g
}

func abs(f float64) float64 { return max(f, -f) }

// parentsOf returns the groups that contain an array, nearest first.
func parentsOf(ctx context.Context, array *zarr.Array) ([]*zarr.Group, error) {
	var paths []string
	for at := array.Path(); at != ""; {
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
		paths = append(paths, at)
	}
	groups := make([]*zarr.Group, len(paths))
	all, ctx := guard.NewGroup(ctx)
	for i, path := range paths {
		all.Go(func() (err error) {
			groups[i], err = array.Hierarchy().OpenGroup(ctx, path)
			return unlessPassed(err)
		})
	}
	err := all.Wait()
	return slices.DeleteFunc(groups, func(g *zarr.Group) bool { return g == nil }), err
}

// open opens an array below a group, or returns nil for a missing or unreadable one. With
// consolidated metadata it sends no request for other paths.
func (f *finder) open(ctx context.Context, group *zarr.Group, name string) (*zarr.Array, error) {
	at := name
	if !strings.HasPrefix(name, "/") {
		at = "/" + group.Path() + "/" + name
	}
	at = strings.Trim(path.Clean(at), "/")
	if known, told := f.consolidated(at); told && !known {
		return nil, nil
	}
	array, err := group.Hierarchy().OpenArray(ctx, at)
	return array, unlessPassed(err)
}

// consolidated reports whether consolidated metadata has a path, and whether such metadata covers
// it.
func (f *finder) consolidated(at string) (known, told bool) {
	for _, group := range f.parents {
		below, ok := strings.CutPrefix("/"+at, strings.TrimSuffix("/"+group.Path(), "/")+"/")
		if c := group.Metadata().Consolidated; c != nil && ok {
			node, err := c.Node(below)
			return node != nil || err != nil, true
		}
	}
	return false, false
}

// toldOf reports whether consolidated metadata or a coordinates attribute names a variable.
func (f *finder) toldOf(name string) bool {
	if len(f.parents) == 0 {
		return false
	}
	parent := f.parents[0]
	for _, of := range []json.Value{f.array.Metadata().Attributes, parent.Metadata().Attributes} {
		if slices.Contains(strings.Fields(textOf(of.Get("coordinates"))), name) {
			return true
		}
	}
	known, _ := f.consolidated(strings.Trim(parent.Path()+"/"+name, "/"))
	return known
}

// passed reports whether an error means that a node is missing or unreadable. Other errors, such as
// a server's, are returned unchanged.
func passed(err error) bool {
	var invalid *zarr.InvalidMetadataError
	var unsupported *zarr.UnsupportedError
	var codec *zarr.UnknownCodecError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &invalid) || errors.As(err, &unsupported) || errors.As(err, &codec)
}

func unlessPassed(err error) error {
	if err != nil && passed(err) {
		return nil
	}
	return err
}
