package tiff

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The bits of tagSubfile.
const (
	subfileReduced = 1
	subfileMask    = 4
)

// page is an image of a file, with its levels of lower resolution.
type page struct {
	*directory
	format
	levels []*page
}

// format is what the pages of one array have in common.
type format struct {
	length, width, samples int64
	rows, columns          int64 // of a tile or strip
	planar, tiled          bool
	kind                   string // the typestring
	bytes                  int64  // of a sample
	swapped                bool   // big-endian samples become little-endian
	compression, predictor uint64

	ycc    bool   // JPEG with the colours YCbCr
	tables string // of JPEG
	inside uint64 // the compression of LERC's bytes
}

// across and down are the numbers of tiles or strips of one plane.
func (m *format) across() int64 { return (m.width + m.columns - 1) / m.columns }
func (m *format) down() int64   { return (m.length + m.rows - 1) / m.rows }

// planes is the number of planes, which have their own tiles.
func (m *format) planes() int64 {
	if m.planar {
		return m.samples
	}
	return 1
}

// inner is the number of samples of a pixel in one tile.
func (m *format) inner() int64 {
	if m.planar {
		return 1
	}
	return m.samples
}

// rowBytes is the size of a row of a tile or strip.
func (m *format) rowBytes() int64 { return m.columns * m.inner() * m.bytes }

// page reads the format of an image.
func (d *directory) page() (*page, error) {
	p := &page{directory: d}
	var err error
	get := func(tag uint16, without uint64) uint64 {
		v, e := d.number(tag, without)
		if err == nil {
			err = e
		}
		return v
	}
	subfile := get(tagSubfile, 0)
	width, length, samples := get(tagWidth, 0), get(tagLength, 0), get(tagSamples, 1)
	p.compression, p.predictor = get(tagCompression, 1), get(tagPredictor, 1)
	planar, order := get(tagPlanar, 1), get(tagFillOrder, 1)
	photometric, depth := get(tagPhotometric, 1), max(get(tagDepth, 1), get(tagTileDepth, 1))
	columns, rows := get(tagTileWidth, 0), get(tagTileLength, 0)
	strip := get(tagRows, math.MaxUint32)
	if err != nil {
		return nil, err
	}
	switch {
	case width == 0 || length == 0 || width > math.MaxUint32 || length > math.MaxUint32 || samples == 0 || samples > math.MaxUint16:
		return nil, damaged(d.name, "an image of %d by %d pixels of %d samples", width, length, samples)
	case subfile&subfileMask != 0:
		return nil, unsupported(d.name, "a mask of transparency")
	case depth != 1:
		return nil, unsupported(d.name, "images of several planes of depth")
	case order != 1:
		return nil, unsupported(d.name, "bits in the reverse order")
	case planar != 1 && planar != 2:
		return nil, damaged(d.name, "the planar configuration %d", planar)
	case photometric == 6 && p.compression != jpeg:
		if sub, err := d.numbers(tagSubsampling); err != nil || len(sub) != 2 || sub[0] != 1 || sub[1] != 1 {
			return nil, unsupported(d.name, "subsampled colours (YCbCr)")
		}
	}
	p.width, p.length, p.samples = int64(width), int64(length), int64(samples)
	p.planar = planar == 2 && samples > 1
	if p.tiled = d.entries[tagTileOffsets].value != nil; p.tiled {
		if columns == 0 || rows == 0 || columns > math.MaxUint32 || rows > math.MaxUint32 {
			return nil, damaged(d.name, "tiles of %d by %d pixels", columns, rows)
		}
		p.columns, p.rows = int64(columns), int64(rows)
	} else {
		if strip == 0 {
			return nil, damaged(d.name, "strips of no rows")
		}
		p.columns, p.rows = p.width, int64(min(strip, length))
	}
	if err := p.sample(); err != nil {
		return nil, err
	}
	if err := p.details(photometric == 6); err != nil {
		return nil, err
	}
	if p.rows > math.MaxInt32/p.columns || p.rows*p.columns > math.MaxInt32/(p.bytes*p.inner()) {
		return nil, unsupported(d.name, "tiles or strips of 2 GiB or more")
	}
	return p, nil
}

// details reads the parameters of JPEG and LERC.
func (p *page) details(ycc bool) error {
	switch p.compression {
	case jpeg:
		tables, _, err := p.raw(tagJPEGTables)
		if err == nil && len(tables) > 1<<16 {
			err = damaged(p.name, "JPEG tables of %d bytes", len(tables))
		}
		p.ycc, p.tables = ycc, string(tables)
		return err
	case lerc:
		parameters, err := p.numbers(tagLERC)
		if len(parameters) > 1 {
			p.inside = parameters[1]
		}
		return err
	}
	return nil
}

// sample sets the type of samples.
func (p *page) sample() error {
	bits, err := p.numbers(tagBits)
	if err != nil {
		return err
	}
	kinds, err := p.numbers(tagSampleFormat)
	if err != nil {
		return err
	}
	one := func(all []uint64, without uint64) (uint64, bool) {
		if len(all) == 0 {
			return without, true
		}
		for _, n := range all[1:min(int64(len(all)), p.samples)] {
			if n != all[0] {
				return 0, false
			}
		}
		return all[0], true
	}
	width, same := one(bits, 1)
	kind, also := one(kinds, 1)
	if !same || !also {
		return unsupported(p.name, "samples of different types")
	}
	letter := map[uint64]string{1: "u", 2: "i", 3: "f", 4: "u", 6: "c"}[kind]
	switch {
	case letter == "u" || letter == "i":
		same = width == 8 || width == 16 || width == 32 || width == 64
	case letter == "f":
		same = width == 16 || width == 32 || width == 64
	case letter == "c":
		same = width == 64 || width == 128
	}
	if letter == "" || !same {
		return unsupported(p.name, "samples of %d bits of the format %d", width, kind)
	}
	order := "<"
	switch {
	case width == 8:
		order = "|"
	case p.compression == lerc: // which has a byte order of its own
	case p.f.order.String() == "BigEndian":
		order = ">"
	}
	p.bytes = int64(width / 8)
	// A predictor of big-endian numbers has no codec: other codecs swap their bytes before.
	if p.swapped = order == ">" && p.predictor == 2; p.swapped {
		order = "<"
	}
	p.kind = order + letter + strconv.FormatInt(p.bytes, 10)
	return nil
}

// The numbers of compressions that decode whole images.
const (
	jpeg = 7
	lerc = 34887
)

// short reports whether the last strip has fewer rows, which some codecs must know.
func (p *page) short() bool { return !p.tiled && p.length%p.rows != 0 }

// jpegCodec returns the codec of JPEG. It numbers colours as libjpeg does: 2 is RGB, and 3 is
// YCbCr.
func (p *page) jpegCodec() (references.Codec, error) {
	switch n := p.inner(); {
	case p.kind != "|u1":
		return nil, unsupported(p.name, "JPEG of other samples than 8 bits")
	case n != 1 && n != 3 && n != 4 || p.ycc && n == 4:
		return nil, unsupported(p.name, "JPEG of %d samples", n)
	}
	one := references.Codec{"id": "imagecodecs_jpeg", "bitspersample": int64(8), "tables": nil, "colorspace_jpeg": nil, "colorspace_data": nil}
	if p.tables != "" {
		one["tables"] = base64.StdEncoding.EncodeToString([]byte(p.tables))
	}
	if p.inner() == 3 {
		one["colorspace_jpeg"], one["colorspace_data"] = int64(2), int64(2)
		if p.ycc {
			one["colorspace_jpeg"] = int64(3)
		}
	}
	if p.short() {
		one["short"] = true
	}
	return one, nil
}

// lercCodecs returns the codec of LERC, and that of a compression of its bytes.
func (p *page) lercCodecs() ([]references.Codec, error) {
	switch p.kind[1:] {
	case "u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8":
	default:
		return nil, unsupported(p.name, "LERC of the type %s", p.kind)
	}
	one := references.Codec{"id": "imagecodecs_lerc"}
	if p.short() {
		one["short"] = true
	}
	list := []references.Codec{one}
	switch p.inside {
	case 0:
	case 1:
		list = append(list, references.Codec{"id": "zlib", "level": int64(1)})
	case 2:
		list = append(list, references.Codec{"id": "zstd", "level": int64(1)})
	default:
		return nil, unsupported(p.name, "LERC with the compression %d", p.inside)
	}
	return list, nil
}

// compressions are the ids of codecs by TIFF's numbers.
var compressions = map[uint64]string{
	5: "imagecodecs_lzw", 8: "zlib", 32946: "zlib", 32773: "imagecodecs_packbits", 34925: "lzma", 50000: "zstd",
}

// names are those of compressions that no codec of Zarr decodes, for messages.
var names = map[uint64]string{
	2: "CCITT", 3: "CCITT T.4", 4: "CCITT T.6", 6: "JPEG (old)", 34712: "JPEG 2000", 33003: "JPEG 2000", 33005: "JPEG 2000",
	34892: "JPEG (lossy DNG)", 50001: "WebP", 50002: "JPEG XL",
}

// codecs returns the codecs of version 2 that decode tiles.
func (p *page) codecs() ([]references.Codec, error) {
	var list []references.Codec
	shape, axis := []int64{p.rows, p.columns}, int64(-1)
	if p.inner() > 1 {
		shape, axis = append(shape, p.inner()), -2
	}
	predict := func(id, kind string) {
		list = append(list, references.Codec{"id": id, "shape": shape, "dtype": kind, "axis": axis, "dist": int64(1)})
	}
	kind := p.kind[1]
	switch {
	case p.predictor == 1:
	case p.compression == 1 || p.compression == jpeg || p.compression == lerc || compressions[p.compression] == "imagecodecs_packbits":
		return nil, unsupported(p.name, "a predictor with this compression, which some readers ignore")
	case p.predictor == 2 && kind == 'c':
		return nil, unsupported(p.name, "predictor 2 of complex numbers")
	case p.predictor == 2:
		unsigned := "u" + p.kind[2:]
		predict("imagecodecs_delta", p.kind[:1]+unsigned)
		if p.swapped {
			list = append(list, references.Codec{"id": "astype", "encode_dtype": ">" + unsigned, "decode_dtype": "<" + unsigned})
		}
	case p.predictor == 3 && kind == 'f':
		predict("imagecodecs_floatpred", p.kind)
	default:
		return nil, unsupported(p.name, "the predictor %d", p.predictor)
	}
	switch p.compression {
	case 1:
		return list, nil
	case jpeg:
		one, err := p.jpegCodec()
		return []references.Codec{one}, err
	case lerc:
		return p.lercCodecs()
	}
	id := compressions[p.compression]
	switch {
	case id != "":
		one := references.Codec{"id": id}
		switch id {
		case "zlib", "zstd":
			one["level"] = int64(1)
		case "lzma":
			one["format"], one["check"], one["preset"], one["filters"] = int64(1), int64(-1), nil, nil
		}
		return append(list, one), nil
	case names[p.compression] != "":
		return nil, unsupported(p.name, "the compression %s", names[p.compression])
	}
	return nil, unsupported(p.name, "the compression %d", p.compression)
}

// places returns the offsets and the sizes of the tiles or strips.
func (p *page) places() (offsets, counts []uint64, err error) {
	at, size := uint16(tagStripOffsets), uint16(tagStripCounts)
	if p.tiled {
		at, size = tagTileOffsets, tagTileCounts
	}
	if offsets, err = p.numbers(at); err != nil {
		return nil, nil, err
	}
	if counts, err = p.numbers(size); err != nil {
		return nil, nil, err
	}
	// Fewer than 2^32 in each direction: the product may exceed 2^63.
	if p.down() > maxNumbers/p.across() || int64(len(offsets)) != p.across()*p.down()*p.planes() {
		return nil, nil, damaged(p.name, "%d offsets for %d by %d tiles or strips in %d planes", len(offsets), p.down(), p.across(), p.planes())
	}
	n := p.across() * p.down()
	if counts == nil && !p.tiled && p.compression == 1 { // very old files
		for i := range offsets {
			counts = append(counts, uint64(p.rowBytes()*p.stripRows(int64(i)%n)))
		}
	}
	if len(counts) != len(offsets) {
		return nil, nil, damaged(p.name, "%d sizes of %d tiles or strips", len(counts), len(offsets))
	}
	for i, at := range offsets {
		if !p.f.within(at, counts[i]) {
			return nil, nil, damaged(p.name, "tile or strip %d lies beyond the end of the file", i)
		}
	}
	return offsets, counts, nil
}

// stripRows returns the number of rows of a strip: the last may be short.
func (p *page) stripRows(i int64) int64 { return min(p.rows, p.length-i*p.rows) }
