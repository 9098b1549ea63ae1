package dispatch

import (
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// describeNode returns the value of open, except for the handle. It refuses an array that
// JavaScript cannot count, because its shape would be rounded.
func describeNode(n zarr.Node) (wire.Object, error) {
	m := n.Metadata()
	documents := wire.Object{}
	for _, d := range m.Documents {
		documents = append(documents, wire.F(d.Name, wire.Packed(d.Bytes)))
	}
	a, isArray := n.(*zarr.Array)
	kind := "group"
	if isArray {
		kind = "array"
		if err := CheckLengths(a.Path(), a.Shape, a.Grid.ChunkShapes()); err != nil {
			return nil, err
		}
	}
	var o wire.Object
	o.AddText(wire.NodePath, n.Path())
	o.AddText(wire.NodeKind, kind)
	o.AddInt(wire.NodeFormat, int(m.Format))
	if text := m.Attributes.Raw(); len(text) > 2 && !hasAttributes(m.Documents) {
		o.AddPacked(wire.NodeAttributes, text)
	}
	o.AddText(wire.NodeHash, hashText(n.Hash()))
	o.AddAny(wire.NodeDocuments, documents)
	o.AddFlag(wire.NodeConsolidated, m.Consolidated != nil)
	if m.Bare {
		o.AddFlag(wire.NodeBare, true)
	}
	if isArray {
		o.AddObject(wire.NodeArray, describeArray(a))
	}
	return o, nil
}

// hasAttributes reports whether the attributes are one of a node's documents.
func hasAttributes(docs []meta.Document) bool {
	return slices.ContainsFunc(docs, func(d meta.Document) bool {
		return d.Name == meta.DocumentAttributes || d.Name == meta.DocumentV1Attributes
	})
}

func describeArray(a *zarr.Array) wire.Object {
	var fill []byte
	var names, shards []any
	if a.FillDefined {
		fill = append([]byte{}, a.Fill...)
	}
	if a.DimensionNames != nil {
		names = make([]any, len(a.DimensionNames))
		for i, n := range a.DimensionNames {
			if n.Named {
				names[i] = n.Text
			}
		}
	}
	codecs := make([]any, len(a.Codecs))
	for i, c := range a.Codecs {
		var o wire.Object
		o.AddText(wire.CodecName, c.Name)
		if c.Config.Exists() {
			o.AddAny(wire.CodecConfiguration, wire.FromJSON(c.Config))
		}
		codecs[i] = o
	}
	chunks := a.ChunkGrid()
	if chunks != a.Grid {
		shards = wire.Numbers(a.Grid.ChunkShapes())
	}
	var keys, o wire.Object
	keys.AddText(wire.KeyEncodingName, a.Keys.Name)
	keys.AddText(wire.KeyEncodingSeparator, a.Keys.Separator)
	o.AddNumbers(wire.ArrayShape, wire.Numbers(a.Shape))
	o.AddText(wire.ArrayDType, wire.JSName(a.Type, a.Metadata().Format))
	o.AddObject(wire.ArrayType, wire.DescribeType(a.Type))
	o.AddNumbers(wire.ArrayChunks, wire.Numbers(chunks.ChunkShapes()))
	o.AddNumbers(wire.ArrayCounts, wire.Numbers(chunks.Counts()))
	o.AddNumbers(wire.ArrayShards, shards)
	o.AddText(wire.ArrayGrid, a.Grid.Kind())
	o.AddList(wire.ArrayEdges, describeEdges(a.Grid))
	o.AddPacked(wire.ArrayFill, fill)
	o.AddList(wire.ArrayDimensionNames, names)
	o.AddList(wire.ArrayCodecs, codecs)
	o.AddTextOrNull(wire.ArrayOrder, a.Order)
	o.AddObject(wire.ArrayKeyEncoding, keys)
	return o
}

// CheckLengths refuses an array with lengths that a JavaScript number would round.
func CheckLengths(path string, lists ...[]int64) error {
	for _, lengths := range lists {
		for _, n := range lengths {
			if err := limits.Check("Length", wire.MaxExact, n, "a length of "+strconv.Quote("/"+path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// describeEdges returns [[[size, count], ...], ...] for a rectilinear grid, else nil.
func describeEdges(g *grid.Grid) []any {
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
