package geo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// rule is an entry of tests/conventions/geo.json, which tests both languages.
type rule struct {
	Name  string
	Nodes map[string]struct {
		Shape      *[]int
		Dims       []string
		Attributes json.RawMessage
		Values     []float64
	}
	Georeference, Pyramid, Layout, Validate *string
	Expect                                  map[string]any
	Error                                   string
}

func rules(t testing.TB) []rule {
	top := must.Get(fixtures.Root())(t)
	doc := must.Get(os.ReadFile(filepath.Join(top, "tests", "conventions", "geo.json")))(t)
	var all []rule
	golden.Decode(t, doc, &all)
	return all
}

func (r rule) stored() stored {
	s := stored{}
	for path, n := range r.Nodes {
		attributes := string(n.Attributes)
		if attributes == "" {
			attributes = "{}"
		}
		if n.Shape == nil {
			s.group(path, attributes)
		} else {
			s.array(path, *n.Shape, n.Dims, attributes, n.Values...)
		}
	}
	return s
}

func TestRules(t *testing.T) {
	for _, r := range rules(t) {
		t.Run(r.Name, func(t *testing.T) {
			s := r.stored()
			var is map[string]any
			var levelFor func(float64) (*geo.Level, error)
			var err error
			switch {
			case r.Georeference != nil:
				is = georeferenceFacts(georeference(t, s.node(t, *r.Georeference)))
			case r.Validate != nil:
				node := s.node(t, *r.Validate)
				is = map[string]any{"violations": violationsOf(geo.Validate(node.Metadata().Attributes, node))}
			case r.Layout != nil:
				node := s.node(t, *r.Layout)
				var l *geo.Layout
				if l, err = geo.LayoutOf(node.Path(), node.Metadata().Attributes); err == nil {
					is = layoutFacts(*l)
				}
			default:
				var p *geo.Pyramid
				if p, err = geo.OpenPyramid(context.Background(), s.node(t, *r.Pyramid).(*zarr.Group)); err == nil {
					is, levelFor = layoutFacts(p.Layout), p.LevelFor
				}
			}
			if r.Error != "" || err != nil {
				checkError(t, err, r.Error)
				return
			}
			for name, expected := range r.Expect {
				switch name {
				case "levelFor":
					for units, path := range expected.(map[string]any) {
						f, _ := strconv.ParseFloat(units, 64)
						if l, err := levelFor(f); err != nil || l.Path != path {
							t.Errorf("level for %s: %v, %v, not %v", units, l, err, path)
						}
					}
				case "levels":
					levels := expected.([]any)
					equal(t, "levels", len(is["levels"].([]map[string]any)), len(levels))
					for i, level := range levels {
						for fact, value := range level.(map[string]any) {
							compare(t, fmt.Sprintf("levels/%d/%s", i, fact), is["levels"].([]map[string]any)[i][fact], value)
						}
					}
				case "problems", "violations":
					compareProblems(t, is[name].([]string), expected.([]any))
				case "stated":
					for fact, at := range expected.(map[string]any) {
						compare(t, "stated "+fact, is["stated"].(map[string]string)[fact], at)
					}
				default:
					compare(t, name, is[name], expected)
				}
			}
		})
	}
}

func checkError(t *testing.T, err error, name string) {
	t.Helper()
	var unsupported *zarr.UnsupportedError
	var own *geo.Error
	switch {
	case name == "UnsupportedError" && errors.As(err, &unsupported), name == "InvalidMetadataError" && errors.As(err, &own):
	default:
		t.Errorf("the error is %v, not an %s", err, name)
	}
}

// compareProblems compares the places of problems. Nodes that are read concurrently report theirs
// in any order.
func compareProblems(t *testing.T, is []string, expected []any) {
	t.Helper()
	var want []string
	for _, e := range expected {
		want = append(want, e.(string))
	}
	slices.Sort(is)
	slices.Sort(want)
	if !slices.Equal(is, want) {
		t.Errorf("problems: %q, not %q", is, want)
	}
}

// compare compares values by their JSON, with a tolerance for rounding.
func compare(t *testing.T, what string, is, expected any) {
	t.Helper()
	b, _ := json.Marshal(is)
	var plain any
	golden.Decode(t, b, &plain)
	if fmt.Sprint(plain) != fmt.Sprint(expected) {
		near(t, what, plain, expected, 1e-9)
	}
}

func problemsOf(problems []geo.Problem) []string {
	list := []string{}
	for _, p := range problems {
		list = append(list, "/"+p.Path+"#"+p.Attribute)
	}
	return list
}

func violationsOf(found []geo.Violation) (list []string) {
	for _, v := range found {
		list = append(list, v.Level+" "+v.Convention+" "+v.Attribute)
	}
	return list
}

func georeferenceFacts(g *geo.Georeference) map[string]any {
	stated := map[string]string{}
	for fact, at := range g.Stated {
		stated[string(fact)] = "/" + at.Path + "#" + at.Attribute
	}
	is := map[string]any{
		"transform": g.Transform, "bounds": g.Bounds, "bbox": g.BBox, "shape": g.Shape, "dimensions": g.Dimensions,
		"registration": g.Registration, "transformType": g.TransformType, "stated": stated, "problems": problemsOf(g.Problems),
	}
	if g.Axes != nil {
		is["axes"] = map[string]int{"y": g.Axes.Y, "x": g.Axes.X}
	}
	addCRS(is, g.CRS)
	if m := g.GridMapping; m != nil {
		text := m.Variable + " " + m.Name
		for _, c := range m.Coordinates {
			text += " " + c
		}
		is["mapping"] = text
	}
	return is
}

func addCRS(is map[string]any, crs *geo.CRS) {
	if crs == nil {
		return
	}
	is["crs"], is["code"], is["crsName"] = "some", crs.Code, crs.Name
	if crs.EPSG != 0 {
		is["epsg"] = crs.EPSG
	}
}

func layoutFacts(l geo.Layout) map[string]any {
	levels := []map[string]any{}
	for _, level := range l.Levels {
		is := map[string]any{
			"path": level.Path, "transform": level.Transform, "shape": level.Shape, "bounds": level.Bounds, "scaleToRoot": level.ScaleToRoot,
			"derivedFrom": level.DerivedFrom, "registration": level.Registration, "zoom": level.Zoom, "tileShape": level.TileShape,
		}
		if level.CRS != nil {
			is["crs"] = level.CRS.Code
		}
		levels = append(levels, is)
	}
	is := map[string]any{"kind": l.Kind, "levels": levels, "resamplingMethod": l.ResamplingMethod, "problems": problemsOf(l.Problems)}
	addCRS(is, l.CRS)
	return is
}
