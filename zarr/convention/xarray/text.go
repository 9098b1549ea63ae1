package xarray

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// line puts a text on one line, and truncates it.
func line(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	if gap {
		b.WriteByte(' ')
	}
	const most = 60
	if r := []rune(b.String()); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return b.String()
}

func lines(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = line(text)
	}
	return all
}

// typeName returns the decoded type's name in JavaScript, and the bytes of an element, or 0 without
// a fixed size.
func (v *variable) typeName() (name string, size int) {
	stored := v.array.DType()
	d := v.decoder
	switch {
	case d == nil:
		return stored.JSName(), stored.Size
	case d.Form == cf.Time:
		if c, ok := member(v.encoding, "calendar").Text(); ok {
			return "time[" + line(c) + "]", 8
		}
		return "time", 8
	case d.Form == cf.Timedelta:
		return "timedelta", 8
	case stored.Kind == dtype.String, stored.Kind == dtype.Unicode, member(v.encoding, "_Encoding").Exists():
		return "string", 0
	case d.Form == cf.Bools:
		return "bool", 1
	}
	return d.Type.JSName(), d.Type.Size
}

// sizeText formats a number of bytes.
func sizeText(bytes float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for bytes >= 1000 && i < len(units)-1 {
		bytes /= 1000
		i++
	}
	if bytes < 10 && i > 0 {
		return fmt.Sprintf("%.1f%s", bytes, units[i])
	}
	return fmt.Sprintf("%.0f%s", math.Floor(bytes+0.5), units[i])
}

// bytes returns the decoded size in bytes.
func (a *DataArray) bytes() float64 {
	_, size := a.v.typeName()
	bytes := float64(size)
	for _, n := range a.Shape() {
		bytes *= float64(n)
	}
	return bytes
}

// marked returns a name with its mark: * for the coordinate of a remaining dimension.
func (a *DataArray) marked() string {
	if a.v.isIndex() && !a.axes[0].Drop {
		return "  * " + line(a.Name())
	}
	return "    " + line(a.Name())
}

// section writes lines for variables, with aligned columns.
func section(b *strings.Builder, title string, all []*DataArray, column int) {
	if len(all) > 0 {
		fmt.Fprintf(b, "%s:\n", title)
	}
	for _, a := range all {
		typ, _ := a.v.typeName()
		fmt.Fprintf(b, "%-*s  (%s) %s", column, a.marked(), strings.Join(lines(a.Dims()), ", "), typ)
		if bytes := a.bytes(); bytes > 0 {
			b.WriteString(" " + sizeText(bytes))
		}
		b.WriteString(" ...\n")
	}
}

func widest(all ...[]*DataArray) int {
	width := 0
	for _, some := range all {
		for _, a := range some {
			width = max(width, utf8.RuneCountInString(a.marked()))
		}
	}
	return width
}

func list(b *strings.Builder, title string, texts []string) {
	if len(texts) > 0 {
		fmt.Fprintf(b, "%s:\n    %s\n", title, strings.Join(texts, "\n    "))
	}
}

func attributeLines(b *strings.Builder, attributes []json.Member) {
	column := 0
	for _, m := range attributes {
		column = max(column, utf8.RuneCountInString(line(m.Name))+1)
	}
	all := make([]string, len(attributes))
	for i, m := range attributes {
		value, ok := m.Value.Text()
		if !ok {
			value = string(m.Value.Raw())
		}
		all[i] = fmt.Sprintf("%-*s  %s", column, line(m.Name)+":", line(value))
	}
	list(b, "Attributes", all)
}

func dimsText(dims []string, shape []int64) string {
	all := lines(dims)
	for i := range all {
		all[i] = fmt.Sprintf("%s: %d", all[i], shape[i])
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// arrays returns variables by name.
func (d *Dataset) arrays(names []string) []*DataArray {
	var all []*DataArray
	for _, name := range names {
		if a, err := d.Var(name); err == nil {
			all = append(all, a)
		}
	}
	return all
}

// String formats the dataset as xarray does: dimensions, coordinates (* marks those with an index),
// variables and attributes.
func (d *Dataset) String() string {
	coords, vars := d.arrays(d.Coords()), d.arrays(d.DataVars())
	bytes := 0.0
	for _, a := range append(append([]*DataArray{}, coords...), vars...) {
		bytes += a.bytes()
	}
	var dims []string
	var shape []int64
	for _, dim := range d.Sizes() {
		dims, shape = append(dims, dim.Name), append(shape, dim.Size)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<Dataset /%s> Size: %s\nDimensions:  %s\n", line(d.Path()), sizeText(bytes), dimsText(dims, shape))
	column := widest(coords, vars)
	section(&b, "Coordinates", coords, column)
	if section(&b, "Data variables", vars, column); len(vars) == 0 {
		list(&b, "Data variables", []string{"*empty*"})
	}
	list(&b, "Groups", lines(d.Groups))
	attributeLines(&b, d.Attributes)
	list(&b, "Problems", lines(d.Problems))
	return strings.TrimRight(b.String(), " \n")
}

// String formats the variable as xarray does.
func (a *DataArray) String() string {
	var b strings.Builder
	typ, _ := a.v.typeName()
	fmt.Fprintf(&b, "<DataArray %s %s> %s\n", line(a.Name()), dimsText(a.Dims(), a.Shape()), typ)
	n := int64(1)
	for _, length := range a.Shape() {
		n *= length
	}
	chunks := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(a.v.array.ChunkGrid().ChunkShapes()), "[]")), ", ")
	fmt.Fprintf(&b, "[%d values, stored as %s in chunks of (%s)]\n", n, a.v.array.DType().JSName(), chunks)
	all := a.Coords()
	var coords []*DataArray
	for _, name := range a.dataset.Coords() {
		if c := all[name]; c != nil {
			coords = append(coords, c)
		}
	}
	section(&b, "Coordinates", coords, widest(coords))
	attributeLines(&b, a.v.attributes)
	return strings.TrimRight(b.String(), " \n")
}
