package geo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// Level is a level of a pyramid: a group or an array with the same pixels at another resolution.
// Absent facts are nil or "".
type Level struct {
	// Path is the path of the level's group or array, relative to the pyramid's group.
	Path string
	Grid
	// Bounds holds the outer edges of the pixels.
	Bounds *Bounds
	// PixelSize holds the lengths of a pixel's edges along x and y, in world units.
	PixelSize *[2]float64
	// CRS is the level's own coordinate reference system, if stated.
	CRS *CRS
	// DerivedFrom is the path of the level that this one was computed from.
	DerivedFrom string
	// Scale is a pixel's size in pixels of the level DerivedFrom, as written (transform.scale).
	Scale []float64
	// Translation is the first pixel's start in pixels of the level DerivedFrom, as written
	// (transform.translation).
	Translation []float64
	// ScaleToRoot is a pixel's size along y and x in pixels of the first level: the product of the
	// scales along derived_from.
	ScaleToRoot *[2]float64
	// ResamplingMethod is the method that computed the level from its source.
	ResamplingMethod string
	// Zoom is the zoom level of web maps, or nil.
	Zoom *int
	// TileShape is the rows and columns of a tile: pixels_per_tile, or tileHeight and tileWidth.
	TileShape *[2]int64
}

// Layout is a pyramid as attributes describe it. No node has been opened.
type Layout struct {
	// Kind names the convention that defines the levels: "multiscales" of the registry,
	// "ndpyramid", or the "tile_matrix_set" of earlier GeoZarr.
	Kind string
	// Levels holds the levels in the order of the attributes.
	Levels []*Level
	// CRS is the coordinate reference system of all levels.
	CRS *CRS
	// BBox is spatial:bbox as written.
	BBox *Bounds
	// Dimensions holds the names of the dimensions of y and x.
	Dimensions *[2]string
	// ResamplingMethod is the default for levels that state none.
	ResamplingMethod string
	// Conventions are the conventions that the group declares.
	Conventions []Convention
	// Problems lists invalid and missing statements.
	Problems []Problem
}

// LayoutOf reads a pyramid from the attributes of the group at a path, or returns nil where they
// define none. It supports the multiscales of the zarr conventions registry with spatial: and
// proj:, ndpyramid, and the tile_matrix_set of earlier GeoZarr. For OME-Zarr multiscales the error
// is a [*zarr.UnsupportedError]; package ome reads them.
//
// A level without spatial:transform takes that of its source level, or of the group. Its own
// relative scale and translation apply first: column i begins at column scale·i + translation of
// its source. Such an index names corners with pixel registration, and centres with node
// registration.
func LayoutOf(path string, attributes json.Value) (*Layout, error) {
	multiscales := attributes.Get("multiscales")
	if multiscales.IsNull() {
		multiscales = attributes.Get("geo").Get("multiscales")
	}
	if !multiscales.Exists() {
		return nil, nil
	}
	f := newFacts()
	first := multiscales
	if multiscales.Kind() == json.Array {
		first = json.Value{}
		if items := multiscales.Items(); len(items) > 0 {
			first = items[0]
		}
	}
	l := &Layout{Conventions: ConventionsOf(attributes), ResamplingMethod: textOf(first.Get("resampling_method"))}
	layout, matrices := multiscales.Get("layout"), first.Get("tile_matrix_set")
	switch {
	case layout.Exists():
		l.Kind = "multiscales"
		f.attributes(path, attributes)
		l.Levels = f.registry(path, layout)
	case !matrices.IsNull():
		l.Kind = "tile_matrix_set"
		f.attributes(path, attributes)
		l.Levels, l.CRS = f.matrices(path, matrices, first)
	case multiscales.Kind() == json.Array:
		l.Kind = "ndpyramid"
		f.attributes(path, attributes)
		var err error
		if l.Levels, err = f.datasets(path, multiscales, first); err != nil {
			return nil, err
		}
	default:
		l.Kind = "multiscales"
		f.problem(path, "multiscales", "is "+shown(multiscales)+", which states no levels")
	}
	if l.CRS == nil {
		l.CRS = f.crs
	}
	l.BBox, l.Dimensions, l.Problems = f.bbox, f.dimensions, f.problems
	for _, level := range l.Levels {
		level.complete(l.Dimensions)
	}
	return l, nil
}

// complete derives further facts of a level from its own.
func (l *Level) complete(dimensions *[2]string) {
	if l.Transform != nil {
		size := l.Transform.PixelSize()
		l.PixelSize = &size
	}
	if l.Dimensions == nil {
		l.Dimensions = dimensions
	}
	if b := l.OuterBounds(); b != nil {
		l.Bounds = b
	}
}

// levelOf returns the level that contains a node, from the layout of the group at a path.
func levelOf(path string, attributes json.Value, node string) (*Level, error) {
	if !attributes.Get("multiscales").Get("layout").Exists() {
		return nil, nil
	}
	l, err := LayoutOf(path, attributes)
	if err != nil {
		return nil, err
	}
	within := strings.TrimPrefix(strings.TrimPrefix(node, path), "/") + "/"
	for _, level := range l.Levels {
		if strings.HasPrefix(within, level.Path+"/") {
			return level, nil
		}
	}
	return nil, nil
}

// registry reads the levels of the registry's multiscales ("Layout Object").
func (f *facts) registry(path string, layout json.Value) []*Level {
	if layout.Len() == 0 || layout.Kind() != json.Array {
		f.problem(path, "multiscales/layout", "is "+shown(layout)+", not a list of levels")
		return nil
	}
	var levels []*Level
	byPath := map[string]*Level{}
	for i, entry := range layout.Items() {
		at := "multiscales/layout/" + strconv.Itoa(i)
		asset := entry.Get("asset")
		name, ok := asset.Text()
		switch {
		case !ok || !isPath(name):
			f.problem(path, at+"/asset", "is "+shown(asset)+", not the path of a group or array below this one")
		case byPath[name] != nil:
			f.problem(path, at+"/asset", "is "+shown(asset)+", which an earlier level also has")
		default:
			byPath[name] = f.registryLevel(path, at, name, entry)
			levels = append(levels, byPath[name])
		}
	}
	f.relate(path, levels, byPath)
	return levels
}

// isPath checks the path of an asset, which "cannot start with / or refer to parent directories".
func isPath(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == ".." })
}

func (f *facts) registryLevel(path, at, asset string, entry json.Value) *Level {
	own := newFacts()
	own.attributes(path, entry)
	for _, p := range own.problems {
		f.problem(path, at+"/"+p.Attribute, p.Message)
	}
	level := &Level{Path: asset, Grid: Grid{Transform: own.transform, Shape: own.shape, Registration: own.registration}, CRS: own.crs}
	if level.Registration == "" {
		level.Registration = f.registration
	}
	if level.Registration == "" {
		level.Registration = Pixel
	}
	if source := entry.Get("derived_from"); !source.IsNull() {
		if name, ok := source.Text(); ok && isPath(name) {
			level.DerivedFrom = name
		} else {
			f.problem(path, at+"/derived_from", "is "+shown(source)+", not the path of a level")
		}
	}
	level.ResamplingMethod = textOf(entry.Get("resampling_method"))
	transform := entry.Get("transform")
	if transform.Exists() && transform.Kind() != json.Object {
		f.problem(path, at+"/transform", "is "+shown(transform)+", not an object")
	}
	list := func(name, expected string, least float64) []float64 {
		v := transform.Get(name)
		if v.IsNull() {
			return nil
		}
		all, ok := numbers(v, -1)
		if !ok || len(all) < 2 || slices.Min(all) <= least {
			f.problem(path, at+"/transform/"+name, "is "+shown(v)+", not "+expected)
			return nil
		}
		return all
	}
	level.Scale = list("scale", "a list of a positive number for each axis", 0)
	level.Translation = list("translation", "a list of a number for each axis", math.Inf(-1))
	return level
}

// relate completes levels from those that they are derived from: their scale to the root, and a
// missing transform.
func (f *facts) relate(path string, levels []*Level, byPath map[string]*Level) {
	wrong := func(format string, args ...any) {
		f.problem(path, "multiscales/layout", fmt.Sprintf(format, args...))
	}
	source := func(l *Level) *Level {
		if l.isRoot() {
			return nil
		}
		return byPath[l.DerivedFrom]
	}
	done := map[*Level]bool{}
	for _, level := range levels {
		// The walk goes from the level to a finished one or a root, and back. Each level is visited
		// once.
		var line []*Level
		seen := map[*Level]bool{}
		at := level
		for at != nil && !done[at] && !seen[at] {
			line = append(line, at)
			seen[at] = true
			at = source(at)
		}
		circle := at != nil && seen[at]
		for _, one := range slices.Backward(line) {
			done[one] = true
			from := source(one)
			switch {
			case circle:
				wrong("%s is derived from itself", shown(json.Text(one.Path)))
			case from != nil:
				scale := from.ScaleToRoot
				if scale == nil && from.isRoot() {
					scale = &[2]float64{1, 1}
				}
				one.derive(from.Transform, scale, wrong)
			case one.isRoot():
				var scale *[2]float64
				if one.Scale != nil {
					scale = &[2]float64{1, 1}
				}
				one.derive(f.transform, scale, wrong)
			default:
				wrong("%s is derived from %s, which is not a level", shown(json.Text(one.Path)), shown(json.Text(one.DerivedFrom)))
			}
		}
	}
}

// isRoot reports whether a level has no source, or names itself as its source.
func (l *Level) isRoot() bool { return l.DerivedFrom == "" || l.DerivedFrom == l.Path }

// derive completes a level from its source's transform and scale.
func (l *Level) derive(base *Affine, scale *[2]float64, wrong func(format string, args ...any)) {
	if !l.isRoot() && l.Scale == nil && l.Translation == nil {
		if l.Transform == nil {
			wrong("%s is derived from %s, and has no transform", shown(json.Text(l.Path)), shown(json.Text(l.DerivedFrom)))
		}
		return
	}
	step := l.relative()
	if scale != nil {
		root := [2]float64{scale[0] * step[4], scale[1] * step[0]}
		if allFinite(root[:]) && min(root[0], root[1]) > 0 {
			l.ScaleToRoot = &root
		} else {
			wrong("the scale of %s exceeds the range of numbers", shown(json.Text(l.Path)))
		}
	}
	if base == nil || l.Transform != nil {
		return
	}
	m := base.Compose(step)
	if !allFinite(m[:]) || !m.IsInvertible() {
		wrong("the transform of %s exceeds the range of numbers", shown(json.Text(l.Path)))
		return
	}
	l.Transform = &m
}

// relative returns the affine from a level's pixels to those of its source. Lists may cover all
// axes of the arrays: y and x are the last two.
func (l *Level) relative() Affine {
	scale, translation := l.Scale, l.Translation
	if scale == nil {
		scale = []float64{1, 1}
	}
	if translation == nil {
		translation = []float64{0, 0}
	}
	s, t := scale[len(scale)-2:], translation[len(translation)-2:]
	return Affine{s[1], 0, t[1], 0, s[0], t[0]}
}

// world returns the extent of web maps' quadtrees: left and upper edge, width and height.
func world(epsg int) (left, top, width, height float64, ok bool) {
	switch epsg {
	case 3857:
		return -WebMercatorLimit, WebMercatorLimit, 2 * WebMercatorLimit, 2 * WebMercatorLimit, true
	case 4326:
		return -180, 90, 360, 180, true
	}
	return 0, 0, 0, 0, false
}

// datasets reads the levels of ndpyramid's multiscales, and of GeoZarr 0.3, whose datasets have a
// level.
func (f *facts) datasets(path string, multiscales, first json.Value) ([]*Level, error) {
	datasets := first.Get("datasets").Items()
	ome := func(v json.Value) bool { return v.Get("coordinateTransformations").Exists() }
	if first.Get("axes").Exists() || slices.ContainsFunc(datasets, ome) {
		return nil, &zarr.UnsupportedError{Path: path, Feature: "multiscales of OME-Zarr: package ome reads them"}
	}
	if len(datasets) == 0 {
		f.problem(path, "multiscales", "is "+shown(multiscales)+", which states no levels")
	}
	if multiscales.Len() > 1 {
		f.problem(path, "multiscales", "has several entries: the first is read")
	}
	var levels []*Level
	for i, dataset := range datasets {
		at := "multiscales/0/datasets/" + strconv.Itoa(i)
		name := dataset.Get("path")
		text, ok := name.Text()
		if text = strings.TrimPrefix(text, "./"); !ok || !isPath(text) {
			f.problem(path, at+"/path", "is "+shown(name)+", not the path of a group or array below this one")
			continue
		}
		level := &Level{Path: text, Grid: Grid{Registration: Pixel}}
		levels = append(levels, level)
		f.quadtree(path, at, level, dataset)
	}
	return levels, nil
}

// quadtree completes a level of a web map's quadtree. Each level covers the world with twice the
// pixels of the previous one along each axis.
func (f *facts) quadtree(path, at string, level *Level, dataset json.Value) {
	crs := dataset.Get("crs")
	code, isText := crs.Text()
	if !crs.IsNull() && !isText {
		f.problem(path, at+"/crs", "is "+shown(crs)+", not a string")
	}
	zoomed, tile := dataset.Get("level"), dataset.Get("pixels_per_tile")
	pixels, isNumber := tile.Int64()
	switch {
	case !tile.IsNull():
	case zoomed.Exists():
		pixels, isNumber = 256, true
	default:
		level.CRS = CRS{Code: code}.named()
		return
	}
	if code == "" {
		// ndpyramid's levels default to Web Mercator.
		code = "EPSG:3857"
	}
	level.CRS = CRS{Code: code}.named()
	if !zoomed.Exists() {
		zoomed = json.Text(level.Path[strings.LastIndexByte(level.Path, '/')+1:])
	}
	zoom, isZoom := zoomOf(zoomed)
	left, top, width, height, known := world(level.CRS.EPSG)
	switch {
	case !isZoom || !isNumber || pixels < 1 || pixels > 1<<20:
		f.problem(path, at, "is "+shown(dataset)+", which has no zoom level or no pixels_per_tile")
	case !known:
		f.problem(path, at+"/crs", "is "+shown(crs)+": the extent of its quadtree is unknown")
	default:
		size := pixels << zoom
		n := float64(size)
		level.Zoom, level.Shape, level.TileShape = &zoom, &[2]int64{size, size}, &[2]int64{pixels, pixels}
		level.Transform = &Affine{width / n, 0, left, 0, -height / n, top}
	}
}

// zoomOf reads a zoom level: a number, or a numeric text.
func zoomOf(v json.Value) (int, bool) {
	if text, ok := v.Text(); ok {
		n, err := strconv.Atoi(text)
		return n, err == nil && isDigits(text) && len(text) <= 2 && n <= 32
	}
	n, ok := v.Int64()
	return int(n), ok && n >= 0 && n <= 32
}

// matrices reads the levels of a tile matrix set (OGC 17-083r4), given by name or in full. The path
// of a level is its matrix's identifier.
func (f *facts) matrices(path string, set, multiscales json.Value) ([]*Level, *CRS) {
	if name, ok := set.Text(); ok {
		limits := multiscales.Get("tile_matrix_limits")
		if !limits.Exists() {
			limits = multiscales.Get("tile_matrix_set_limits")
		}
		return f.wellKnown(path, name, limits)
	}
	var code string
	for _, v := range []json.Value{set.Get("crs"), set.Get("supportedCRS"), set.Get("crs").Get("uri")} {
		if code == "" {
			code = textOf(v)
		}
	}
	list := either(set.Get("tileMatrices"), set.Get("tileMatrix")).Items()
	if len(list) == 0 {
		f.problem(path, "multiscales/tile_matrix_set", "is "+shown(set)+", which has no matrices")
	}
	// The origin is written in the order of the system's axes.
	swapped := false
	if axes := set.Get("orderedAxes").Items(); len(axes) > 0 {
		first := strings.ToLower(textOf(axes[0]))
		swapped = strings.HasPrefix(first, "n") || strings.HasPrefix(first, "lat") || strings.HasPrefix(first, "y")
	}
	var levels []*Level
	for i, matrix := range list {
		at := "multiscales/tile_matrix_set/tileMatrices/" + strconv.Itoa(i)
		id, ok := matrix.Get("id").Text()
		if !ok {
			id = textOf(matrix.Get("identifier"))
		}
		if id == "" || slices.Contains(strings.Split(id, "/"), "..") {
			f.problem(path, at+"/id", "is "+shown(either(matrix.Get("id"), matrix.Get("identifier")))+", not the name of a group")
			continue
		}
		level := &Level{Path: strings.TrimLeft(id, "/"), Grid: Grid{Registration: Pixel}}
		levels = append(levels, level)
		height, isHeight := matrix.Get("tileHeight").Int64()
		width, isWidth := matrix.Get("tileWidth").Int64()
		if isHeight && isWidth {
			level.TileShape = &[2]int64{height, width}
		}
		cell, isCell := number(matrix.Get("cellSize"))
		origin, isOrigin := numbers(either(matrix.Get("pointOfOrigin"), matrix.Get("topLeftCorner")), 2)
		if !isCell || !isOrigin || cell <= 0 {
			if matrix.Get("cellSize").Exists() || matrix.Get("pointOfOrigin").Exists() {
				f.problem(path, at, "is "+shown(matrix)+", which has no cellSize or no pointOfOrigin")
			}
			continue
		}
		x, y := origin[0], origin[1]
		if swapped {
			x, y = y, x
		}
		down := -cell
		if textOf(matrix.Get("cornerOfOrigin")) == "bottomLeft" {
			down = cell
		}
		level.Transform = &Affine{cell, 0, x, 0, down, y}
	}
	return levels, CRS{Code: code}.named()
}

func either(a, b json.Value) json.Value {
	if a.IsNull() {
		return b
	}
	return a
}

// wellKnown reads the levels of a well-known tile matrix set. The limits list the matrices that
// exist.
func (f *facts) wellKnown(path, set string, limits json.Value) ([]*Level, *CRS) {
	name := set[strings.LastIndexByte(set, '/')+1:]
	code, epsg, columns := "", 4326, 2.0
	switch name {
	case "WebMercatorQuad", "GoogleMapsCompatible":
		code, epsg, columns = "EPSG:3857", 3857, 1
	case "WorldCRS84Quad":
		code = "OGC:CRS84"
	case "WGS1984Quad":
		code = "EPSG:4326"
	default:
		f.problem(path, "multiscales/tile_matrix_set", "is "+shown(json.Text(set))+", which is not supported")
		return nil, nil
	}
	if len(limits.Members()) == 0 {
		f.problem(path, "multiscales/tile_matrix_set", "is "+shown(json.Text(set))+", and no tile_matrix_limits list its matrices")
	}
	left, top, width, _, _ := world(epsg)
	var levels []*Level
	for _, m := range limits.Members() {
		zoom, ok := zoomOf(json.Text(m.Name))
		if !ok {
			f.problem(path, "multiscales/tile_matrix_limits/"+m.Name, "names no matrix of "+name)
			continue
		}
		cell := width / (columns * 256 * math.Exp2(float64(zoom)))
		levels = append(levels, &Level{
			Path: m.Name, Zoom: &zoom, TileShape: &[2]int64{256, 256},
			Grid: Grid{Registration: Pixel, Transform: &Affine{cell, 0, left, 0, -cell, top}},
		})
	}
	return levels, CRS{Code: code}.named()
}
