package tiff

import (
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// The keys of GeoTIFF that place an image (OGC 19-008, section 7).
const (
	keyModel      = 1024
	keyRaster     = 1025
	keyGeographic = 2048
	keyProjected  = 3072

	rasterPoint = 2 // a pixel is a point, and a place that of its centre
	userDefined = 32767
)

// georeference is the place of an image in the world.
type georeference struct {
	transform []float64 // as in spatial:transform, or nil
	code      string    // of the coordinate reference system, or ""
}

// georeference reads GeoTIFF's tags of a page. It returns nil for an image without them.
func (p *page) georeference() (*georeference, error) {
	keys, err := p.numbers(tagGeoKeys)
	if err != nil {
		return nil, err
	}
	value := map[uint64]uint64{}
	for i := 4; i+3 < len(keys); i += 4 {
		if keys[i+1] == 0 {
			value[keys[i]] = keys[i+3]
		}
	}
	g := &georeference{}
	code := value[keyProjected]
	if code == 0 {
		code = value[keyGeographic]
	}
	if code > 0 && code < userDefined {
		g.code = "EPSG:" + strconv.FormatUint(code, 10)
	}
	matrix, err := p.floats(tagTransformation)
	if err != nil {
		return nil, err
	}
	scale, err := p.floats(tagPixelScale)
	if err != nil {
		return nil, err
	}
	tie, err := p.floats(tagTiepoints)
	if err != nil {
		return nil, err
	}
	switch {
	case len(matrix) >= 8:
		g.transform = []float64{matrix[0], matrix[1], matrix[3], matrix[4], matrix[5], matrix[7]}
	case len(scale) >= 2 && len(tie) == 6:
		g.transform = []float64{scale[0], 0, tie[3] - tie[0]*scale[0], 0, -scale[1], tie[4] + tie[1]*scale[1]}
	}
	if t := g.transform; t != nil && value[keyRaster] == rasterPoint {
		t[2] -= (t[0] + t[1]) / 2
		t[5] -= (t[3] + t[4]) / 2
	}
	for _, x := range g.transform {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, damaged(p.name, "its place in the world is not finite")
		}
	}
	if g.transform == nil && g.code == "" {
		return nil, nil
	}
	return g, nil
}

// spatial returns the attributes that place a level of an image, whose first level has other
// lengths.
func (g *georeference) spatial(first, p *page) map[string]any {
	all := map[string]any{"spatial:shape": []int64{p.length, p.width}}
	if t := g.transform; t != nil {
		x, y := float64(first.width)/float64(p.width), float64(first.length)/float64(p.length)
		all["spatial:transform"] = []any{t[0] * x, t[1] * y, t[2], t[3] * x, t[4] * y, t[5]}
	}
	return all
}

// declare adds attributes of all levels, and the conventions that they follow.
func (g *georeference) declare(all map[string]any, conventions ...any) {
	if g != nil {
		conventions = append(conventions, geo.Declaration("spatial"))
		all["spatial:dimensions"] = []any{"y", "x"}
		if g.code != "" {
			conventions = append(conventions, geo.Declaration("proj"))
			all["proj:code"] = g.code
		}
	}
	if len(conventions) > 0 {
		all["zarr_conventions"] = conventions
	}
}

// attributes returns the attributes of the group of an image, which name its levels.
func (s *image) attributes(g *georeference) map[string]any {
	first := s.pages[0]
	if s.ome != nil && first.samples == 1 {
		return s.ome.attributes(s)
	}
	all := map[string]any{}
	if len(first.levels) == 0 {
		return all
	}
	layout := []any{}
	before := first
	for k, p := range append([]*page{first}, first.levels...) {
		level := map[string]any{"asset": strconv.Itoa(k)}
		if g != nil {
			level = g.spatial(first, p)
			level["asset"] = strconv.Itoa(k)
		}
		if k > 0 {
			scale, translation := []any{}, []any{}
			for range s.lead() {
				scale, translation = append(scale, 1.0), append(translation, 0.0)
			}
			scale = append(scale, float64(before.length)/float64(p.length), float64(before.width)/float64(p.width))
			translation = append(translation, 0.0, 0.0)
			if p.samples > 1 && !p.planar {
				scale, translation = append(scale, 1.0), append(translation, 0.0)
			}
			level["derived_from"] = strconv.Itoa(k - 1)
			level["transform"] = map[string]any{"scale": scale, "translation": translation}
		}
		layout = append(layout, level)
		before = p
	}
	all["multiscales"] = map[string]any{"layout": layout}
	g.declare(all, geo.Declaration("multiscales"))
	return all
}

// lead is the number of dimensions before y and x.
func (s *image) lead() int {
	if s.pages[0].planar {
		return len(s.axes) + 1
	}
	return len(s.axes)
}

// arrayAttributes returns the attributes of the array of a level.
func (s *image) arrayAttributes(p *page, g *georeference) (map[string]any, error) {
	all := map[string]any{}
	if g != nil {
		all = g.spatial(s.pages[0], p)
		g.declare(all)
	}
	text, err := p.text(tagDescription)
	if err == nil && text != "" && s.ome == nil {
		all["description"] = text
	}
	return all, err
}
