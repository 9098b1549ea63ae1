package tiff

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// pixels is what OME-XML says of an image (OME schema 2016-06).
type pixels struct {
	name           string
	SizeX          int64   `xml:",attr"`
	SizeY          int64   `xml:",attr"`
	SizeZ          int64   `xml:",attr"`
	SizeC          int64   `xml:",attr"`
	SizeT          int64   `xml:",attr"`
	DimensionOrder string  `xml:",attr"`
	PhysicalSizeX  float64 `xml:",attr"`
	PhysicalSizeY  float64 `xml:",attr"`
	PhysicalSizeZ  float64 `xml:",attr"`
	UnitX          string  `xml:"PhysicalSizeXUnit,attr"`
	UnitY          string  `xml:"PhysicalSizeYUnit,attr"`
	UnitZ          string  `xml:"PhysicalSizeZUnit,attr"`
	TiffData       []struct {
		IFD        *int64 `xml:",attr"`
		FirstZ     int64  `xml:",attr"`
		FirstC     int64  `xml:",attr"`
		FirstT     int64  `xml:",attr"`
		PlaneCount *int64 `xml:",attr"`
	}
}

// maxXML limits OME-XML in bytes.
const maxXML = 16 << 20

// ofOME returns the images that OME-XML in the first page describes. It returns nil if there is
// none, or if its planes are not just the pages of this file.
func ofOME(pages []*page) (list []*image) {
	text, err := pages[0].text(tagDescription)
	if err != nil || len(text) > maxXML || !strings.Contains(text[:min(len(text), 1000)], "<OME") {
		return nil
	}
	var document struct {
		Image []struct {
			Name   string `xml:",attr"`
			Pixels pixels
		}
	}
	if xml.Unmarshal([]byte(text), &document) != nil || len(document.Image) == 0 {
		return nil
	}
	used := make([]bool, len(pages))
	next := int64(0)
	for _, one := range document.Image {
		p := one.Pixels
		p.name = one.Name
		s := p.planes(pages, used, &next)
		if s == nil {
			return nil
		}
		list = append(list, s)
	}
	for _, is := range used {
		if !is {
			return nil
		}
	}
	return list
}

// planes returns the image of the pages from a number on, and marks them. Each plane has one page.
func (p *pixels) planes(pages []*page, used []bool, next *int64) *image {
	if *next >= int64(len(pages)) {
		return nil
	}
	l := &layout{pixels: p, pages: pages, used: used, first: pages[*next], image: &image{ome: p}, seen: map[[3]int64]bool{}}
	if !l.measure() {
		return nil
	}
	if len(p.TiffData) == 0 && !l.run(*next, 0, l.total, next) {
		return nil
	}
	for _, d := range p.TiffData {
		page, count := *next, int64(1)
		if len(p.TiffData) == 1 {
			count = l.total
		}
		if d.IFD != nil {
			page = *d.IFD
		}
		if d.PlaneCount != nil {
			count = *d.PlaneCount
		}
		from, step := int64(0), int64(1)
		for i, n := range l.ordered([3]int64{d.FirstT, d.FirstC / l.first.samples, d.FirstZ}) {
			size := l.ordered(l.sizes)[i]
			if n < 0 || n >= size {
				return nil
			}
			from, step = from+n*step, step*size
		}
		if count > l.total || !l.run(page, from, count, next) {
			return nil
		}
	}
	if int64(len(l.image.pages)) != l.total {
		return nil
	}
	return l.image
}

// letters are the dimensions of planes, in the order of an image's axes.
const letters = "TCZ"

// layout assigns pages to the planes of an image.
type layout struct {
	*pixels
	pages []*page
	used  []bool // the pages that have a plane
	first *page
	image *image
	sizes [3]int64 // along letters
	order [3]int   // which of letters varies first, second and third
	total int64
	seen  map[[3]int64]bool // places that have a page
}

// measure sets the sizes. It returns false if they do not fit the pages.
func (l *layout) measure() bool {
	if l.SizeC%l.first.samples != 0 || l.SizeX != l.first.width || l.SizeY != l.first.length || len(l.DimensionOrder) != 5 {
		return false
	}
	l.sizes, l.total = [3]int64{l.SizeT, l.SizeC / l.first.samples, l.SizeZ}, 1
	for i, n := range l.sizes {
		if n < 1 || n > int64(len(l.pages)) {
			return false
		}
		if l.total *= n; n > 1 {
			l.image.axes = append(l.image.axes, axis{strings.ToLower(letters[i : i+1]), n})
		}
		at := strings.IndexByte(l.DimensionOrder, letters[i])
		if at < 2 {
			return false
		}
		l.order[at-2] = i
	}
	return l.total <= int64(len(l.pages))
}

// ordered returns numbers along letters in the order of the planes.
func (l *layout) ordered(v [3]int64) [3]int64 {
	return [3]int64{v[l.order[0]], v[l.order[1]], v[l.order[2]]}
}

// run assigns pages from a number on to a run of planes. It returns false if they do not fit. The
// number next is set behind them.
func (l *layout) run(page, plane, count int64, next *int64) bool {
	for i := range count {
		if !l.put(page+i, plane+i) {
			return false
		}
		*next = max(*next, page+i+1)
	}
	return true
}

func (l *layout) put(page, plane int64) bool {
	var place [3]int64
	for _, i := range l.order {
		place[i] = plane % l.sizes[i]
		plane /= l.sizes[i]
	}
	if plane > 0 || page < 0 || page >= int64(len(l.pages)) || l.used[page] || l.seen[place] || !l.first.alike(l.pages[page]) {
		return false
	}
	l.used[page], l.seen[place] = true, true
	var at []int64
	for i, n := range place {
		if l.sizes[i] > 1 {
			at = append(at, n)
		}
	}
	l.image.pages, l.image.at = append(l.image.pages, l.pages[page]), append(l.image.at, at)
	return true
}

// units are the names in OME-Zarr of units in OME-XML.
var units = map[string]string{"": "micrometer", "µm": "micrometer", "nm": "nanometer", "mm": "millimeter", "cm": "centimeter", "m": "meter"}

// attributes returns the metadata of OME-Zarr 0.4.
func (p *pixels) attributes(s *image) map[string]any {
	axes := []any{}
	add := func(name, kind, unit string) {
		one := map[string]any{"name": name, "type": kind}
		if unit != "" {
			one["unit"] = unit
		}
		axes = append(axes, one)
	}
	size := map[string]float64{"x": p.PhysicalSizeX, "y": p.PhysicalSizeY, "z": p.PhysicalSizeZ}
	named := map[string]string{"x": units[p.UnitX], "y": units[p.UnitY], "z": units[p.UnitZ]}
	unit := func(name string) string {
		if size[name] > 0 {
			return named[name]
		}
		return ""
	}
	for _, a := range s.axes {
		add(a.name, map[string]string{"t": "time", "c": "channel", "z": "space"}[a.name], unit(a.name))
	}
	add("y", "space", unit("y"))
	add("x", "space", unit("x"))
	datasets := []any{}
	first := s.pages[0]
	for k, level := range append([]*page{first}, first.levels...) {
		scale := []any{}
		step := func(name string, factor float64) {
			if size[name] > 0 {
				factor *= size[name]
			}
			scale = append(scale, factor)
		}
		for _, a := range s.axes {
			step(a.name, 1)
		}
		step("y", float64(first.length)/float64(level.length))
		step("x", float64(first.width)/float64(level.width))
		datasets = append(datasets, map[string]any{
			"path":                      strconv.Itoa(k),
			"coordinateTransformations": []any{map[string]any{"type": "scale", "scale": scale}},
		})
	}
	multiscale := map[string]any{"version": "0.4", "axes": axes, "datasets": datasets}
	if p.name != "" {
		multiscale["name"] = p.name
	}
	return map[string]any{"multiscales": []any{multiscale}}
}
