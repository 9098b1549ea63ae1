package tiff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The limits of what one structure, and all of them, may take of the reader.
const (
	maxBlock   = 64 << 20 // bytes
	maxWork    = 8 << 30  // bytes
	maxEntries = 4096     // of a directory
	maxNumbers = 16 << 20 // of a tag
	maxTiles   = 16 << 20 // of all arrays; package references has the same limit
	maxPages   = 1 << 16
)

// The tags that matter here.
const (
	tagSubfile        = 254
	tagWidth          = 256
	tagLength         = 257
	tagBits           = 258
	tagCompression    = 259
	tagPhotometric    = 262
	tagFillOrder      = 266
	tagDescription    = 270
	tagStripOffsets   = 273
	tagSamples        = 277
	tagRows           = 278
	tagStripCounts    = 279
	tagPlanar         = 284
	tagPredictor      = 317
	tagTileWidth      = 322
	tagTileLength     = 323
	tagTileOffsets    = 324
	tagTileCounts     = 325
	tagSubdirectories = 330
	tagSampleFormat   = 339
	tagJPEGTables     = 347
	tagSubsampling    = 530
	tagDepth          = 32997
	tagTileDepth      = 32998
	tagPixelScale     = 33550
	tagTiepoints      = 33922
	tagTransformation = 34264
	tagGeoKeys        = 34735
	tagGDALNoData     = 42113
	tagLERC           = 50674
)

// matters reports whether a directory keeps a tag. The others would take memory.
func matters(tag uint16) bool {
	switch tag {
	case tagSubfile, tagWidth, tagLength, tagBits, tagCompression, tagPhotometric, tagFillOrder, tagDescription,
		tagStripOffsets, tagSamples, tagRows, tagStripCounts, tagPlanar, tagPredictor, tagTileWidth, tagTileLength,
		tagTileOffsets, tagTileCounts, tagSubdirectories, tagSampleFormat, tagJPEGTables, tagSubsampling, tagDepth, tagTileDepth,
		tagPixelScale, tagTiepoints, tagTransformation, tagGeoKeys, tagGDALNoData, tagLERC:
		return true
	}
	return false
}

// widths are the sizes of the types of values in bytes, by their numbers.
var widths = [...]int64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}

// file reads structures of a file, and bounds the work by the size of the file.
type file struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF
	work  int64
	first int64 // the offset of the first directory
}

func damaged(object, format string, args ...any) error {
	return &references.Damaged{Object: object, Msg: fmt.Sprintf(format, args...)}
}

func unsupported(object, format string, args ...any) error {
	return &references.Unsupported{Object: object, Feature: fmt.Sprintf(format, args...)}
}

// read reads n bytes at an offset.
func (f *file) read(what string, at uint64, n int64) ([]byte, error) {
	switch {
	case n < 0 || n > maxBlock:
		return nil, &references.LimitError{What: "the size in bytes of " + what, Max: maxBlock}
	case !f.within(at, uint64(n)):
		return nil, damaged("", "%s lies beyond the end of the file", what)
	}
	if f.work -= n + 64; f.work < 0 {
		return nil, &references.LimitError{What: "the bytes of structures that refer to each other again and again", Max: maxWork}
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, int64(at)); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return b, nil
}

func (f *file) within(at, n uint64) bool {
	return at <= uint64(f.size) && n <= uint64(f.size)-at
}

// Is reports whether a file begins as TIFF or BigTIFF does.
func Is(r io.ReaderAt, size int64) bool {
	_, err := open(r, size)
	return err == nil
}

// open reads the header.
func open(r io.ReaderAt, size int64) (*file, error) {
	f := &file{r: r, size: size, work: min(max(8*size, 1<<20), maxWork)}
	b, err := f.read("the header", 0, 8)
	if err != nil {
		return nil, err
	}
	switch string(b[:2]) {
	case "II":
		f.order = binary.LittleEndian
	case "MM":
		f.order = binary.BigEndian
	default:
		return nil, damaged("", "it does not begin with II or MM")
	}
	switch version := f.order.Uint16(b[2:]); version {
	case 42:
		f.first = int64(f.order.Uint32(b[4:]))
		return f, nil
	case 43:
		f.big = true
		if f.order.Uint16(b[4:]) != 8 {
			return nil, unsupported("", "offsets of %d bytes", f.order.Uint16(b[4:]))
		}
		if b, err = f.read("the header", 8, 8); err != nil {
			return nil, err
		}
		if f.first = int64(f.order.Uint64(b)); f.first < 0 {
			return nil, damaged("", "the first directory lies beyond the end of the file")
		}
		return f, nil
	default:
		return nil, damaged("", "the version %d", version)
	}
}

// directory is an image file directory.
type directory struct {
	f       *file
	name    string // for messages
	entries map[uint16]entry
}

// entry is the value of a tag: it is in the directory if it is short, else at an offset.
type entry struct {
	kind  uint16
	count uint64
	value []byte
}

// directory reads a directory. It returns the offset of the next.
func (f *file) directory(at int64, name string) (*directory, int64, error) {
	head, step, word := int64(2), int64(12), 4
	if f.big {
		head, step, word = 8, 20, 8
	}
	b, err := f.read(name, uint64(at), head)
	if err != nil {
		return nil, 0, err
	}
	n := uint64(0)
	if f.big {
		n = f.order.Uint64(b)
	} else {
		n = uint64(f.order.Uint16(b))
	}
	if n > maxEntries {
		return nil, 0, damaged(name, "a directory of %d entries", n)
	}
	if b, err = f.read(name, uint64(at+head), int64(n)*step+int64(word)); err != nil {
		return nil, 0, err
	}
	d := &directory{f: f, name: name, entries: map[uint16]entry{}}
	for ; n > 0; n-- {
		if tag := f.order.Uint16(b); matters(tag) && d.entries[tag].value == nil {
			d.entries[tag] = entry{kind: f.order.Uint16(b[2:]), count: f.word(b[4:]), value: bytes.Clone(b[4+word : 4+2*word])}
		}
		b = b[step:]
	}
	next := f.word(b)
	if next > math.MaxInt64 {
		next = 0
	}
	return d, int64(next), nil
}

// word reads a number of the size of offsets.
func (f *file) word(b []byte) uint64 {
	if f.big {
		return f.order.Uint64(b)
	}
	return uint64(f.order.Uint32(b))
}

// raw returns the values of a tag, and the size of one.
func (d *directory) raw(tag uint16) ([]byte, int64, error) {
	e, ok := d.entries[tag]
	if !ok {
		return nil, 1, nil
	}
	if int(e.kind) >= len(widths) || widths[e.kind] == 0 {
		return nil, 1, damaged(d.name, "the tag %d has the type %d", tag, e.kind)
	}
	width := widths[e.kind]
	if e.count > maxBlock {
		return nil, 1, &references.LimitError{What: fmt.Sprintf("the number of values of the tag %d", tag), Max: maxBlock}
	}
	n := int64(e.count) * width
	if n <= int64(len(e.value)) {
		return e.value[:n], width, nil
	}
	b, err := d.f.read(fmt.Sprintf("the tag %d of %s", tag, d.name), d.f.word(e.value), n)
	return b, width, err
}

// numbers returns the whole numbers of a tag.
func (d *directory) numbers(tag uint16) ([]uint64, error) {
	b, width, err := d.raw(tag)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	switch d.entries[tag].kind {
	case 1, 3, 4, 13, 16, 18:
	default:
		return nil, damaged(d.name, "the tag %d has the type %d", tag, d.entries[tag].kind)
	}
	if int64(len(b))/width > maxNumbers {
		return nil, &references.LimitError{What: fmt.Sprintf("the number of values of the tag %d", tag), Max: maxNumbers}
	}
	all := make([]uint64, int64(len(b))/width)
	for i := range all {
		switch one := b[int64(i)*width:]; width {
		case 1:
			all[i] = uint64(one[0])
		case 2:
			all[i] = uint64(d.f.order.Uint16(one))
		case 4:
			all[i] = uint64(d.f.order.Uint32(one))
		default:
			all[i] = d.f.order.Uint64(one)
		}
	}
	return all, nil
}

// number returns the first number of a tag, or a default.
func (d *directory) number(tag uint16, without uint64) (uint64, error) {
	all, err := d.numbers(tag)
	if err != nil || len(all) == 0 {
		return without, err
	}
	return all[0], nil
}

// floats returns the real numbers of a tag.
func (d *directory) floats(tag uint16) ([]float64, error) {
	b, width, err := d.raw(tag)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	if d.entries[tag].kind != 12 {
		return nil, damaged(d.name, "the tag %d has the type %d", tag, d.entries[tag].kind)
	}
	all := make([]float64, int64(len(b))/width)
	for i := range all {
		all[i] = math.Float64frombits(d.f.order.Uint64(b[8*i:]))
	}
	return all, nil
}

// text returns the text of a tag.
func (d *directory) text(tag uint16) (string, error) {
	b, _, err := d.raw(tag)
	return strings.TrimRight(references.Text(b), "\x00"), err
}
