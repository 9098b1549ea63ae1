package dispatch

import (
	"zarr-wasm/wasm/internal/wire"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/grid"
)

// describeNode is what an open request returns.
func describeNode(n zarr.Node) wire.Object {
	m := n.Metadata()
	documents := wire.Object{}
	for _, d := range m.Documents {
		documents = append(documents, wire.F(d.Name, d.Bytes))
	}
	a, isArray := n.(*zarr.Array)
	kind := "group"
	if isArray {
		kind = "array"
	}
	var o wire.Object
	o.AddText("path", n.Path())
	o.AddText("kind", kind)
	o.AddInt("format", int(m.Format))
	o.Add("attributes", wire.FromJSON(m.Attributes))
	o.Add("documents", documents)
	o.Add("consolidated", m.Consolidated != nil)
	if isArray {
		o.Add("array", describeArray(a))
	}
	return o
}

func describeArray(a *zarr.Array) wire.Object {
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
		o := wire.Object{wire.F("name", c.Name)}
		if c.Config.Exists() {
			o = append(o, wire.F("configuration", wire.FromJSON(c.Config)))
		}
		codecs[i] = o
	}
	chunks := a.ChunkGrid()
	var shards any
	if chunks != a.Grid {
		shards = wire.Numbers(a.Grid.ChunkShapes())
	}
	var keys, o wire.Object
	keys.AddText("name", a.Keys.Name)
	keys.AddText("separator", a.Keys.Separator)
	o.Add("shape", wire.Numbers(a.Shape))
	o.AddText("dtype", wire.JSName(a.Type, a.Metadata().Format))
	o.Add("type", wire.DescribeType(a.Type))
	o.Add("chunks", wire.Numbers(chunks.ChunkShapes()))
	o.Add("counts", wire.Numbers(chunks.Counts()))
	o.Add("shards", shards)
	o.AddText("grid", a.Grid.Kind())
	o.Add("edges", describeEdges(chunks))
	o.Add("fill", fill)
	o.Add("dimensionNames", names)
	o.Add("codecs", codecs)
	o.Add("order", order)
	o.Add("keyEncoding", keys)
	return o
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
			list[i] = []any{wire.Number(r.Size), wire.Number(r.Count)}
		}
		edges[d] = list
	}
	return edges
}
