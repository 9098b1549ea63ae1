package reader

import (
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Array holds the facts about an array that reads need. It is safe for concurrent use.
type Array struct {
	*meta.Array
	Path   string
	engine *Engine

	pipeline *codec.Pipeline
	plan     *codec.Plan // for chunks of the nominal shape; nil if shapes differ
	nominal  []int       // the shape of all chunks, if plan is not nil
	inner    []int64     // the shape of the chunks inside a shard; nil if there are none
	weight   int64       // bytes of one element of a result
	keys     chunkKeys
	sizes    shardSizes
}

// NewArray checks an array before any chunk is read. The size of its chunks must be computable, and
// its chain of codecs must be buildable.
func (e *Engine) NewArray(path string, m *meta.Node, codecs *codec.Registry) (*Array, error) {
	a := &Array{engine: e, Path: path, Array: m.Array}
	a.keys.init(m)
	shape, err := toInts(a.Grid.ChunkShapes())
	if err != nil {
		return nil, err
	}
	if err := countable(shape, a.Type); err != nil {
		return nil, err
	}
	a.weight = codec.ElementBytes(a.Type)
	if weigh := e.opt.Weigh; weigh != nil {
		a.weight = max(a.weight, weigh(a.Type))
	}
	about := codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill}
	a.pipeline, err = codecs.Pipeline(a.Codecs, codec.Build{Format: m.Format, Array: about, Limits: e.opt.Limits})
	if err != nil {
		return nil, MetadataError(path, err)
	}
	for _, n := range a.pipeline.InnerChunks() {
		a.inner = append(a.inner, int64(n))
	}
	if a.Grid.Uniform() {
		if a.plan, err = a.pipeline.Plan(about); err != nil {
			return nil, MetadataError(path, err)
		}
		a.nominal = shape
	}
	return a, nil
}

// planFor returns the plan for the chunk at the coordinates, and the chunk's shape.
func (a *Array) planFor(coords []int64) (*codec.Plan, []int, error) {
	stored, err := a.Grid.ChunkShape(coords)
	if err != nil {
		return nil, nil, &InvalidSelectionError{a.Path, err}
	}
	shape, err := toInts(stored)
	if err != nil || a.plan != nil {
		return a.plan, shape, err
	}
	if err := countable(shape, a.Type); err != nil {
		return nil, nil, err
	}
	plan, err := a.pipeline.Plan(codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill})
	if err != nil {
		return nil, nil, MetadataError(a.Path, err)
	}
	return plan, shape, nil
}

// Plannable checks that the codecs accept all chunk lengths that a rectilinear grid has along a
// dimension.
func (a *Array) Plannable() error {
	nominal, err := toInts(a.Grid.ChunkShapes())
	for d := range nominal {
		seen := map[int64]bool{}
		for _, r := range a.Grid.Declared(d) {
			if err != nil || seen[r.Size] {
				continue
			}
			seen[r.Size] = true
			shape := slices.Clone(nominal)
			if shape[d] = int(r.Size); int64(shape[d]) == r.Size { // a longer chunk cannot exist in memory
				_, err = a.pipeline.Plan(codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill})
			}
		}
	}
	return err
}

// InnerChunks returns the shape of the chunks inside a shard, or nil if the array is not sharded.
// See [codec.Pipeline.InnerChunks].
func (a *Array) InnerChunks() []int64 { return a.inner }

// encodedLimit returns the largest size in bytes of an object that holds a chunk of that plan. If
// the chain fixes the size, encodedLimit adds some slack, so that the error can describe the
// excess. A shard may have gaps.
func (a *Array) encodedLimit(p *codec.Plan) int64 {
	slack, gaps := int64(64<<10), int64(1)
	if p.Shard() != nil {
		slack, gaps = 16<<20, 2
	}
	most := a.engine.opt.Limits.EncodedBytes
	if n := mostEncoded(p, most/gaps); n > 0 && n < (most-slack)/gaps {
		most = gaps*n + slack
	}
	return most
}

// mostEncoded returns the largest encoded size of a chunk of a plan, in bytes and at most limit. A
// shard counts without gaps.
func mostEncoded(p *codec.Plan, limit int64) int64 {
	c := p.Shard()
	if c == nil {
		return min(p.EncodedSize().N, limit)
	}
	if n := mostEncoded(c.Inner, limit); n < (limit-min(c.IndexBytes, limit))/int64(c.Len()) {
		return n*int64(c.Len()) + c.IndexBytes
	}
	return limit
}

func toInts(v []int64) ([]int, error) {
	ints := make([]int, len(v))
	for i, n := range v {
		if n > math.MaxInt {
			return nil, &codec.LimitError{Limit: "ChunkBytes", Max: math.MaxInt, Asked: n, What: "dimension"}
		}
		ints[i] = int(n)
	}
	return ints, nil
}

// countable rejects chunks whose number of elements or bytes overflows.
func countable(shape []int, t *dtype.Type) error {
	return codec.CheckLimit("ChunkBytes", math.MaxInt64-1, codec.Bytes(shape, int64(max(t.Size, 1))), "chunk")
}

// allows checks a result of the shape against the limit.
func (a *Array) allows(shape []int, what string) error {
	return codec.CheckLimit("OutputBytes", a.engine.opt.Limits.OutputBytes, codec.Bytes(shape, a.weight), what)
}

// allowsChunk checks a result that is one chunk against the limits.
func (a *Array) allowsChunk(shape []int) error {
	if err := a.allows(shape, "chunk"); err != nil {
		return err
	}
	lim := a.engine.opt.Limits.ChunkBytes
	return codec.CheckLimit("ChunkBytes", lim, codec.Array{Shape: shape, Type: a.Type}.Memory(), "chunk")
}
