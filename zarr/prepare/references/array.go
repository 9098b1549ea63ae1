package references

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
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
	// Order is that of the elements in a chunk: "C", the default, or "F".
	Order string
}

// Codec is the configuration of a codec: its id and settings.
type Codec map[string]any

// compressors are the codecs that other readers expect as the compressor.
var compressors = []string{"zlib", "zstd", "blosc", "bz2", "lzma", "imagecodecs_jpeg", "imagecodecs_lerc", "imagecodecs_lz4h5", "imagecodecs_lzf", "imagecodecs_lzw", "imagecodecs_packbits"}

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
	order := a.Order
	if order == "" {
		order = "C"
	}
	metadata := AppendJSON(nil, map[string]any{
		"zarr_format": int64(2), "shape": a.Shape, "chunks": a.Chunks, "dtype": a.Type, "fill_value": a.Fill,
		"order": order, "filters": list, "compressor": compressor,
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
	c := &Chunks{w: w, path: w.join(path), grid: make([]int64, len(a.Shape))}
	c.total = 1
	for i, n := range a.Shape {
		if n < 0 || a.Chunks[i] < 1 {
			return nil, &Damaged{path, "lengths below zero, or chunks without elements"}
		}
		c.grid[i] = n / a.Chunks[i]
		if n%a.Chunks[i] > 0 {
			c.grid[i]++
		}
		if c.grid[i] > 0 && c.total > math.MaxInt64/c.grid[i] {
			return nil, &Unsupported{path, "2^63 chunks or more"}
		}
		c.total *= c.grid[i]
	}
	if err := w.node(path, document.Array, metadata, attributes); err != nil {
		return nil, err
	}
	w.doc.parts = append(w.doc.parts, part{chunks: c})
	w.doc.arrays++
	return c, nil
}

// Chunks adds the chunks of an array.
type Chunks struct {
	w      *Writer
	path   string
	grid   []int64
	total  int64 // the number of places in the grid
	rows   []row
	inline [][]byte
}

// row is a reference to a chunk. One whose length is negative has bytes inline: offset counts them.
type row struct{ n, offset, length int64 }

// Range adds the chunk at a place of the grid, which is a range of the file in bytes. The caller
// adds each chunk at most once. A place outside of the grid is passed over.
func (c *Chunks) Range(at []int64, offset, length int64) error {
	return c.add(at, offset, length, 0)
}

// Inline adds the chunk at a place of the grid with its bytes.
func (c *Chunks) Inline(at []int64, data []byte) error {
	c.inline = append(c.inline, bytes.Clone(data))
	return c.add(at, int64(len(c.inline)-1), -1, len(data))
}

func (c *Chunks) add(at []int64, offset, length int64, bytes int) error {
	n := int64(0)
	for i, count := range c.grid {
		if at[i] < 0 || at[i] >= count {
			return nil
		}
		n = n*count + at[i]
	}
	c.rows = append(c.rows, row{n, offset, length})
	return c.w.doc.count(bytes)
}

// appendName appends the name of a chunk by its number in C order.
func (c *Chunks) appendName(dst []byte, n int64) []byte {
	left := c.total
	for i, count := range c.grid {
		left /= count
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendInt(dst, n/left, 10)
		n %= left
	}
	if len(c.grid) == 0 {
		dst = append(dst, '0')
	}
	return dst
}

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
	size, grid := width, make([]int64, len(a.Shape))
	for i, n := range a.Chunks {
		size *= n
		if grid[i] = a.Shape[i] / n; grid[i] == 0 {
			return nil
		}
	}
	for more := true; more; offset += size {
		if err := c.Range(at, offset, size); err != nil {
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

// SlabLength returns how many of n contiguous rows make a chunk; a row has some bytes. All do if
// they have up to 16 MiB. Else the number divides n, for 1 MiB or more if possible. The function
// takes at most the square root of n steps.
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
