// Package netcdf3 indexes NetCDF-3 files: it writes references to their variables, so that they
// open as Zarr without conversion.
//
// It reads the classic format, that of 64-bit offsets (CDF-2), and CDF-5. The elements are
// big-endian and not compressed. A variable without records becomes slabs. Records of several
// variables take turns in the file, so that a chunk holds one record. Short variables of records
// alone, such as time, are inline: else a reader would request each number.
//
// A file may be hostile. The memory is bounded by limits of the header and of package references.
package netcdf3

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// maxInline limits the bytes that are read for a variable that becomes inline. A read of a file on
// a server takes a block.
const (
	maxInline = 16 << 20
	block     = 64 << 10
)

// Is reports whether a file begins as NetCDF-3 does.
func Is(r io.ReaderAt, size int64) bool {
	var b [4]byte
	n, _ := r.ReadAt(b[:], 0)
	return int64(n) <= size && n == len(b) && string(b[:3]) == "CDF" && (b[3] == 1 || b[3] == 2 || b[3] == 5)
}

// Index adds the variables of a file as arrays of one group.
func Index(r io.ReaderAt, size int64, to *references.Writer) error {
	h, err := readHeader(r, size)
	if err != nil {
		return err
	}
	f := &file{r: r, size: size, header: h, to: to}
	if err := f.measure(); err != nil {
		return err
	}
	if err := to.Group("", values(h.attributes)); err != nil {
		return err
	}
	for i := range h.variables {
		v := &h.variables[i]
		if err := f.variable(v); err != nil {
			if err := to.Skip(v.name, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// file is a file whose header is read.
type file struct {
	*header
	r     io.ReaderAt
	size  int64
	to    *references.Writer
	shift int64 // the bytes from a record to the next, or -1 if they are too many
}

// measure sets the size and the number of the records.
func (f *file) measure() error {
	along, first, only := 0, int64(math.MaxInt64), int64(0)
	for _, d := range f.dimensions {
		if d.length == 0 {
			along++
		}
	}
	if along > 1 {
		return damaged("", "%d dimensions have records", along)
	}
	along = 0
	for i := range f.variables {
		v := &f.variables[i]
		if !f.hasRecords(v) {
			continue
		}
		bytes, ok := f.bytes(v, 1)
		if !ok || bytes > math.MaxInt64-3 || f.shift > math.MaxInt64-3-bytes {
			f.shift = -1
			return nil
		}
		along, first, only = along+1, min(first, v.begin), bytes
		f.shift += (bytes + 3) &^ 3
	}
	if along == 1 {
		f.shift = only // without padding
	}
	if f.records == streaming {
		f.records = 0
		if along > 0 && f.shift > 0 {
			f.records = max(f.size-first, 0) / f.shift
		}
	}
	return nil
}

func (f *file) hasRecords(v *variable) bool {
	return len(v.dimensions) > 0 && v.dimensions[0] < int64(len(f.dimensions)) && f.dimensions[v.dimensions[0]].length == 0
}

// bytes returns the size of a variable, or of one record. It returns false if the size or the
// dimensions are impossible.
func (f *file) bytes(v *variable, records int64) (int64, bool) {
	total := types[v.kind].width
	for i, d := range v.dimensions {
		if d >= int64(len(f.dimensions)) {
			return 0, false
		}
		n := f.dimensions[d].length
		if n == 0 {
			if i > 0 {
				return 0, false
			}
			n = records
		}
		if n > 0 && total > math.MaxInt64/n {
			return 0, false
		}
		total *= n
	}
	return total, true
}

// values returns attributes for JSON.
func values(list []attribute) map[string]any {
	all := map[string]any{}
	for _, a := range list {
		if a.name != "_ARRAY_DIMENSIONS" {
			all[a.name] = a.value
		}
	}
	return all
}

// variable adds a variable.
func (f *file) variable(v *variable) error {
	if strings.Contains(v.name, "/") { // it would be a node within another
		return damaged(v.name, "a name with a slash")
	}
	records := f.hasRecords(v)
	total, ok := f.bytes(v, f.records)
	if !ok || records && f.shift < 0 {
		return damaged(v.name, "impossible dimensions, or too many elements")
	}
	width := types[v.kind].width
	a := references.Array{Type: types[v.kind].name, Attributes: values(v.attributes), Shape: []int64{}, Dimensions: []string{}}
	for i, d := range v.dimensions {
		n := f.dimensions[d].length
		if i == 0 && records {
			n = f.records
		}
		a.Shape, a.Dimensions = append(a.Shape, n), append(a.Dimensions, f.dimensions[d].name)
	}
	for _, one := range v.attributes {
		if one.name == "_FillValue" && one.kind == v.kind && v.kind != typeText {
			if _, several := one.value.([]any); !several {
				a.Fill = references.Fill(one.value)
			}
		}
	}
	one, _ := f.bytes(v, 1)
	if !records || total == 0 || one == f.shift {
		if total > 0 && (total > f.size || v.begin > f.size-total) {
			return damaged(v.name, "the elements lie beyond the end of the file")
		}
		return f.to.Contiguous(v.name, a, width, v.begin)
	}
	if last := f.records - 1; last > 0 && f.shift > math.MaxInt64/last || f.shift*last > f.size-one || v.begin > f.size-one-f.shift*last {
		return damaged(v.name, "the records lie beyond the end of the file")
	}
	if len(a.Shape) == 1 && f.records <= maxInline/min(f.shift, block) {
		return f.inline(v, a, width)
	}
	return f.to.Records(v.name, a, width, v.begin, f.shift)
}

// inline adds a variable of single numbers as one chunk.
func (f *file) inline(v *variable, a references.Array, width int64) error {
	data := make([]byte, f.records*width)
	for i := range f.records {
		if _, err := f.r.ReadAt(data[i*width:(i+1)*width], v.begin+i*f.shift); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	a.Chunks = a.Shape
	chunks, err := f.to.Array(v.name, a)
	if err != nil {
		return err
	}
	return chunks.Inline([]int64{0}, data)
}
