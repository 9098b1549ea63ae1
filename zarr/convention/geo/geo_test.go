package geo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	ours "github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// near compares numbers, pairs and lists within slack. Absent values are nil.
func near(t *testing.T, what string, is, expected any, slack float64) {
	t.Helper()
	if fmt.Sprint(is) == fmt.Sprint(expected) {
		return
	}
	a, b := floats(is), floats(expected)
	same := len(a) == len(b) && len(a) > 0
	for i := range a {
		same = same && math.Abs(a[i]-b[i]) <= slack
	}
	if !same {
		t.Errorf("%s: %v, not %v", what, is, expected)
	}
}

func floats(v any) (list []float64) {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch {
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		for i := range r.Len() {
			list = append(list, floats(r.Index(i).Interface())...)
		}
	case r.CanFloat():
		list = []float64{r.Float()}
	case r.CanInt():
		list = []float64{float64(r.Int())}
	}
	return list
}

func equal(t *testing.T, what string, is, expected any) {
	t.Helper()
	if !reflect.DeepEqual(is, expected) {
		t.Errorf("%s: %v, not %v", what, is, expected)
	}
}

type expectedLevel struct {
	Asset, Path   string
	DerivedFrom   *string `json:"derived_from"`
	Shape         *[2]int64
	Transform     *geo.Affine
	Bounds        *geo.Bounds
	Scale         []float64
	ScaleToBase   *float64    `json:"scale_to_base"`
	ScaleToRoot   *[2]float64 `json:"scale_to_root"`
	Zoom          *int
	PixelSize     *float64 `json:"pixel_size"`
	PixelsPerTile *int64   `json:"pixels_per_tile"`
	CRS           *string
}

func checkLevel(t *testing.T, l *geo.Level, e expectedLevel) {
	t.Helper()
	equal(t, "path", l.Path, e.Asset+e.Path)
	if e.DerivedFrom != nil {
		equal(t, "derived_from", l.DerivedFrom, *e.DerivedFrom)
	}
	if e.Shape != nil {
		equal(t, "shape", l.Shape, e.Shape)
	}
	if e.Transform != nil {
		near(t, "transform", l.Transform, e.Transform, 1e-12)
	}
	if e.Bounds != nil {
		equal(t, "bounds", l.Bounds, e.Bounds)
	}
	if e.Scale != nil {
		equal(t, "scale", l.Scale, e.Scale)
	}
	if e.ScaleToBase != nil {
		equal(t, "scale to root", l.ScaleToRoot, &[2]float64{*e.ScaleToBase, *e.ScaleToBase})
	}
	if e.ScaleToRoot != nil {
		near(t, "scale to root", l.ScaleToRoot, e.ScaleToRoot, 1e-12)
	}
	if e.Zoom != nil {
		equal(t, "zoom", l.Zoom, e.Zoom)
	}
	if e.PixelSize != nil {
		near(t, "pixel size", l.PixelSize, [2]float64{*e.PixelSize, *e.PixelSize}, 1e-9**e.PixelSize)
	}
	if e.PixelsPerTile != nil {
		equal(t, "pixels per tile", l.TileShape, &[2]int64{*e.PixelsPerTile, *e.PixelsPerTile})
	}
	if e.CRS != nil {
		equal(t, "crs", l.CRS.Code, *e.CRS)
	}
}

func array(t *testing.T, h *zarr.Hierarchy, path string) *zarr.Array {
	t.Helper()
	return must.Get(h.OpenArray(context.Background(), path))(t)
}

func root(t *testing.T, h *zarr.Hierarchy) *zarr.Group {
	t.Helper()
	return must.Get(h.OpenGroup(context.Background(), ""))(t)
}

func pyramid(t *testing.T, h *zarr.Hierarchy) *geo.Pyramid {
	t.Helper()
	return must.Get(geo.OpenPyramid(context.Background(), root(t, h)))(t)
}

func georeference(t *testing.T, node zarr.Node) *geo.Georeference {
	t.Helper()
	return must.Get(geo.ReadGeoreference(context.Background(), node))(t)
}

func checkCRS(t *testing.T, crs *geo.CRS, expected json.RawMessage) {
	t.Helper()
	var e *struct {
		Code, WKT, WKT2 string
		PROJJSON        json.RawMessage
	}
	golden.Decode(t, expected, &e)
	if e == nil || crs == nil {
		equal(t, "crs", crs == nil, e == nil)
		return
	}
	equal(t, "code", crs.Code, e.Code)
	equal(t, "wkt", crs.WKT, e.WKT)
	equal(t, "wkt2", crs.WKT2, e.WKT2)
	equalJSON(t, "projjson", crs.PROJJSON.Raw(), e.PROJJSON)
}

func equalJSON(t *testing.T, what string, is, expected []byte) {
	t.Helper()
	var a, b any
	if len(is) > 0 {
		golden.Decode(t, is, &a)
	}
	if len(expected) > 0 {
		golden.Decode(t, expected, &b)
	}
	equal(t, what, a, b)
}

// Two debatable expectations hold. Bounds of node registration extend half a cell beyond
// spatial:bbox (geo.array_node). A level without spatial:transform takes that of its source, scaled
// (geo.multiscale_relative).
func TestExpectedCases(t *testing.T) {
	e := golden.Load(t)
	cases := e.Of(t, "geo")
	equal(t, "cases", len(cases), 20)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var members map[string]json.RawMessage
			golden.Decode(t, c.Expect, &members)
			var expect struct {
				Transform    *geo.Affine
				Dimensions   *[2]string
				Axes         *geo.Axes
				Shape        *[2]int64
				Registration string
				Bounds       *geo.Bounds
				BBox         *geo.Bounds
				CRS          json.RawMessage
				EPSG         *int
				Name         string
				GridMapping  string `json:"grid_mapping_name"`
				Parameters   json.RawMessage
				Kind         string
				Levels       []expectedLevel
			}
			golden.Decode(t, c.Expect, &expect)
			h := e.Hierarchy(t, c.Store)
			if expect.Levels != nil {
				equal(t, "violations", geo.Validate(root(t, h).Metadata().Attributes, root(t, h)), []geo.Violation(nil))
				p := pyramid(t, h)
				equal(t, "kind", p.Kind, max(expect.Kind, "multiscales"))
				equal(t, "levels", len(p.Levels), len(expect.Levels))
				for i, level := range expect.Levels {
					checkLevel(t, p.Levels[i], level)
				}
				if _, ok := members["crs"]; ok {
					checkCRS(t, p.CRS, members["crs"])
				}
				equal(t, "bbox", p.BBox, expect.BBox)
				equal(t, "problems", len(p.Problems), 0)
				return
			}
			a := array(t, h, c.Variable)
			equal(t, "violations", geo.Validate(a.Metadata().Attributes, a), []geo.Violation(nil))
			g := georeference(t, a)
			for name := range members {
				switch name {
				case "transform":
					equal(t, name, g.Transform, expect.Transform)
				case "dimensions":
					equal(t, name, g.Dimensions, expect.Dimensions)
				case "axes":
					equal(t, name, g.Axes, expect.Axes)
				case "shape":
					equal(t, name, g.Shape, expect.Shape)
				case "registration":
					equal(t, name, g.Registration, expect.Registration)
				case "bounds":
					equal(t, name, g.Bounds, expect.Bounds)
				case "crs":
					checkCRS(t, g.CRS, members["crs"])
				case "epsg":
					equal(t, name, expect.EPSG == nil, g.CRS == nil)
					if expect.EPSG != nil {
						equal(t, name, g.CRS.EPSG, *expect.EPSG)
					}
				case "name":
					equal(t, name, g.CRS.Name, expect.Name)
				case "grid_mapping_name":
					equal(t, name, g.GridMapping.Name, expect.GridMapping)
				case "parameters":
					equalJSON(t, name, ours.Make(g.GridMapping.Parameters...).Raw(), expect.Parameters)
				default:
					t.Errorf("nothing looks at %q", name)
				}
			}
			for _, p := range g.Problems {
				t.Errorf("problem: %v", p)
			}
			if at, ok := g.Stated[geo.FactTransform]; g.Transform != nil && !ok {
				t.Errorf("the transform is stated at %v", at)
			}
		})
	}
}

func TestExpectedPixels(t *testing.T) {
	e := golden.Load(t)
	rows := golden.Table[struct {
		ID, Store, Group string
		Level            any
		Row, Col         int64
		X, Y             float64
	}](t, e, "geo_pixels")
	equal(t, "rows", len(rows), 75)
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			h := e.Hierarchy(t, r.Store)
			at := r.Group
			if strings.HasSuffix(r.Store, "/multiscale.zarr") {
				at += "/b04"
			}
			grids := []geo.Grid{georeference(t, array(t, h, at)).Grid}
			if r.Level != nil {
				p := pyramid(t, h)
				i := slices.IndexFunc(p.Levels, func(l *geo.Level) bool { return l.Path == fmt.Sprint(r.Level) })
				grids = append(grids, p.Levels[i].Grid)
			}
			for _, g := range grids {
				size := g.Transform.PixelSize()
				x, y, err := g.PixelToWorld(float64(r.Row), float64(r.Col))
				near(t, "x, y", []float64{x, y}, []float64{r.X, r.Y}, 1e-9*max(size[0], size[1]))
				row, col, err2 := g.WorldToPixel(r.X, r.Y)
				near(t, "row, col", []float64{row, col}, []int64{r.Row, r.Col}, 1e-9)
				i, j, ok, err3 := g.PixelAt(r.X, r.Y)
				equal(t, "pixel", []any{i, j, ok}, []any{r.Row, r.Col, true})
				if err := errors.Join(err, err2, err3); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestExpectedLevels(t *testing.T) {
	e := golden.Load(t)
	rows := golden.Table[struct {
		ID, Store, Level string
		Units            float64 `json:"units_per_screen_pixel"`
	}](t, e, "geo_levels")
	equal(t, "rows", len(rows), 26)
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			level := must.Get(pyramid(t, e.Hierarchy(t, r.Store)).LevelFor(r.Units))(t)
			equal(t, "level", level.Path, r.Level)
		})
	}
}

func TestExpectedExamples(t *testing.T) {
	e := golden.Load(t)
	rows := golden.Table[struct {
		ID, File    string
		Conventions []string
		Levels      []expectedLevel
		Code        *string `json:"crs_code"`
		Transform   *geo.Affine
		BBox        *geo.Bounds
		Dimensions  *[2]string
	}](t, e, "geo_examples")
	equal(t, "rows", len(rows), 8)
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			doc := e.Read(t, r.File)
			v := must.Get(ours.Parse(doc, ours.Limits{}))(t)
			attributes := v.Get("attributes")
			equal(t, "violations", geo.Validate(attributes, nil), []geo.Violation(nil))
			var names, known []string
			for _, c := range geo.ConventionsOf(attributes) {
				names, known = append(names, c.Name), append(known, c.Known)
			}
			slices.Sort(names)
			slices.Sort(known)
			equal(t, "conventions", names, r.Conventions)
			equal(t, "known", strings.Join(known, " "), strings.ReplaceAll(strings.Join(r.Conventions, " "), ":", ""))
			l := must.Get(geo.LayoutOf("", attributes))(t)
			if l == nil {
				l = &geo.Layout{}
			}
			equal(t, "levels", len(l.Levels), len(r.Levels))
			for i, level := range r.Levels {
				checkLevel(t, l.Levels[i], level)
			}
			equal(t, "problems", len(l.Problems), 0)
			// The facts that a group with these attributes states itself.
			g := georeference(t, nodeOf(t, `{"zarr_format":3,"node_type":"group","attributes":`+string(attributes.Raw())+`}`))
			if r.Code != nil {
				equal(t, "crs", g.CRS.Code, *r.Code)
			} else {
				equal(t, "crs", g.CRS == nil, true)
			}
			equal(t, "transform", g.Transform, r.Transform)
			equal(t, "bbox", g.BBox, r.BBox)
			equal(t, "dimensions", g.Dimensions, r.Dimensions)
		})
	}
}

func TestExpectedWebMercator(t *testing.T) {
	e := golden.Load(t)
	rows := golden.Table[struct{ Lon, Lat, X, Y float64 }](t, e, "web_mercator")
	equal(t, "rows", len(rows), 45)
	for _, r := range rows {
		x, y, err := geo.LonLatToWebMercator(r.Lon, r.Lat)
		near(t, "x, y", []float64{x, y}, []float64{r.X, r.Y}, 1e-6)
		lon, lat, err2 := geo.WebMercatorToLonLat(r.X, r.Y)
		near(t, "lon, lat", []float64{lon, lat}, []float64{r.Lon, r.Lat}, 1e-11)
		if err := errors.Join(err, err2); err != nil {
			t.Error(err)
		}
	}
}
