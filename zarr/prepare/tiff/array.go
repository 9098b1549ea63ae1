package tiff

import (
	"math"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// array adds one level of an image as an array.
func (w *walk) array(path string, s *image, level func(*page) *page, attributes map[string]any) error {
	p := level(s.pages[0])
	codecs, err := p.codecs()
	if err != nil {
		return err
	}
	fill, err := p.noData()
	if err != nil {
		return err
	}
	if fill != nil {
		attributes["_FillValue"] = fill
	}
	a := references.Array{Type: p.kind, Filters: codecs, Attributes: attributes, Fill: references.Fill(fill)}
	m := p.format
	places := make([]*planes, len(s.pages))
	for i, one := range s.pages {
		if places[i], err = w.planes(level(one)); err != nil {
			return err
		}
	}
	if m.compression == 1 && !m.tiled {
		together := contiguous(places)
		m.rows = joined(&m, together)
		for _, one := range places {
			if err := w.more(int64(len(one.tiles)) + one.length/m.rows*one.format.planes()); err != nil {
				return err
			}
			one.split(m.rows, together)
		}
	}
	add := func(name string, length, chunk int64) {
		a.Dimensions, a.Shape, a.Chunks = append(a.Dimensions, name), append(a.Shape, length), append(a.Chunks, chunk)
	}
	for _, x := range s.axes {
		add(x.name, x.length, 1)
	}
	if m.planar {
		add("band", m.samples, 1)
	}
	add("y", m.length, m.rows)
	add("x", m.width, m.columns)
	if m.samples > 1 && !m.planar {
		add("band", m.samples, m.samples)
	}
	chunks, err := w.to.Array(path, a)
	if err != nil {
		return err
	}
	for i, one := range places {
		if err := one.write(chunks, &m, s.at[i]); err != nil {
			return err
		}
	}
	return nil
}

// planes are the tiles or strips of a page.
type planes struct {
	*page
	tiles []tile // those that exist, in their order
}

// tile is a tile, a strip, or a part of a strip.
type tile struct {
	n             int64 // its number in the page
	offset, count uint64
	data          []byte // in place of its bytes in the file
}

// planes reads where the tiles or strips of a page are.
func (w *walk) planes(p *page) (*planes, error) {
	offsets, counts, err := p.places()
	if err != nil {
		return nil, err
	}
	one := &planes{page: p}
	if err := w.more(int64(len(counts))); err != nil {
		return nil, err
	}
	n := p.across() * p.down()
	for i, count := range counts {
		if count == 0 {
			continue
		}
		t := tile{n: int64(i), offset: offsets[i], count: count}
		rows := p.rows
		if !p.tiled {
			rows = p.stripRows(t.n % n)
		}
		switch bytes := uint64(rows * p.rowBytes()); {
		case p.compression == 1 && count < bytes:
			return nil, damaged(p.name, "tile or strip %d has %d bytes, not %d", i, count, bytes)
		case p.compression == 1:
			t.count = bytes
		case p.compression == jpeg || p.compression == lerc: // a strip knows its rows
		case rows < p.rows:
			if t.data, err = w.lengthen(p, t, rows); err != nil {
				return nil, err
			}
		}
		one.tiles = append(one.tiles, t)
	}
	return one, nil
}

// more counts tiles or strips.
func (w *walk) more(n int64) error {
	if w.tiles += n; n > maxTiles || w.tiles > maxTiles {
		return &references.LimitError{What: "the number of tiles and strips", Max: maxTiles}
	}
	return nil
}

// joined returns the number of rows in a chunk of strips that are not compressed. It divides all
// strips, or the image if its strips follow each other.
func joined(m *format, contiguous bool) int64 {
	together := m.rows
	if contiguous {
		together = m.length
	} else if short := m.length % m.rows; short != 0 {
		together = divisor(m.rows, short)
	}
	return references.SlabLength(together, m.rowBytes())
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// contiguous reports whether the strips of each plane follow each other.
func contiguous(all []*planes) bool {
	for _, p := range all {
		n := p.down()
		if int64(len(p.tiles)) != n*p.format.planes() {
			return false
		}
		for i, t := range p.tiles {
			if t.n%n > 0 && t.offset != p.tiles[i-1].offset+p.tiles[i-1].count {
				return false
			}
		}
	}
	return true
}

// split replaces the strips by parts of some rows, which divide each strip, or all of a plane.
func (p *planes) split(rows int64, contiguous bool) {
	var parts []tile
	bytes, n := uint64(rows*p.rowBytes()), p.down()
	perPlane := (p.length + rows - 1) / rows
	for _, t := range p.tiles {
		strip := t.n % n
		has := p.stripRows(strip)
		if contiguous {
			if strip > 0 {
				continue
			}
			has = p.length
		}
		first := t.n/n*perPlane + strip*p.rows/rows
		for k := range has / rows {
			parts = append(parts, tile{n: first + k, offset: t.offset + uint64(k)*bytes, count: bytes})
		}
	}
	p.tiles = parts
}

// write adds the chunks of a page at a place of the axes.
func (p *planes) write(chunks *references.Chunks, m *format, lead []int64) error {
	at := append([]int64{}, lead...)
	band := len(at)
	if m.planar {
		at = append(at, 0)
	}
	y := len(at)
	at = append(at, 0, 0)
	if m.samples > 1 && !m.planar {
		at = append(at, 0)
	}
	across, down := m.across(), m.down()
	for _, t := range p.tiles {
		if m.planar {
			at[band] = t.n / (across * down)
		}
		at[y], at[y+1] = t.n/across%down, t.n%across
		var err error
		if t.data != nil {
			err = chunks.Inline(at, t.data)
		} else {
			err = chunks.Range(at, int64(t.offset), int64(t.count))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noData returns the fill value: GDAL's value of missing pixels, if a pixel can have it.
func (p *page) noData() (any, error) {
	text, err := p.text(tagGDALNoData)
	if text = strings.TrimSpace(text); err != nil || text == "" {
		return nil, err
	}
	bits := int(p.bytes) * 8
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, nil
	}
	if p.kind[1] == 'f' {
		if small := float64(float32(v)); bits == 32 && math.IsInf(small, 0) && !math.IsInf(v, 0) {
			return nil, nil // no pixel has it
		} else if bits == 32 {
			v = small
		}
		return v, nil
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	switch p.kind[1] {
	case 'u':
		if v, err := strconv.ParseUint(text, 10, bits); err == nil {
			return v, nil
		}
	case 'i':
		if v, err := strconv.ParseInt(text, 10, bits); err == nil {
			return v, nil
		}
	}
	return nil, nil
}
