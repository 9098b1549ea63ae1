package main

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/model"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
)

func validateOME(ask json.Value) (any, error) {
	return ome.Validate(ask.Get("attributes"), ome.Version(text(ask.Get("version")))), nil
}

// validateImage validates the group at path by its attributes and its arrays.
func validateImage(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	return ome.ValidateImage(context.Background(), g, ome.Version(text(ask.Get("version"))))
}

// transform applies the map between the members from and to of an image or a scene to the member
// point, and then its inverse.
func transform(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	var of interface {
		Transform(ctx context.Context, from, to ome.Reference) (ome.Transform, error)
	}
	if flag(ask.Get("scene")) {
		of, err = ome.OpenScene(context.Background(), g)
	} else {
		of, err = ome.OpenImage(context.Background(), g, ome.ImageOptions{})
	}
	if err != nil {
		return nil, err
	}
	m, err := of.Transform(context.Background(), referenceOf(ask.Get("from")), referenceOf(ask.Get("to")))
	if err != nil {
		return nil, err
	}
	there, err := m.Apply(numbers(ask.Get("point")))
	said := map[string]any{"matrix": m.Matrix, "there": orError(there, err)}
	if back, err := m.Inverse(); err != nil {
		said["back"] = class(err)
	} else {
		again, err := back.Apply(there)
		said["back"] = orError(again, err)
	}
	return said, nil
}

// referenceOf returns a coordinate system: its name, or an object with a path and a name.
func referenceOf(v json.Value) ome.Reference {
	if v.Kind() == json.String {
		return ome.Reference{Name: text(v)}
	}
	return ome.Reference{Name: text(v.Get("name")), Path: text(v.Get("path"))}
}

// image describes an image, and applies its levels to the members index, point, viewport and
// pixels.
func image(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	which := ask.Get("multiscale")
	im, err := ome.OpenImage(context.Background(), g, ome.ImageOptions{Index: int(integer(which)), Name: text(which)})
	if err != nil {
		return nil, err
	}
	view := ome.View{Viewport: byName(ask.Get("viewport")), Pixels: byName(ask.Get("pixels"))}
	box := map[string]ome.Interval{}
	for _, m := range ask.Get("box").Members() {
		if ends := numbers(m.Value); len(ends) == 2 {
			box[m.Name] = ome.Interval{From: ends[0], To: ends[1]}
		}
	}
	levels := []any{}
	for _, l := range im.Levels {
		physical, err1 := l.ToPhysical(numbers(ask.Get("index")))
		index, err2 := l.ToIndex(numbers(ask.Get("point")))
		selection := []any{}
		items, err3 := l.Selection(box)
		for _, item := range items {
			start, stop := item.Start, item.Stop
			selection = append(selection, []any{start, stop})
		}
		levels = append(levels, map[string]any{
			"path": l.Path, "scale": l.Scale, "translation": l.Translation,
			"physical": orError(physical, err1), "index": orError(index, err2), "selection": orError(selection, err3),
		})
	}
	said := map[string]any{
		"version": im.Version, "name": im.Name, "type": im.Type, "axes": im.Axes, "levels": levels, "channels": im.Channels,
		"rdefs": im.RDefs, "intrinsic": im.Intrinsic, "problems": im.Problems, "source": ome.SourceOf(im), "text": im.String(),
	}
	if im.Label != nil {
		said["colors"], said["properties"] = im.Label.Colors, im.Label.Properties
	}
	level, err := im.LevelFor(view)
	if err != nil {
		said["levelFor"] = class(err)
	} else {
		said["levelFor"] = level.Index
	}
	return said, nil
}

func orError(v any, err error) any {
	if err != nil {
		return class(err)
	}
	return v
}

func byName(v json.Value) map[string]float64 {
	all := map[string]float64{}
	for _, m := range v.Members() {
		all[m.Name] = number(m.Value)
	}
	return all
}

func plate(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	p, err := ome.OpenPlate(g)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"name": p.Name, "fieldCount": p.FieldCount, "rows": p.Rows, "columns": p.Columns, "acquisitions": p.Acquisitions,
		"wells": p.Wells, "problems": p.Problems,
	}, nil
}

func labels(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	l, err := ome.OpenLabels(context.Background(), g)
	if err != nil {
		return nil, err
	}
	return map[string]any{"paths": l.Paths, "problems": l.Problems}, nil
}

func series(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	s, err := ome.OpenSeries(context.Background(), g)
	if err != nil {
		return nil, err
	}
	return map[string]any{"layout": s.Layout, "images": s.Images, "problems": s.Problems}, nil
}

func well(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	w, err := ome.OpenWell(g)
	if err != nil {
		return nil, err
	}
	return map[string]any{"images": w.Images, "problems": w.Problems}, nil
}

func layout(ask json.Value) (any, error) {
	return geo.LayoutOf("/p", ask.Get("attributes"))
}

func validateGeo(ask json.Value) (any, error) {
	return geo.Validate(ask.Get("attributes"), nil), nil
}

// affine applies an affine to points, and inverts it.
func affine(ask json.Value) (any, error) {
	var m geo.Affine
	copy(m[:], numbers(ask.Get("affine")))
	p := numbers(ask.Get("place"))
	x, y := m.Apply(p[0], p[1])
	back, err := m.Inverse()
	said := map[string]any{
		"place": []float64{x, y}, "invertible": m.IsInvertible(), "size": m.PixelSize(), "bounds": m.Bounds(0, 0, p[2], p[3]),
		"gdal": m.GDAL(), "back": orError(back, err),
	}
	shape := [2]int64{integer(ask.Get("shape").Items()[0]), integer(ask.Get("shape").Items()[1])}
	g := geo.Grid{Transform: &m, Registration: text(ask.Get("registration")), Shape: &shape}
	east, north, err := g.PixelToWorld(p[2], p[3])
	said["world"] = orError([]float64{east, north}, err)
	said["composed"] = m.Compose(geo.AffineFromGDAL(m))
	said["outer"] = g.OuterBounds()
	row, col, err := g.WorldToPixel(p[0], p[1])
	said["pixel"] = orError([]float64{row, col}, err)
	r, c, ok, err := g.PixelAt(p[0], p[1])
	if said["at"] = nil; err != nil {
		said["at"] = class(err)
	} else if ok {
		said["at"] = []int64{r, c}
	}
	w, ok, err := g.Window(geo.Bounds(numbers(ask.Get("box"))))
	if said["window"] = nil; err != nil {
		said["window"] = class(err)
	} else if ok {
		said["window"] = w
	}
	return said, nil
}

func georeference(ask json.Value) (any, error) {
	n, err := node(ask)
	if err != nil {
		return nil, err
	}
	return geo.ReadGeoreference(context.Background(), n)
}

func pyramid(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	p, err := geo.OpenPyramid(context.Background(), g)
	if err != nil {
		return nil, err
	}
	level, err := p.LevelFor(number(ask.Get("units")))
	said := map[string]any{"pyramid": p}
	if err != nil {
		said["level"] = class(err)
	} else {
		said["level"] = level.Path
	}
	return said, nil
}

func geoTransform(ask json.Value) (any, error) {
	m, ok := geo.ParseGeoTransform(ask.Get("value"))
	if !ok {
		return nil, nil
	}
	return m, nil
}

func gridMapping(ask json.Value) (any, error) {
	found, ok := geo.ParseGridMapping(text(ask.Get("value")))
	if !ok {
		return nil, nil
	}
	return found, nil
}

func mercator(ask json.Value) (any, error) {
	p := numbers(ask.Get("place"))
	x, y, err := geo.LonLatToWebMercator(p[0], p[1])
	lon, lat, err2 := geo.WebMercatorToLonLat(p[0], p[1])
	clampedX, clampedY, err3 := geo.LonLatToWebMercator(p[0], geo.ClampLatitude(p[1]))
	return map[string]any{
		"there": orError([]float64{x, y}, err), "back": orError([]float64{lon, lat}, err2),
		"clamped": orError([]float64{clampedX, clampedY}, err3),
	}, nil
}

func flatten(ask json.Value) (any, error) { return model.Flatten(ask.Get("model")) }

func unflatten(ask json.Value) (any, error) { return model.Unflatten(ask.Get("flat")) }

func equal(ask json.Value) (any, error) {
	a, b := ask.Get("a"), ask.Get("b")
	return []bool{model.EqualStructure(a, b), model.EqualIgnoringAttributes(a, b), model.EqualLayout(a, b)}, nil
}

func modelOf(ask json.Value) (any, error) {
	n, err := node(ask)
	if err != nil {
		return nil, err
	}
	return model.ToModel(context.Background(), n, model.Options{})
}

func hierarchy(ask json.Value) (any, error) {
	g, err := group(ask)
	if err != nil {
		return nil, err
	}
	h, err := nczarr.Open(context.Background(), g, nczarr.Options{Anonymous: flag(ask.Get("anonymous"))})
	if err != nil {
		return nil, err
	}
	variables := map[string]any{}
	for path, v := range h.Variables {
		variables[path] = map[string]any{
			"dims": v.Dims, "names": v.Names, "shape": v.Shape, "type": v.Type, "attributes": v.Attributes,
			"attributeTypes": v.AttributeTypes,
		}
	}
	slices.Sort(h.Problems)
	return map[string]any{"groups": h.Groups, "dimensions": h.Dimensions, "variables": variables, "problems": h.Problems}, nil
}
