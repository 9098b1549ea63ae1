package zarr

import (
	"math"
	"math/bits"

	"zarr-wasm/store"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/meta"
)

// Array is an array that can be read. It is safe for concurrent use.
type Array struct {
	h    *Hierarchy
	path string
	meta *meta.Node

	*meta.Array
	pipeline *codec.Pipeline
	plan     *codec.Plan // for chunks of the nominal shape; nil where shapes differ
	nominal  []int       // the shape of all chunks, where plan is not nil
	keys     chunkKeys
	sizes    shardSizes
}

// Path is the array's path in its hierarchy.
func (a *Array) Path() string { return a.path }

// Hierarchy is the hierarchy that the array was opened in.
func (a *Array) Hierarchy() *Hierarchy { return a.h }

// Metadata is the array's metadata.
func (a *Array) Metadata() *meta.Node { return a.meta }

// DType is the type of the elements.
func (a *Array) DType() *dtype.Type { return a.Type }

// newArray checks what can be checked before a chunk is read: that chunks have
// a size that can be computed, and that the chain of codecs can be built.
func (h *Hierarchy) newArray(path string, m *meta.Node) (*Array, error) {
	a := &Array{h: h, path: path, meta: m, Array: m.Array}
	_, remote := h.origin.(store.Remote)
	a.keys.init(m, remote && !h.opt.Cache.Memory)
	shape, err := toInts(a.Grid.ChunkShapes())
	if err != nil {
		return nil, err
	}
	if _, err := bytesOf("chunk", shape, a.Type.Size); err != nil {
		return nil, err
	}
	about := codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill}
	a.pipeline, err = h.codecs.Pipeline(a.Codecs, codec.Build{Format: m.Format, Array: about, Limits: h.opt.Limits})
	if err != nil {
		return nil, metadataError(path, err)
	}
	if a.Grid.Uniform() {
		if a.plan, err = a.pipeline.Plan(about); err != nil {
			return nil, metadataError(path, err)
		}
		a.nominal = shape
	}
	return a, nil
}

// planFor returns the plan for the chunk at the coordinates, and its shape.
func (a *Array) planFor(coords []int64) (*codec.Plan, []int, error) {
	stored, err := a.Grid.ChunkShape(coords)
	if err != nil {
		return nil, nil, &InvalidSelectionError{a.path, err}
	}
	shape, err := toInts(stored)
	if err != nil || a.plan != nil {
		return a.plan, shape, err
	}
	if _, err := bytesOf("chunk", shape, a.Type.Size); err != nil {
		return nil, nil, err
	}
	plan, err := a.pipeline.Plan(codec.Array{Shape: shape, Type: a.Type, Fill: a.Fill})
	if err != nil {
		return nil, nil, metadataError(a.path, err)
	}
	return plan, shape, nil
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

// bytesOf is the size of a packed block; elements of variable length count as
// the pointers that they need.
func bytesOf(what string, shape []int, size int) (int64, error) {
	n := uint64(max(size, 1))
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > math.MaxInt64 {
			if !hasZero(shape) {
				return 0, &codec.LimitError{Limit: "ChunkBytes", Max: math.MaxInt64, Asked: -1, What: what}
			}
			return 0, nil
		}
		n = lo
	}
	return int64(n), nil
}

func hasZero(shape []int) bool {
	for _, d := range shape {
		if d == 0 {
			return true
		}
	}
	return false
}
