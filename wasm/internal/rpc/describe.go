package rpc

import (
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/grid"
)

// describeNode is what an open request returns.
func describeNode(n zarr.Node) Object {
	m := n.Metadata()
	documents := Object{}
	for _, d := range m.Documents {
		documents = append(documents, Field{d.Name, d.Bytes})
	}
	a, isArray := n.(*zarr.Array)
	kind := "group"
	if isArray {
		kind = "array"
	}
	var o Object
	o.addText("path", n.Path())
	o.addText("kind", kind)
	o.addInt("format", int(m.Format))
	o.add("attributes", fromJSON(m.Attributes))
	o.add("documents", documents)
	o.add("consolidated", m.Consolidated != nil)
	if isArray {
		o.add("array", describeArray(a))
	}
	return o
}

func describeArray(a *zarr.Array) Object {
	var fill, names, order any
	if a.FillDefined {
		fill = append([]byte{}, a.Fill...)
	}
	if a.DimensionNames != nil {
		list := make([]any, len(a.DimensionNames))
		for i, n := range a.DimensionNames {
			if n.Named {
				list[i] = n.Text
			}
		}
		names = list
	}
	if a.Order != "" {
		order = a.Order
	}
	codecs := make([]any, len(a.Codecs))
	for i, c := range a.Codecs {
		o := Object{{"name", c.Name}}
		if c.Config.Exists() {
			o = append(o, Field{"configuration", fromJSON(c.Config)})
		}
		codecs[i] = o
	}
	chunks := a.ChunkGrid()
	var shards any
	if chunks != a.Grid {
		shards = numbers(a.Grid.ChunkShapes())
	}
	var keys, o Object
	keys.addText("name", a.Keys.Name)
	keys.addText("separator", a.Keys.Separator)
	o.add("shape", numbers(a.Shape))
	o.addText("dtype", jsName(a.Type, a.Metadata().Format))
	o.add("type", describeType(a.Type))
	o.add("chunks", numbers(chunks.ChunkShapes()))
	o.add("counts", numbers(chunks.Counts()))
	o.add("shards", shards)
	o.addText("grid", a.Grid.Kind())
	o.add("edges", describeEdges(chunks))
	o.add("fill", fill)
	o.add("dimensionNames", names)
	o.add("codecs", codecs)
	o.add("order", order)
	o.add("keyEncoding", keys)
	return o
}

// jsName is a data type's name for users of JavaScript. In v1 and v2 the metadata calls all that is of variable length an
// object, and zarrita does so too: what a program does with "v2:object" it may not do with text.
func jsName(t *dtype.Type, format int) string {
	if format < 3 && t.Variable() {
		return "v2:object"
	}
	return t.JSName()
}

// describeEdges is [[[size, count], ...], ...] for a rectilinear grid, else nil.
func describeEdges(g *grid.Grid) any {
	edges := make([]any, g.Rank())
	for d := range edges {
		runs := g.Edges(d)
		if runs == nil {
			return nil
		}
		list := make([]any, len(runs))
		for i, r := range runs {
			list[i] = []any{number(r.Size), number(r.Count)}
		}
		edges[d] = list
	}
	return edges
}

func kindName(k dtype.Kind) string {
	switch k {
	case dtype.Bool:
		return "bool"
	case dtype.Int:
		return "int"
	case dtype.Uint:
		return "uint"
	case dtype.Float:
		return "float"
	case dtype.MiniFloat:
		return "minifloat"
	case dtype.Complex:
		return "complex"
	case dtype.Char:
		return "char"
	case dtype.Unicode:
		return "unicode"
	case dtype.Raw:
		return "raw"
	case dtype.DateTime:
		return "datetime"
	case dtype.TimeDelta:
		return "timedelta"
	case dtype.Struct:
		return "struct"
	case dtype.Optional:
		return "optional"
	case dtype.Sub:
		return "sub"
	case dtype.String:
		return "string"
	case dtype.Bytes:
		return "bytes"
	case dtype.Ragged:
		return "ragged"
	case dtype.Object:
		return "object"
	}
	return "unknown"
}

func describeType(t *dtype.Type) Object {
	var o Object
	o.addText("kind", kindName(t.Kind))
	o.addText("name", t.Name)
	o.addInt("size", t.Size)
	if t.Bits != 0 {
		o.addInt("bits", t.Bits)
	}
	if t.Kind == dtype.DateTime || t.Kind == dtype.TimeDelta {
		o.addText("unit", t.Unit)
		o.addInt("scale", int(t.Scale))
	}
	if t.Fields != nil {
		fields := make([]any, len(t.Fields))
		for i, f := range t.Fields {
			var field Object
			field.addText("name", f.Name)
			field.addInt("offset", f.Offset)
			field.add("type", describeType(f.Type))
			fields[i] = field
		}
		o.add("fields", fields)
	}
	if t.Elem != nil {
		o.add("elem", describeType(t.Elem))
	}
	if t.Shape != nil {
		o.addInts("shape", t.Shape)
	}
	return o
}
