package references

import (
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
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
	bytes, empty := width, false
	at, grid := make([]int64, len(a.Shape)), make([]int64, len(a.Shape))
	for i, n := range a.Chunks {
		bytes *= n
		grid[i] = a.Shape[i] / n
		empty = empty || grid[i] == 0
	}
	for more := !empty; more; offset += bytes {
		if err := chunks.Range(at, offset, bytes); err != nil {
			return err
		}
		more = Next(at, grid)
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
	const most, limit = 16 << 20, 256 << 20
	chunks := make([]int64, len(shape))
	for i := range chunks {
		chunks[i] = 1
	}
	bytes := max(width, 1)
	for i := len(shape) - 1; i >= 0; i-- {
		n := max(shape[i], 1)
		if bytes > math.MaxInt64/n || bytes*n > most {
			best := int64(1)
			for d := int64(1); d <= n && d <= limit/bytes; d++ {
				if n%d != 0 {
					continue
				}
				if best = d; d*bytes >= most/16 {
					break
				}
			}
			chunks[i] = best
			if bytes*best < 1<<20 && best < n && bytes <= math.MaxInt64/n && bytes*n <= limit {
				chunks[i] = n // a prime length: one large slab is better than very many small ones
				bytes *= n
				continue
			}
			return chunks
		}
		chunks[i] = n
		bytes *= n
	}
	return chunks
}

// AppendJSON appends a value as JSON. It accepts nil, bool, int64, uint64, float32, float64,
// string, []int64, []any and map[string]any. As in Python, NaN and infinities are bare words.
func AppendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case uint64:
		return strconv.AppendUint(dst, v, 10)
	case float32:
		return appendFloat(dst, float64(v), 32)
	case float64:
		return appendFloat(dst, v, 64)
	case string:
		return json.AppendString(dst, v)
	case []int64:
		dst = append(dst, '[')
		for i, n := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, n, 10)
		}
		return append(dst, ']')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range sorted(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(json.AppendString(dst, name), ':')
			dst = AppendJSON(dst, v[name])
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func appendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e17) {
		format = 'e'
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, format, -1, bits)
	for _, c := range dst[from:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
