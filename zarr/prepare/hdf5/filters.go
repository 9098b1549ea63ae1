package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// filter is one filter of a pipeline.
type filter struct {
	id     int
	values []uint64
}

// filters returns the pipeline, in the order of encoding.
func (f *file) filters(all []message) ([]filter, error) {
	b, err := f.find(all, msgFilters)
	if b == nil {
		return nil, err
	}
	c := f.cursor("a filter pipeline", b)
	version := c.version(1, 2)
	n := c.u8()
	if version == 1 {
		c.skip(6)
	}
	var list []filter
	for range min(n, 32) {
		one := filter{id: c.u16()}
		name := 0
		if version == 1 || one.id >= 256 {
			name = c.u16()
		}
		c.skip(2)
		values := c.u16()
		if version == 1 {
			name = (name + 7) &^ 7
		}
		c.skip(name)
		for range values {
			one.values = append(one.values, c.uint(4))
			if c.err != nil {
				return nil, c.err
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		list = append(list, one)
	}
	return list, c.err
}

// filterNames are the filters that no codec of Zarr decodes, for messages.
var filterNames = map[int]string{
	32013: "zfp", 32017: "SZ", 32024: "SZ3", 32018: "fcidecomp", 32019: "JPEG", 32026: "Blosc 2", 32028: "Granular BitRound",
}

// The numbers of filters that have functions.
const (
	filterDeflate     = 1
	filterSzip        = 4
	filterNBit        = 5
	filterScaleOffset = 6
	filterLZF         = 32000
	filterBitshuffle  = 32008
)

// codecs returns the codecs of version 2 that decode a pipeline for elements of a type.
func codecs(list []filter, t *datatype) ([]references.Codec, error) {
	var all []references.Codec
	for _, one := range list {
		value := func(i int) int64 { return int64(at(one.values, i)) }
		switch one.id {
		case filterDeflate:
			all = append(all, references.Codec{"id": "zlib", "level": min(value(0), 9)})
		case 2:
			if len(one.values) < 1 || value(0) < 1 || value(0) > 1<<20 {
				return nil, damaged("the shuffle filter has no size of elements")
			}
			all = append(all, references.Codec{"id": "shuffle", "elementsize": value(0)})
		case 3:
			all = append(all, references.Codec{"id": "fletcher32"})
		case filterNBit:
			c, err := t.nbit(one.values)
			if err != nil {
				return nil, err
			}
			all = append(all, c...)
		case filterSzip:
			all = append(all, references.Codec{
				"id": "hdf5_szip", "options_mask": value(0), "pixels_per_block": value(1), "bits_per_pixel": value(2), "pixels_per_scanline": value(3),
			})
		case filterScaleOffset:
			c, err := t.scaleOffset(one.values)
			if err != nil {
				return nil, err
			}
			all = append(all, c...)
		case 307:
			all = append(all, references.Codec{"id": "bz2", "level": max(min(value(0), 9), 1)})
		case filterLZF:
			all = append(all, references.Codec{"id": "imagecodecs_lzf", "header": false})
		case 32001:
			// The chunk names its compressor itself: only the id matters for decoding.
			names := []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}
			name := "lz4"
			if i := value(6); i < int64(len(names)) {
				name = names[i]
			}
			all = append(all, references.Codec{"id": "blosc", "cname": name, "clevel": min(value(4), 9), "shuffle": min(value(5), 2), "blocksize": int64(0)})
		case 32004:
			all = append(all, references.Codec{"id": "imagecodecs_lz4h5"})
		case filterBitshuffle:
			c, err := bitshuffle(one.values)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		case 32015:
			all = append(all, references.Codec{"id": "zstd", "level": min(value(0), 22)})
		default:
			if name, ok := filterNames[one.id]; ok {
				return nil, unsupported("the filter %s", name)
			}
			return nil, unsupported("filter %d", one.id)
		}
	}
	return all, nil
}

// at returns a number of a filter, or 0.
func at(values []uint64, i int) uint64 {
	if i < len(values) {
		return values[i]
	}
	return 0
}

// bitshuffle returns the codec of the filter of this name. Its numbers are two of its version, the
// bytes of an element, the elements of a block, and the compression.
func bitshuffle(values []uint64) (references.Codec, error) {
	size, block := at(values, 2), at(values, 3)
	if size < 1 || size > 1<<20 || block%8 != 0 {
		return nil, damaged("the filter bitshuffle has elements of %d bytes and blocks of %d elements", size, block)
	}
	switch compression := at(values, 4); compression {
	case 0:
		return references.Codec{"id": "imagecodecs_bitshuffle", "itemsize": int64(size), "blocksize": int64(block)}, nil
	case 2:
		return references.Codec{"id": "hdf5_bitshuffle", "itemsize": int64(size), "compression": "lz4"}, nil
	case 3:
		return references.Codec{"id": "hdf5_bitshuffle", "itemsize": int64(size), "compression": "zstd"}, nil
	default:
		return nil, unsupported("the compression %d of the filter bitshuffle", compression)
	}
}

// nbit returns the codec of the n-bit filter, if it packs anything. The filter's second number is
// not zero if all bits have a meaning.
func (t *datatype) nbit(values []uint64) ([]references.Codec, error) {
	if at(values, 1) != 0 {
		return nil, nil
	}
	if t.class != classInteger && t.class != classBits {
		return nil, unsupported("the n-bit filter for other types than integers")
	}
	kind, err := t.dtype()
	return []references.Codec{{"id": "hdf5_nbit", "dtype": kind, "precision": int64(t.precision)}}, err
}

// scaleOffset returns the codec of the scale-offset filter, if it scales anything. The filter's
// first numbers are the kind of scaling and the scale. From the eighth on, they are the presence of
// a fill value and its bytes.
func (t *datatype) scaleOffset(values []uint64) ([]references.Codec, error) {
	kind, err := t.dtype()
	if err != nil {
		return nil, err
	}
	c := references.Codec{"id": "hdf5_scaleoffset", "dtype": kind}
	switch scaling, scale := at(values, 0), int64(int32(at(values, 1))); {
	case scaling == 0 && t.class == classFloat:
		c["decimals"] = scale
	case scaling == 2 && t.class == classInteger:
		if scale == int64(8*t.size) {
			return nil, nil // such numbers are stored without scaling
		}
	default:
		return nil, unsupported("scaling %d of the scale-offset filter", scaling)
	}
	if at(values, 7) != 0 {
		var fill []byte
		for i := range (t.size + 3) / 4 {
			fill = binary.LittleEndian.AppendUint32(fill, uint32(at(values, 8+i)))
		}
		little := *t
		little.big = false
		if c["fill_value"], err = little.fillValue(fill[:t.size]); c["fill_value"] == nil {
			c["fill_value"] = int64(0)
		}
	}
	return []references.Codec{c}, err
}

// widen returns the bytes of a packed integer as those of one with all bits of its bytes.
func (t *datatype) widen(b []byte) []byte {
	if (t.class != classInteger && t.class != classBits) || len(b) != t.size || t.size > 8 || t.precision == 8*t.size {
		return b
	}
	shift := 64 - t.precision
	v := t.bits(b) >> t.offset << shift
	if t.signed {
		v = uint64(int64(v) >> shift)
	} else {
		v >>= shift
	}
	out := make([]byte, t.size)
	for i := range out {
		at := i
		if t.big {
			at = t.size - 1 - i
		}
		out[at] = byte(v >> (8 * i))
	}
	return out
}

// maxSkipped limits the bytes of all chunks that skip filters.
const maxSkipped = 32 << 20

// stored returns a chunk that skips its last filters, because they did not make it smaller. It has
// the form of those filters for such data.
func (d *dataset) stored(address uint64, size int64, skipped int) ([]byte, error) {
	f, first := d.w.f, len(d.filters)
	for ; first > 0 && skipped>>(first-1)&1 != 0; first-- {
	}
	if skipped>>first<<first != skipped {
		return nil, unsupported("a chunk that skips a filter before another")
	}
	if f.skipped += size; f.skipped > maxSkipped {
		return nil, unsupported("more than %d bytes of chunks that skip filters", maxSkipped)
	}
	b, err := f.read("a chunk", address, size)
	if err != nil {
		return nil, err
	}
	for _, one := range d.filters[first:] {
		switch one.id {
		case filterDeflate:
			var out bytes.Buffer
			z, _ := zlib.NewWriterLevel(&out, zlib.NoCompression)
			_, _ = z.Write(b)
			_ = z.Close()
			b = out.Bytes()
		case filterSzip:
			b = append([]byte{0xff, 0xff, 0xff, 0xff}, b...)
		case filterLZF:
			var out []byte
			for part := range slices.Chunk(b, 32) {
				out = append(append(out, byte(len(part)-1)), part...)
			}
			b = out
		default:
			return nil, unsupported("a chunk that skips the filter %d", one.id)
		}
	}
	return b, nil
}
