// Package print formats arrays and groups as text, like zarr-python's info.
//
//	fmt.Print(print.Text(array))
package print

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Text describes an array or group, with one line for each property. It sends no request.
func Text(node zarr.Node) string {
	m := node.Metadata()
	kind := "Group"
	if m.Array != nil {
		kind = "Array"
	}
	all := []row{{"Name", line("/" + node.Path())}, {"Type", kind}, {"Zarr format", strconv.Itoa(m.Format)}}
	if array, ok := node.(*zarr.Array); ok {
		all = append(all, arrayRows(array)...)
	} else if m.Consolidated != nil {
		all = append(all, row{"Consolidated", "yes"})
	} else {
		all = append(all, row{"Consolidated", "no"})
	}
	width := 0
	for _, r := range all {
		width = max(width, len(r.label))
	}
	lines := make([]string, len(all))
	for i, r := range all {
		lines[i] = r.label + strings.Repeat(" ", width-len(r.label)) + " : " + r.text
	}
	return strings.Join(lines, "\n")
}

// row is a line of the description.
type row struct{ label, text string }

func arrayRows(a *zarr.Array) []row {
	document := documentOf(a.Metadata())
	fill := document.Get("fill_value")
	text := "None"
	if !fill.IsNull() {
		text = value(fill, 60)
	}
	if text == "" {
		text = `""`
	}
	rows := []row{{"Data type", typeText(a.DType())}, {"Fill value", text}, {"Shape", tuple(ints(a.Shape))}}
	if a.DimensionNames != nil {
		names := make([]string, len(a.DimensionNames))
		for i, name := range a.DimensionNames {
			names[i] = "None"
			if name.Named {
				names[i] = line(name.Text)
			}
		}
		rows = append(rows, row{"Dimensions", tuple(names)})
	}
	chunks := a.ChunkGrid()
	if a.InnerChunks() != nil {
		rows = append(rows, row{"Shard shape", tuple(ints(a.Grid.ChunkShapes()))})
	}
	rows = append(rows, row{"Chunk shape", tuple(ints(chunks.ChunkShapes()))})
	if chunks.Kind() != "regular" {
		rows = append(rows, row{"Chunk grid", line(chunks.Kind())})
	}
	order := a.Order
	if order == "" {
		order = "C"
	}
	rows = append(rows, row{"Order", order})
	if a.Metadata().Format == 3 {
		rows = append(rows, codecRows(document.Get("codecs").Items())...)
	} else {
		rows = append(rows, oldCodecRows(document)...)
	}
	if each := a.DType().Size; each > 0 {
		rows = append(rows, row{"No. bytes", bytes(product(append(slices.Clone(a.Shape), int64(each))))})
	}
	return append(rows, row{"No. chunks", product(chunks.Counts()).String()})
}

func product(factors []int64) *big.Int {
	n := big.NewInt(1)
	for _, f := range factors {
		n.Mul(n, big.NewInt(f))
	}
	return n
}

// documentOf returns the document with an array's properties.
func documentOf(m *meta.Node) json.Value {
	name := map[int]string{1: meta.DocumentV1, 2: meta.DocumentArray, 3: meta.DocumentV3}[m.Format]
	for _, d := range m.Documents {
		if d.Name == name {
			v, _ := json.Parse(d.Bytes, json.Limits{Bytes: len(d.Bytes) + 1})
			return v
		}
	}
	return json.Value{}
}

// typeText formats a data type with its parameters.
func typeText(t *dtype.Type) string {
	switch {
	case t.Unit != "" && t.Scale > 1:
		return t.Name + "[" + strconv.Itoa(t.Scale) + t.Unit + "]"
	case t.Unit != "":
		return t.Name + "[" + t.Unit + "]"
	case len(t.Fields) > 0:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f.Name + ": " + typeText(f.Type)
		}
		return cut(t.Name+"("+strings.Join(fields, ", ")+")", 200)
	case slices.Contains([]string{"fixed_length_utf32", "null_terminated_bytes", "raw_bytes"}, t.Name):
		return t.Name + "(" + strconv.Itoa(t.Size) + " bytes)"
	}
	return t.Name
}

// codecRows describes the chain of codecs by kind. For a sharded array it shows the inner chunks'
// chain. A chain without a serializer is one row.
func codecRows(codecs []json.Value) []row {
	for i, codec := range codecs {
		name, settings := codecOf(codec)
		if !isSerializer(name) {
			continue
		}
		// A shard has a chain for its index beside that of its inner chunks.
		if inner := settings.Get("codecs"); inner.Kind() == json.Array && settings.Get("index_codecs").Exists() {
			return codecRows(inner.Items())
		}
		return []row{{"Filters", tuple(codecTexts(codecs[:i]))}, {"Serializer", codecText(name, settings.Members())}, {"Compressors", tuple(codecTexts(codecs[i+1:]))}}
	}
	return []row{{"Codecs", tuple(codecTexts(codecs))}}
}

// codecOf returns a codec's name and configuration. The value may be the name alone.
func codecOf(v json.Value) (name string, settings json.Value) {
	if name, ok := v.Text(); ok {
		return name, json.Value{}
	}
	name, _ = v.Get("name").Text()
	return name, v.Get("configuration")
}

func codecTexts(codecs []json.Value) []string {
	texts := make([]string, len(codecs))
	for i, codec := range codecs {
		name, settings := codecOf(codec)
		texts[i] = codecText(name, settings.Members())
	}
	return texts
}

func codecText(name string, settings []json.Member) string {
	texts := make([]string, len(settings))
	for i, m := range settings {
		texts[i] = m.Name + "=" + value(m.Value, 60)
	}
	return line(name + "(" + strings.Join(texts, ", ") + ")")
}

// oldCodecRows describes the filters and compressor of v1 and v2.
func oldCodecRows(document json.Value) []row {
	text := func(v json.Value) string {
		id, _ := v.Get("id").Text()
		var settings []json.Member
		for _, m := range v.Members() {
			if m.Name != "id" {
				settings = append(settings, m)
			}
		}
		return codecText(id, settings)
	}
	var filters, compressors []string
	for _, v := range document.Get("filters").Items() {
		filters = append(filters, text(v))
	}
	if v := document.Get("compressor"); !v.IsNull() {
		compressors = append(compressors, text(v))
	}
	if id, ok := document.Get("compression").Text(); ok && id != "none" {
		compressors = append(compressors, codecText(id, []json.Member{{Name: "opts", Value: document.Get("compression_opts")}}))
	}
	return []row{{"Filters", tuple(filters)}, {"Compressors", tuple(compressors)}}
}

// value formats a JSON value on one line, with at most limit characters. A value that is a string
// has no quotes.
func value(v json.Value, limit int) string {
	if text, ok := v.Text(); ok {
		return cut(text, limit)
	}
	return cut(string(spaced(nil, v)), limit)
}

func spaced(dst []byte, v json.Value) []byte {
	switch v.Kind() {
	case json.Array:
		dst = append(dst, '[')
		for i, one := range v.Items() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = spaced(dst, one)
		}
		return append(dst, ']')
	case json.Object:
		dst = append(dst, '{')
		for i, m := range v.Members() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = spaced(append(json.AppendString(dst, m.Name), ": "...), m.Value)
		}
		return append(dst, '}')
	case json.String:
		text, _ := v.Text()
		return json.AppendString(dst, text)
	case json.Number:
		return append(dst, number(v)...)
	}
	return append(dst, v.Raw()...)
}

// number formats integers as written and other numbers as JavaScript does.
func number(v json.Value) string {
	raw := string(v.Raw())
	f, _ := v.Float64()
	size := math.Abs(f)
	switch {
	case strings.Trim(raw, "-0123456789") == "" || math.IsNaN(f) || math.IsInf(f, 0):
		return strings.TrimPrefix(raw, "+")
	case f == 0 || size >= 1e-6 && size < 1e21:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit]) + "…"
	}
	return line(text)
}

// line replaces line ends and control characters by spaces.
func line(text string) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		control := unicode.IsControl(r) || r == 0x2028 || r == 0x2029
		if control && !space {
			b.WriteByte(' ')
		} else if !control {
			b.WriteRune(r)
		}
		space = control
	}
	return b.String()
}

// bytes formats a size in bytes as zarr-python does, with a unit from 1,000 bytes on.
func bytes(n *big.Int) string {
	size, _ := new(big.Float).SetInt(n).Float64()
	unit := ""
	for _, next := range []string{"K", "M", "G", "T", "P"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	if unit == "" {
		return n.String()
	}
	return n.String() + " (" + strconv.FormatFloat(size, 'f', 1, 64) + unit + ")"
}

func ints(ns []int64) []string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return texts
}

// tuple formats a shape as a Python tuple.
func tuple(items []string) string {
	if len(items) == 1 {
		return "(" + items[0] + ",)"
	}
	return "(" + strings.Join(items, ", ") + ")"
}
