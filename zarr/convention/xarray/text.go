package xarray

import (
	"fmt"
	"strings"
	"unicode"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/convention/cf"
)

// line is a text on one line, and not all of a long one.
func line(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return s
}

// typeName is the type of what is decoded.
func (v *variable) typeName() string {
	switch d := v.decoder; {
	case d == nil:
		return v.array.DType().Name
	case d.Form == cf.Time:
		if c, ok := member(v.encoding, "calendar").Text(); ok {
			return "time[" + line(c) + "]"
		}
		return "time"
	case d.Form == cf.Timedelta:
		return "timedelta"
	case d.Form == cf.Text:
		return "string"
	default:
		return d.Type.Name
	}
}

// String is the dataset as xarray prints it: dimensions, coordinates (* marks those with an index), variables and attributes.
func (d *Dataset) String() string {
	var b strings.Builder
	sizes := make([]string, 0, len(d.sizes))
	for _, dim := range d.Sizes() {
		sizes = append(sizes, fmt.Sprintf("%s: %d", line(dim.Name), dim.Size))
	}
	fmt.Fprintf(&b, "<Dataset /%s>\nDimensions:  (%s)\n", line(d.Path()), strings.Join(sizes, ", "))
	d.section(&b, "Coordinates", d.Coords())
	d.section(&b, "Data variables", d.DataVars())
	list(&b, "Groups", lines(d.Groups))
	attributeLines(&b, d.Attributes)
	list(&b, "Problems", lines(d.Problems))
	return strings.TrimRight(b.String(), "\n")
}

func (d *Dataset) section(b *strings.Builder, title string, names []string) {
	if len(names) == 0 {
		return
	}
	width := 0
	for _, name := range names {
		width = max(width, len([]rune(line(name))))
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, name := range names {
		a, err := d.Var(name)
		if err != nil {
			continue
		}
		mark := ' '
		if a.v.isIndex() {
			mark = '*'
		}
		fmt.Fprintf(b, "  %c %-*s  (%s) %s ...\n", mark, width, line(name), line(strings.Join(a.Dims(), ", ")), a.v.typeName())
	}
}

func list(b *strings.Builder, title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, text := range texts {
		fmt.Fprintf(b, "    %s\n", text)
	}
}

func lines(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = line(text)
	}
	return all
}

func attributeLines(b *strings.Builder, attributes []json.Member) {
	all := make([]string, len(attributes))
	for i, m := range attributes {
		value, ok := m.Value.Text()
		if !ok {
			value = string(m.Value.Raw())
		}
		all[i] = line(m.Name) + ":  " + line(value)
	}
	list(b, "Attributes", all)
}

// String is the variable as xarray prints it.
func (a *DataArray) String() string {
	var b strings.Builder
	dims, shape := a.Dims(), a.Shape()
	for i, dim := range dims {
		dims[i] = fmt.Sprintf("%s: %d", line(dim), shape[i])
	}
	fmt.Fprintf(&b, "<DataArray %s (%s)> %s\n", line(a.Name()), strings.Join(dims, ", "), a.v.typeName())
	var names []string
	coords := a.Coords()
	for _, name := range a.dataset.Coords() {
		if coords[name] != nil {
			names = append(names, name)
		}
	}
	a.dataset.section(&b, "Coordinates", names)
	attributeLines(&b, a.v.attributes)
	return strings.TrimRight(b.String(), "\n")
}
