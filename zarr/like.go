package zarr

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Spec returns a specification for [Hierarchy.Create] that makes an array like this one, in a
// version. It has the same fill value, chunks, codecs, names and attributes. For another version,
// equivalent codecs replace the array's, or else the default. Chunks are guessed if the version
// lacks the array's grid. If the specification's version is changed afterwards, it has the default
// codecs.
func (a *Array) Spec(format int) ArraySpec {
	if format == 0 {
		format = max(2, a.meta.Format)
	}
	s := ArraySpec{Format: format, Shape: slices.Clone(a.Shape), Type: a.Type, Order: a.Order, attributes: a.meta.Attributes, rawFill: a.Fill}
	if !a.FillDefined {
		s.Fill = NoFill
	}
	of := *a.Array
	s.like.format = format
	if len(of.Codecs) == 1 && a.InnerChunks() != nil {
		config := of.Codecs[0].Config
		if inner, err := meta.Codecs(config.Get("codecs"), len(a.Shape)); err == nil {
			of.Codecs, s.Chunks = inner, slices.Clone(a.InnerChunks())
			if format == 3 {
				s.like.sharding = config
			}
		}
	}
	switch kind := a.Grid.Kind(); {
	case s.Chunks != nil && format != 3:
	case kind == "regular" && s.Chunks != nil:
		s.Shards = a.Grid.ChunkShapes()
	case kind == "regular":
		s.Chunks = a.Grid.ChunkShapes()
	case kind == "rectilinear" && s.Chunks != nil:
		s.ShardEdges = declared(a.Grid)
	case kind == "rectilinear" && format == 3:
		s.ChunkEdges = declared(a.Grid)
	case kind != "rectilinear" && format == 3:
		s.like.grid = a.Grid
	}
	if a.Grid.Kind() != "regular" { // the codecs do not depend on it
		of.Grid, _ = grid.Regular(nil, nil)
	}
	if to, err := (&meta.Node{Format: a.meta.Format, Array: &of}).To(format); err == nil {
		s.Type, s.like.chain = to.Array.Type, to.Array.Codecs
		if to.Array.Order != "" {
			s.Order = to.Array.Order
		}
		if s.Order == "F" && len(a.Shape) > 1 {
			s.like.chain = s.like.chain[1:] // the transpose that expresses the order
		}
	}
	for _, n := range a.DimensionNames {
		s.DimensionNames = append(s.DimensionNames, n.Text)
	}
	if format == 3 {
		s.attributes = meta.WithoutNames(s.attributes, len(s.Shape))
	}
	if format == a.meta.Format {
		s.Separator = a.Keys.Separator
		s.like.documents = slices.Clone(a.meta.Documents)
	}
	return s
}

// declared returns the edges of a rectilinear grid.
func declared(g *grid.Grid) [][]grid.Run {
	edges := make([][]grid.Run, g.Rank())
	for d := range edges {
		edges[d] = g.Declared(d)
	}
	return edges
}

// ZerosLike creates an array of zeros with the specification of another one.
func (h *Hierarchy) ZerosLike(ctx context.Context, path string, like *Array) (*Array, error) {
	return h.like(ctx, path, like, h.Zeros)
}

// OnesLike creates an array of ones with the specification of another one.
func (h *Hierarchy) OnesLike(ctx context.Context, path string, like *Array) (*Array, error) {
	return h.like(ctx, path, like, h.Ones)
}

// EmptyLike creates an array like another one, with undefined elements.
func (h *Hierarchy) EmptyLike(ctx context.Context, path string, like *Array) (*Array, error) {
	return h.like(ctx, path, like, h.Empty)
}

// FullLike creates an array like another one, filled with one value.
func (h *Hierarchy) FullLike(ctx context.Context, path string, like *Array, fill any) (*Array, error) {
	return h.like(ctx, path, like, func(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
		return h.Full(ctx, path, fill, spec)
	})
}

// like creates an array with the shape, type, chunks and codecs of another one, and without its
// attributes.
func (h *Hierarchy) like(ctx context.Context, path string, like *Array, create func(context.Context, string, ArraySpec) (*Array, error)) (*Array, error) {
	spec := like.Spec(0)
	spec.attributes, spec.rawFill, spec.like.documents = json.Value{}, nil, nil
	return create(ctx, path, spec)
}
