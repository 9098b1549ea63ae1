package geo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// facts collects the statements of nodes. The first statement of a fact counts.
type facts struct {
	problems      []Problem
	stated        map[Fact]Statement
	transform     *Affine
	bbox          *Bounds
	shape         *[2]int64
	dimensions    *[2]string
	registration  string
	transformType string
	crs           *CRS
}

func newFacts() *facts { return &facts{stated: map[Fact]Statement{}} }

// take records a fact unless it is known already.
func take[T any](f *facts, fact Fact, known **T, value *T, at Statement) {
	if value != nil && *known == nil {
		*known = value
		f.stated[fact] = at
	}
}

func (f *facts) takeRegistration(value string, at Statement) {
	if value != "" && f.registration == "" {
		f.registration = value
		f.stated[FactRegistration] = at
	}
}

func (f *facts) problem(path, attribute, message string) {
	f.problems = append(f.problems, Problem{path, attribute, message})
}

// attributes reads a node's spatial:, proj:, earlier drafts of proj:, and GDAL's _CRS.
func (f *facts) attributes(path string, attributes json.Value) {
	f.spatial(path, attributes)
	f.proj(path, attributes)
}

// spatial reads the spatial: members of attributes or of a layout's entry.
func (f *facts) spatial(path string, attributes json.Value) {
	if v := attributes.Get("spatial:transform_type"); !v.IsNull() {
		kind, ok := v.Text()
		if !ok {
			f.problem(path, "spatial:transform_type", "is "+shown(v)+", not a string")
		} else if f.transformType == "" {
			f.transformType = kind
		}
	}
	read := func(name, draft, expected string, parse func(v json.Value, at Statement) bool) {
		for _, attribute := range []string{name, draft, strings.Replace(draft, "proj:", "geo/proj/", 1)} {
			v := attributes.Get(attribute)
			if key, ok := strings.CutPrefix(attribute, "geo/proj/"); ok {
				v = attributes.Get("geo").Get("proj").Get(key)
			}
			if !v.IsNull() && !parse(v, Statement{path, attribute}) {
				f.problem(path, attribute, "is "+shown(v)+", not "+expected)
			}
		}
	}
	read("spatial:dimensions", "proj:spatial_dimensions", "the names of two dimensions", func(v json.Value, at Statement) bool {
		names, ok := dimensionsOf(v)
		take(f, FactDimensions, &f.dimensions, names, at)
		return ok
	})
	read("spatial:bbox", "proj:bbox", "[xmin, ymin, xmax, ymax]", func(v json.Value, at Statement) bool {
		box, ok := boundsOf(v)
		take(f, FactBBox, &f.bbox, box, at)
		return ok
	})
	read("spatial:shape", "proj:shape", "[height, width], two integers of at least 1", func(v json.Value, at Statement) bool {
		shape, ok := sizes(v)
		take(f, FactShape, &f.shape, shape, at)
		return ok
	})
	if v := attributes.Get("spatial:registration"); !v.IsNull() {
		if s := textOf(v); s == Pixel || s == Node {
			f.takeRegistration(s, Statement{path, "spatial:registration"})
		} else {
			f.problem(path, "spatial:registration", "is "+shown(v)+`, not "pixel" or "node"`)
		}
	}
	if f.transformType != "" && f.transformType != "affine" {
		if f.transform == nil {
			f.problem(path, "spatial:transform_type", "is "+short(string(json.AppendString(nil, f.transformType)))+`: only transforms of type "affine" are read`)
		}
		return
	}
	read("spatial:transform", "proj:transform", "six finite numbers of an affine that has an inverse", func(v json.Value, at Statement) bool {
		m, ok := affineOf(v)
		take(f, FactTransform, &f.transform, m, at)
		return ok
	})
}

// proj reads the system that attributes state by proj: or by GDAL's _CRS.
func (f *facts) proj(path string, attributes json.Value) {
	var written CRS
	first := ""
	for _, name := range []string{"code", "wkt2", "projjson"} {
		done := false
		for _, attribute := range []string{"proj:" + name, "geo/proj/" + name} {
			v := attributes.Get(attribute)
			if attribute[0] == 'g' {
				v = attributes.Get("geo").Get("proj").Get(name)
			}
			if v.IsNull() || done {
				continue
			}
			if name == "projjson" {
				if v.Kind() != json.Object {
					f.problem(path, attribute, "is "+shown(v)+", not an object")
					continue
				}
				written.PROJJSON = v
			} else {
				s := textOf(v)
				if s == "" {
					f.problem(path, attribute, "is "+shown(v)+", not a string")
					continue
				}
				if name == "code" {
					written.Code = s
				} else {
					written.WKT2 = s
				}
			}
			done = true
			if first == "" {
				first = attribute
			}
		}
	}
	if codes := written.codes(); len(codes) > 1 {
		f.problem(path, first, fmt.Sprintf("states EPSG:%d and EPSG:%d, which differ", codes[0], codes[1]))
	}
	take(f, FactCRS, &f.crs, written.named(), Statement{path, first})
	take(f, FactCRS, &f.crs, crsOfGDAL(attributes.Get("_CRS")), Statement{path, "_CRS"})
}

func dimensionsOf(v json.Value) (*[2]string, bool) {
	if v.Len() != 2 || v.Kind() != json.Array {
		return nil, false
	}
	y, isY := v.Items()[0].Text()
	x, isX := v.Items()[1].Text()
	if !isY || !isX || y == x {
		return nil, false
	}
	return &[2]string{y, x}, true
}

// boundsOf reads a box. It returns false unless its edges are in order.
func boundsOf(v json.Value) (*Bounds, bool) {
	box, ok := numbers(v, 4)
	if !ok || box[0] > box[2] || box[1] > box[3] {
		return nil, false
	}
	b := Bounds(box)
	return &b, true
}

// affineOf reads a transform. Earlier drafts write all three rows of the matrix.
func affineOf(v json.Value) (*Affine, bool) {
	all, ok := numbers(v, -1)
	if !ok || len(all) != 6 && !(len(all) == 9 && slices.Equal(all[6:], []float64{0, 0, 1})) {
		return nil, false
	}
	m := Affine(all[:6])
	if !m.IsInvertible() {
		return nil, false
	}
	return &m, true
}
