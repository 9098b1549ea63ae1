package rpc

import (
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/dtype"
)

// describeNode is what an open request returns.
func describeNode(n zarr.Node) Object {
	m := n.Metadata()
	documents := Object{}
	for _, d := range m.Documents {
		documents = append(documents, Field{d.Name, d.Bytes})
	}
	o := Object{
		{"path", n.Path()},
		{"kind", "group"},
		{"format", float64(m.Format)},
		{"attributes", fromJSON(m.Attributes)},
		{"documents", documents},
		{"consolidated", m.Consolidated != nil},
	}
	if a, ok := n.(*zarr.Array); ok {
		o[1].Value = "array"
		o = append(o, Field{"array", describeArray(a)})
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
	chunks, inner := a.Grid.ChunkShapes(), a.InnerChunks()
	var shards any
	if inner != nil {
		chunks, shards = inner, numbers(chunks)
	}
	return Object{
		{"shape", numbers(a.Shape)},
		{"dtype", a.Type.JSName()},
		{"type", describeType(a.Type)},
		{"chunks", numbers(chunks)},
		{"shards", shards},
		{"grid", a.Grid.Kind()},
		{"edges", describeEdges(a)},
		{"fill", fill},
		{"dimensionNames", names},
		{"codecs", codecs},
		{"order", order},
		{"keyEncoding", Object{{"name", a.Keys.Name}, {"separator", a.Keys.Separator}}},
	}
}

// describeEdges is [[[size, count], ...], ...] for a rectilinear grid, else nil.
func describeEdges(a *zarr.Array) any {
	edges := make([]any, len(a.Shape))
	for d := range edges {
		runs := a.Grid.Edges(d)
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
	o := Object{{"kind", kindName(t.Kind)}, {"name", t.Name}, {"size", float64(t.Size)}}
	if t.Bits != 0 {
		o = append(o, Field{"bits", float64(t.Bits)})
	}
	if t.Kind == dtype.DateTime || t.Kind == dtype.TimeDelta {
		o = append(o, Field{"unit", t.Unit}, Field{"scale", float64(t.Scale)})
	}
	if t.Fields != nil {
		fields := make([]any, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = Object{{"name", f.Name}, {"offset", float64(f.Offset)}, {"type", describeType(f.Type)}}
		}
		o = append(o, Field{"fields", fields})
	}
	if t.Elem != nil {
		o = append(o, Field{"elem", describeType(t.Elem)})
	}
	if t.Shape != nil {
		shape := make([]any, len(t.Shape))
		for i, n := range t.Shape {
			shape[i] = float64(n)
		}
		o = append(o, Field{"shape", shape})
	}
	return o
}
