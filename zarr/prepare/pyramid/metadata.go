package pyramid

import (
	"context"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// image is the OME-Zarr metadata of a source.
type image struct {
	axes               []ome.Axis
	array              *zarr.Array
	path               string // of the array, relative to the image's group
	scale, translation []float64
	labels             bool // elements are labels
	inPlace            bool
	// root is the object that holds the metadata of the source, and others the further attributes
	// of its group.
	root   json.Value
	others json.Value
}

// imageOfGroup reads the image of a group.
func imageOfGroup(ctx context.Context, g *zarr.Group) (*image, error) {
	found, err := ome.OpenImage(ctx, g, ome.ImageOptions{})
	if err != nil {
		return nil, err
	}
	if found.Version != "0.4" && found.Version != "0.5" {
		return nil, invalid(g.Path(), "OME-Zarr %s is not supported, 0.4 and 0.5 are", found.Version)
	}
	l := found.Levels[0]
	m := &image{axes: found.Axes, path: l.Path, scale: l.Scale, translation: l.Translation, labels: found.Label != nil}
	if m.array, err = l.Array(ctx); err != nil {
		return nil, err
	}
	m.root, m.others = g.Metadata().Attributes, json.EmptyObject()
	if found.Version == "0.5" {
		m.others = m.root
		m.root = m.root.Get("ome")
	}
	return m, nil
}

// imageOfArray returns the metadata of an array that has none. Its axes are the dimension names if
// OME-Zarr knows them, or else the last of t, c, z, y and x.
func imageOfArray(a *zarr.Array) *image {
	m := &image{array: a, root: json.EmptyObject(), others: json.EmptyObject()}
	names := []string{"t", "c", "z", "y", "x"}
	names = names[max(0, len(names)-len(a.Shape)):]
	if known := a.DimensionNames; len(known) == len(a.Shape) && !slices.ContainsFunc(known, func(n meta.DimensionName) bool { return !strings.Contains("tczyx", n.Text) || len(n.Text) != 1 }) {
		names = nil
		for _, n := range known {
			names = append(names, n.Text)
		}
	}
	for _, name := range names {
		kind := "space"
		switch name {
		case "t":
			kind = "time"
		case "c":
			kind = "channel"
		}
		m.axes = append(m.axes, ome.Axis{Name: name, Type: kind})
		m.scale, m.translation = append(m.scale, 1), append(m.translation, 0)
	}
	return m
}

// factors returns how many elements of the first level an element of each level spans.
func (p *Pyramid) factors() [][]float64 {
	all := [][]float64{make([]float64, len(p.src.Shape))}
	for d := range all[0] {
		all[0][d] = 1
	}
	for k, l := range p.Levels[1:] {
		f := slices.Clone(all[k])
		for d := range f {
			if l.Shape[d] != p.Levels[k].Shape[d] {
				f[d] *= 2
			}
		}
		all = append(all, f)
	}
	return all
}

// attributes returns the attributes of the group, which name the levels.
func (p *Pyramid) attributes() (map[string]any, error) {
	if p.image != nil {
		return p.omeAttributes(), nil
	}
	return p.multiscales(), nil
}

func asMap(v json.Value) map[string]any {
	m := map[string]any{}
	for _, one := range v.Members() {
		m[one.Name] = one.Value
	}
	return m
}

// omeAttributes returns the metadata of OME-Zarr 0.4 for version 2 of Zarr, and of 0.5 for 3.
func (p *Pyramid) omeAttributes() map[string]any {
	m := p.image
	multiscale := map[string]any{}
	if items := m.root.Get("multiscales").Items(); len(items) > 0 {
		multiscale = asMap(items[0])
	} else {
		axes := []any{}
		for _, a := range m.axes {
			axes = append(axes, map[string]any{"name": a.Name, "type": a.Type})
		}
		multiscale["axes"], multiscale["name"] = axes, p.path
	}
	// The transformations of the levels include it.
	delete(multiscale, "coordinateTransformations")
	delete(multiscale, "version")
	datasets := []any{}
	for k, f := range p.factors() {
		scale, translation := slices.Clone(m.scale), slices.Clone(m.translation)
		moved := false
		for d := range scale {
			// An index is the centre of its pixel.
			translation[d] += scale[d] * (f[d] - 1) / 2
			scale[d] *= f[d]
			moved = moved || translation[d] != 0
		}
		transformations := []any{map[string]any{"type": "scale", "scale": scale}}
		if moved {
			transformations = append(transformations, map[string]any{"type": "translation", "translation": translation})
		}
		datasets = append(datasets, map[string]any{"path": p.Levels[k].Path, "coordinateTransformations": transformations})
	}
	multiscale["datasets"], multiscale["type"] = datasets, string(p.Method)
	root := asMap(m.root)
	delete(root, "version")
	root["multiscales"] = []any{multiscale}
	if p.Format() == 2 {
		multiscale["version"] = "0.4"
		return root
	}
	root["version"] = "0.5"
	all := asMap(m.others)
	all["ome"] = root
	return all
}

// placed returns the attributes of an array that place its elements in the world. The group states
// them for the first level, and the layout derives those of the others.
func placed() []string {
	return []string{"spatial:transform", "spatial:shape", "spatial:bbox", "spatial:registration", "spatial:dimensions", "proj:code", "proj:wkt2", "proj:projjson"}
}

// own returns those that do not apply to further levels.
func own() []string { return []string{"spatial:transform", "spatial:shape"} }

// registered returns the name of a method in the convention.
func (m Method) registered() string {
	if m == MethodMean {
		return "average"
	}
	return string(m)
}

// multiscales returns the attributes of the multiscales convention.
func (p *Pyramid) multiscales() map[string]any {
	method := p.Method.registered()
	layout := []any{}
	factors := p.factors()
	for k, l := range p.Levels {
		level := map[string]any{"asset": l.Path}
		if k > 0 {
			scale, translation := make([]float64, len(l.Shape)), make([]float64, len(l.Shape))
			for d := range scale {
				scale[d] = factors[k][d] / factors[k-1][d]
			}
			level["derived_from"] = p.Levels[k-1].Path
			level["transform"] = map[string]any{"scale": scale, "translation": translation}
			level["resampling_method"] = method
		}
		layout = append(layout, level)
	}
	return conventionAttributes(p.src.Metadata().Attributes, layout, method)
}

// conventionAttributes returns the attributes of a group with a layout, and those of the source
// that place it in the world.
func conventionAttributes(source json.Value, layout []any, method string) map[string]any {
	conventions := []any{}
	for _, c := range source.Get("zarr_conventions").Items() {
		conventions = append(conventions, c)
	}
	conventions = append(conventions, geo.Declaration("multiscales"))
	all := map[string]any{"zarr_conventions": conventions, "multiscales": map[string]any{"layout": layout, "resampling_method": method}}
	for _, name := range placed() {
		if v := source.Get(name); v.Exists() {
			all[name] = v
		}
	}
	return all
}

// levelAttributes removes attributes of the source that do not apply to further levels.
func (p *Pyramid) levelAttributes(spec *zarr.ArraySpec) {
	attributes := asMap(p.src.Metadata().Attributes)
	found := false
	for _, name := range own() {
		_, is := attributes[name]
		found = found || is
		delete(attributes, name)
	}
	if found {
		delete(attributes, "_ARRAY_DIMENSIONS") // the specification has the names
		spec.Attributes = attributes
	}
}
