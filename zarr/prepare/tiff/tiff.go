// Package tiff indexes TIFF files: it writes references to their tiles and strips, so that they
// open as Zarr without conversion.
//
// It reads TIFF and BigTIFF of both byte orders, with the compressions and predictors that codecs
// of Zarr decode. Images of lower resolution, as in a Cloud-Optimized GeoTIFF, are levels of a
// pyramid. GeoTIFF's place in the world becomes attributes of the conventions spatial and proj.
// Pages of one format are a stack, whose axes OME-TIFF names. A strip at the end that is shorter
// than the others is inline.
//
// A file may be hostile. The work is bounded by the size of the file, and the memory by limits of
// each structure and of package references.
package tiff

import (
	"io"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// Index adds the images of a file. An image is a group of arrays 0, 1 and so on, one for each
// level. Several images are groups 0, 1 and so on.
func Index(r io.ReaderAt, size int64, to *references.Writer) error {
	f, err := open(r, size)
	if err != nil {
		return err
	}
	w := &walk{file: f, to: to, seen: map[int64]bool{}}
	pages, err := w.pages()
	if err != nil {
		return err
	}
	var images []*image
	if len(pages) > 0 {
		images = ofOME(pages)
	}
	if images == nil {
		images = stacks(pages)
	}
	if len(images) == 1 {
		return w.image("", images[0])
	}
	if err := to.Group("", nil); err != nil {
		return err
	}
	for i, one := range images {
		if err := w.image(strconv.Itoa(i), one); err != nil {
			return err
		}
	}
	return nil
}

// walk reads the directories of a file.
type walk struct {
	*file
	to     *references.Writer
	seen   map[int64]bool
	inline int64 // the bytes of short strips
	tiles  int64 // of all pages, for a limit

	registry *codec.Registry
}

// pages returns the images of full resolution, with their levels.
func (w *walk) pages() ([]*page, error) {
	var list []*page
	number := 0
	for at := w.first; at != 0; number++ {
		d, next, err := w.open(at, "page "+strconv.Itoa(number))
		if err != nil {
			return nil, err
		}
		at = next
		p, err := d.page()
		if err != nil {
			if err := w.to.Skip(d.name, err); err != nil {
				return nil, err
			}
			continue
		}
		kind, err := d.number(tagSubfile, 0)
		if err != nil {
			return nil, err
		}
		if last := len(list) - 1; kind&subfileReduced != 0 && last >= 0 && list[last].isAbove(p) {
			list[last].levels = append(list[last].levels, p)
			continue
		}
		if err := w.subdirectories(p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// open reads a directory that was not read before.
func (w *walk) open(at int64, name string) (*directory, int64, error) {
	switch {
	case w.seen[at]:
		return nil, 0, damaged(name, "the directories are a circle")
	case len(w.seen) >= maxPages:
		return nil, 0, &references.LimitError{What: "the number of directories", Max: maxPages}
	}
	w.seen[at] = true
	return w.directory(at, name)
}

// subdirectories adds those of the images that are levels of a page.
func (w *walk) subdirectories(p *page) error {
	places, err := p.numbers(tagSubdirectories)
	if err != nil {
		return w.to.Skip(p.name, err)
	}
	for i, at := range places {
		name := p.name + ", subdirectory " + strconv.Itoa(i)
		if !w.within(at, 0) {
			return w.to.Skip(name, damaged(name, "it lies beyond the end of the file"))
		}
		d, _, err := w.open(int64(at), name)
		if err != nil {
			return err
		}
		level, err := d.page()
		if err == nil && !p.isAbove(level) {
			err = unsupported(name, "a subdirectory that is no level of its page")
		}
		if err != nil {
			if err := w.to.Skip(name, err); err != nil {
				return err
			}
			continue
		}
		p.levels = append(p.levels, level)
	}
	return nil
}

// isAbove reports whether another image can be a level of this one.
func (p *page) isAbove(q *page) bool {
	last := p
	if n := len(p.levels); n > 0 {
		last = p.levels[n-1]
	}
	return q.width <= last.width && q.length <= last.length && q.width+q.length < last.width+last.length && q.kind == p.kind && q.samples == p.samples && q.planar == p.planar
}

// alike reports whether pages and their levels have the same format.
func (p *page) alike(q *page) bool {
	if p.format != q.format || len(p.levels) != len(q.levels) {
		return false
	}
	for i, level := range p.levels {
		if level.format != q.levels[i].format {
			return false
		}
	}
	return true
}

// image is a stack of pages along axes.
type image struct {
	axes  []axis
	pages []*page
	at    [][]int64 // the place of each page along the axes
	ome   *pixels
}

type axis struct {
	name   string
	length int64
}

// stacks makes an image of each run of pages that are alike.
func stacks(pages []*page) (list []*image) {
	for _, p := range pages {
		if n := len(list); n > 0 && list[n-1].pages[0].alike(p) {
			list[n-1].pages = append(list[n-1].pages, p)
			continue
		}
		list = append(list, &image{pages: []*page{p}})
	}
	for _, s := range list {
		s.at = make([][]int64, len(s.pages))
		if n := int64(len(s.pages)); n > 1 {
			s.axes = []axis{{"page", n}}
			for i := range s.at {
				s.at[i] = []int64{int64(i)}
			}
		}
	}
	return list
}

// image adds the group of an image.
func (w *walk) image(path string, s *image) error {
	first := s.pages[0]
	g, err := first.georeference()
	if err != nil {
		if err := w.to.Skip(first.name, err); err != nil {
			return err
		}
	}
	if err := w.to.Group(path, s.attributes(g)); err != nil {
		return err
	}
	for k := range 1 + len(first.levels) {
		level := func(p *page) *page {
			if k > 0 {
				return p.levels[k-1]
			}
			return p
		}
		attributes, err := s.arrayAttributes(level(first), g)
		if err == nil {
			err = w.array(store.Join(path, strconv.Itoa(k)), s, level, attributes)
		}
		if err != nil {
			if err := w.to.Skip(level(first).name, err); err != nil {
				return err
			}
		}
	}
	return nil
}
