package references

import (
	"math"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Array is the metadata of an array of version 2.
type Array struct {
	Shape, Chunks []int64
	// Type is a typestring, or a list of fields as numpy's descr.
	Type any
	// Fill is the fill value as in metadata; nil writes null, which readers take for zeros.
	Fill any
	// Filters are the configurations of codecs, in the order of encoding.
	Filters []Codec
	// Attributes must not have _ARRAY_DIMENSIONS, which is written for Dimensions unless it is nil.
	Attributes map[string]any
	Dimensions []string
}

// Codec is the configuration of a codec: its id and settings.
type Codec map[string]any

// compressors are the codecs that other readers expect as the compressor.
var compressors = []string{"zlib", "zstd", "blosc", "bz2", "lzma", "imagecodecs_lzw", "imagecodecs_packbits"}

// Array adds the metadata of an array, and returns the writer of its chunks.
func (w *Writer) Array(path string, a Array) (*Chunks, error) {
	filters, compressor := a.Filters, any(nil)
	if n := len(filters); n > 0 {
		for _, id := range compressors {
			if filters[n-1]["id"] == id {
				compressor, filters = map[string]any(filters[n-1]), filters[:n-1]
				break
			}
		}
	}
	var list any
	if len(filters) > 0 {
		all := make([]any, len(filters))
		for i, f := range filters {
			all[i] = map[string]any(f)
		}
		list = all
	}
	metadata := AppendJSON(nil, map[string]any{
		"zarr_format": int64(2), "shape": a.Shape, "chunks": a.Chunks, "dtype": a.Type, "fill_value": a.Fill,
		"order": "C", "filters": list, "compressor": compressor,
	})
	attributes := a.Attributes
	if a.Dimensions != nil {
		attributes = map[string]any{}
		for name, value := range a.Attributes {
			attributes[name] = value
		}
		names := make([]any, len(a.Dimensions))
		for i, name := range a.Dimensions {
			names[i] = name
		}
		attributes["_ARRAY_DIMENSIONS"] = names
	}
	if err := w.node(path, document.Array, metadata, attributes); err != nil {
		return nil, err
	}
	return &Chunks{w: w, prefix: store.Join(w.join(path), "")}, nil
}

// Chunks adds the chunks of an array.
type Chunks struct {
	w      *Writer
	prefix string
	key    []byte
}

func (c *Chunks) name(at []int64) string {
	c.key = append(c.key[:0], c.prefix...)
	for i, n := range at {
		if i > 0 {
			c.key = append(c.key, '.')
		}
		c.key = strconv.AppendInt(c.key, n, 10)
	}
	if len(at) == 0 {
		c.key = append(c.key, '0')
	}
	return string(c.key)
}

// Range adds the chunk at a place of the grid, which is a range of the file in bytes. The caller
// adds each chunk at most once.
func (c *Chunks) Range(at []int64, offset, length int64) error {
	d := c.w.doc
	if err := d.begin(c.name(at)); err != nil {
		return err
	}
	d.refs = append(append(d.refs, '['), c.w.file...)
	d.refs = strconv.AppendInt(append(d.refs, ','), offset, 10)
	d.refs = strconv.AppendInt(append(d.refs, ','), length, 10)
	d.refs = append(d.refs, ']')
	return nil
}

// Inline adds the chunk at a place of the grid with its bytes.
func (c *Chunks) Inline(at []int64, data []byte) error { return c.w.doc.put(c.name(at), data) }

// Contiguous adds an array whose elements lie in one range of the file, in C order and not
// compressed. Its chunks are slabs of up to about 16 MiB, unless the lengths allow no equal slabs.
// The array's Chunks are set here; width is the size of an element in bytes.
func (w *Writer) Contiguous(path string, a Array, width, offset int64) error {
	a.Chunks = slabs(a.Shape, width)
	chunks, err := w.Array(path, a)
	if err != nil {
		return err
	}
	at := make([]int64, len(a.Shape))
	return chunks.slabs(a, at, at, width, offset)
}

// Records adds an array as Contiguous does. Its first dimension counts records, which lie stride
// bytes apart, and each is contiguous.
func (w *Writer) Records(path string, a Array, width, offset, stride int64) error {
	a.Chunks = append([]int64{1}, slabs(a.Shape[1:], width)...)
	chunks, err := w.Array(path, a)
	if err != nil {
		return err
	}
	at := make([]int64, len(a.Shape))
	inner := Array{Shape: a.Shape[1:], Chunks: a.Chunks[1:]}
	for ; at[0] < a.Shape[0]; at[0]++ {
		if err := chunks.slabs(inner, at, at[1:], width, offset); err != nil {
			return err
		}
		offset += stride
	}
	return nil
}

// slabs adds the chunks of a contiguous array. The last numbers of the place at are inner; they are
// zero before and after.
func (c *Chunks) slabs(a Array, at, inner []int64, width, offset int64) error {
	bytes, grid := width, make([]int64, len(a.Shape))
	for i, n := range a.Chunks {
		bytes *= n
		if grid[i] = a.Shape[i] / n; grid[i] == 0 {
			return nil
		}
	}
	for more := true; more; offset += bytes {
		if err := c.Range(at, offset, bytes); err != nil {
			return err
		}
		more = Next(inner, grid)
	}
	return nil
}

// Next advances a place in a grid in C order. It returns false after the last place.
func Next(at, grid []int64) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < grid[i] {
			return true
		}
		at[i] = 0
	}
	return false
}

// slabs returns the shape of chunks that are contiguous in C order and divide the array evenly.
func slabs(shape []int64, width int64) []int64 {
	chunks := make([]int64, len(shape))
	for i := range chunks {
		chunks[i] = 1
	}
	if slices.Contains(shape, 0) {
		return chunks
	}
	bytes := max(width, 1)
	for i := len(shape) - 1; i >= 0; i-- {
		if chunks[i] = SlabLength(shape[i], bytes); chunks[i] < shape[i] {
			break
		}
		bytes *= shape[i]
	}
	return chunks
}

// SlabLength returns how many of n rows of some bytes make a chunk, if they are contiguous: all if
// they have up to 16 MiB, else a number that divides n, for 1 MiB or more if there is one. It has at
// most the square root of n steps.
func SlabLength(n, bytes int64) int64 {
	const least, most, limit = 1 << 20, 16 << 20, 256 << 20
	if n <= most/bytes {
		return n
	}
	enough, best := int64(math.MaxInt64), int64(1)
	for i := int64(1); i <= n/i; i++ {
		if n%i != 0 {
			continue
		}
		for _, d := range [2]int64{i, n / i} {
			switch {
			case d > limit/bytes:
			case d*bytes >= least:
				enough = min(enough, d)
			default:
				best = max(best, d)
			}
		}
	}
	if enough < math.MaxInt64 {
		return enough
	}
	return best
}
