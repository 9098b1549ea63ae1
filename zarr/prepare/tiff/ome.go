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
	first := pages[*next]
	sizes := map[byte]int64{'Z': p.SizeZ, 'C': p.SizeC, 'T': p.SizeT}
	if p.SizeC%first.samples != 0 {
		return nil
	}
	sizes['C'] /= first.samples
	total := int64(1)
	for _, n := range sizes {
		if n < 1 || n > int64(len(pages)) {
			return nil
		}
		total *= n
	}
	if len(p.DimensionOrder) != 5 || p.DimensionOrder[:2] != "XY" || total > int64(len(pages)) || p.SizeX != first.width || p.SizeY != first.length {
		return nil
	}
	s := &image{ome: p}
	for _, letter := range []byte("TCZ") {
		if n := sizes[letter]; n > 1 {
			s.axes = append(s.axes, axis{strings.ToLower(string(letter)), n})
		}
	}
	seen := map[[3]int64]bool{}
	// put adds the page of a plane, whose number is in the order of the dimensions.
	put := func(page, n int64) bool {
		var place [3]int64
		var at []int64
		index := map[byte]int64{}
		for _, letter := range []byte(p.DimensionOrder[2:]) {
			if sizes[letter] == 0 {
				return false
			}
			index[letter] = n % sizes[letter]
			n /= sizes[letter]
		}
		for i, letter := range []byte("TCZ") {
			place[i] = index[letter]
			if sizes[letter] > 1 {
				at = append(at, index[letter])
			}
		}
		if n > 0 || page < 0 || page >= int64(len(pages)) || used[page] || seen[place] || !first.alike(pages[page]) {
			return false
		}
		used[page], seen[place] = true, true
		s.pages, s.at = append(s.pages, pages[page]), append(s.at, at)
		*next = max(*next, page+1)
		return true
	}
	if len(p.TiffData) == 0 {
		from := *next
		for n := range total {
			if !put(from+n, n) {
				return nil
			}
		}
	}
	for _, d := range p.TiffData {
		page, count := *next, int64(1)
		if len(p.TiffData) == 1 {
			count = total
		}
		if d.IFD != nil {
			page = *d.IFD
		}
		if d.PlaneCount != nil {
			count = *d.PlaneCount
		}
		from, step := int64(0), int64(1)
		for _, letter := range []byte(p.DimensionOrder[2:]) {
			n := map[byte]int64{'Z': d.FirstZ, 'C': d.FirstC / first.samples, 'T': d.FirstT}[letter]
			if n < 0 || n >= max(sizes[letter], 1) {
				return nil
			}
			from, step = from+n*step, step*sizes[letter]
		}
		if count > total {
			return nil
		}
		for n := range count {
			if !put(page+n, from+n) {
				return nil
			}
		}
	}
	if int64(len(s.pages)) != total {
		return nil
	}
	return s
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
