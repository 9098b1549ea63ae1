// Package shard is the codec sharding_indexed (Zarr v3, codec sharding_indexed 1.0). A chunk (the
// shard) holds smaller chunks, each encoded by an inner chain, and an index of their places.
//
// The index is an array of uint64 of the shape [inner chunks of each dimension..., 2]. It has an
// offset from the start of the shard and a length for each inner chunk. A chain with a computable
// size encodes it, at the start or the end of the shard. If both numbers are 2^64-1, the inner
// chunk is missing: it is the fill value.
package shard

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

const name = "sharding_indexed"

// Codec returns the codec sharding_indexed.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{name}, Doc: codec.Doc("shards: inner chunks and their index"), Kind: codec.KindArrayToBytes, Sharding: true,
		Cost: codec.Cost{Decode: 200}, New: build,
	}
}

// sharding is one array's codec.
type sharding struct {
	inner   codec.Array
	plan    *codec.Plan // of an inner chunk
	index   *codec.Pipeline
	atStart bool
	limits  codec.Limits
}

func build(config json.Value, b codec.Build) (any, error) {
	s := &sharding{limits: b.Limits}
	shape := config.Get("chunk_shape")
	if shape.Kind() != json.Array || shape.Len() != len(b.Array.Shape) {
		return nil, bad("chunk_shape must have one length for each dimension")
	}
	s.inner = codec.Array{Type: b.Array.Type, Fill: b.Array.Fill}
	for _, v := range shape.Items() {
		n, ok := v.Int64()
		if !ok || n < 1 || n > math.MaxInt32 {
			return nil, bad("a length of chunk_shape is not a positive integer")
		}
		s.inner.Shape = append(s.inner.Shape, int(n))
	}
	switch where, _ := config.Get("index_location").Text(); {
	case where == "start":
		s.atStart = true
	case where == "end" || config.Get("index_location").IsNull():
	default:
		return nil, bad("index_location is neither start nor end")
	}

	inner, err := b.Chain(name, config, "codecs", s.inner)
	if err != nil {
		return nil, err
	}
	if s.plan, err = inner.Plan(s.inner); err != nil {
		return nil, err
	}

	counts, err := s.counts(b.Array.Shape)
	if err != nil {
		return nil, err
	}
	if s.index, err = b.Chain(name, config, "index_codecs", indexArray(counts)); err != nil {
		return nil, err
	}
	return s, nil
}

func bad(msg string) error { return &codec.ConfigError{Codec: name, Msg: msg} }

// counts returns the number of inner chunks of a shard in each dimension.
func (s *sharding) counts(shard []int) ([]int, error) {
	if len(shard) != len(s.inner.Shape) {
		return nil, bad("chunk_shape must have one length for each dimension")
	}
	counts := make([]int, len(shard))
	total := int64(1)
	for d, n := range shard {
		if n%s.inner.Shape[d] != 0 {
			return nil, bad("chunk_shape does not divide the shard's shape")
		}
		counts[d] = n / s.inner.Shape[d]
		// 2^40 entries are beyond any limit, and cannot overflow in the next step.
		if total *= int64(counts[d]); total > 1<<40 || total*16 > s.limits.IndexBytes {
			return nil, &codec.LimitError{Limit: "IndexBytes", Max: s.limits.IndexBytes, Asked: total * 16, What: "shard index"}
		}
	}
	return counts, nil
}

func indexArray(counts []int) codec.Array {
	return codec.Array{
		Shape: append(append([]int{}, counts...), 2),
		Type:  &dtype.Type{Kind: dtype.Uint, Name: "uint64", Size: 8},
		Fill:  []byte{255, 255, 255, 255, 255, 255, 255, 255},
	}
}

// indexPlan returns the plan for the index of a shard of that shape, the counts of inner chunks,
// and the length of the index.
func (s *sharding) indexPlan(shard []int) (*codec.Plan, []int, int64, error) {
	counts, err := s.counts(shard)
	if err != nil {
		return nil, nil, 0, err
	}
	plan, err := s.index.Plan(indexArray(counts))
	if err != nil {
		return nil, nil, 0, err
	}
	size := plan.EncodedSize()
	if !size.Exact {
		return nil, nil, 0, bad("the length of the index cannot be computed from index_codecs")
	}
	return plan, counts, size.N, nil
}

// Local implements codec.Local.
func (s *sharding) Local() bool { return s.plan.Local() || s.index.Local() }

// Check implements codec.ArrayToBytes.
func (s *sharding) Check(a codec.Array) error {
	_, _, _, err := s.indexPlan(a.Shape)
	return err
}

// EncodedSize implements codec.ArrayToBytes. A shard may have gaps: its length is unknown.
func (s *sharding) EncodedSize(codec.Array) codec.Size {
	return codec.Size{N: s.limits.EncodedBytes}
}

// Shard implements codec.ShardCodec.
func (s *sharding) Shard(a codec.Array) (*codec.ShardLayout, error) {
	plan, counts, size, err := s.indexPlan(a.Shape)
	if err != nil {
		return nil, err
	}
	return &codec.ShardLayout{Inner: s.plan, Counts: counts, IndexBytes: size, IndexAtEnd: !s.atStart, IndexPlan: plan}, nil
}

// Decode implements codec.ArrayToBytes.
func (s *sharding) Decode(env *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	return s.DecodePartial(env, a, dst, src, nil)
}

// DecodePartial implements codec.ArrayPartialDecoder.
func (s *sharding) DecodePartial(env *codec.Env, a codec.Array, dst ndarray.Block, src []byte, want []codec.Range) error {
	plan, counts, size, err := s.indexPlan(a.Shape)
	if err != nil {
		return err
	}
	index, err := s.decodeIndex(env, plan, counts, size, src)
	if err != nil {
		return err
	}
	layout := codec.ShardLayout{IndexBytes: size, IndexAtEnd: !s.atStart}
	n := len(counts)
	at := make([]int, n)
	part := make([]codec.Range, n)
	out := ndarray.Layout{Strides: ndarray.Strides(a.Shape)}
	in := ndarray.Layout{Strides: ndarray.Strides(s.inner.Shape)}
	for i := 0; i < len(index)/16; i++ {
		rest := i
		out.Offset = 0
		wanted := true
		for d := n - 1; d >= 0; d-- {
			at[d] = rest % counts[d] * s.inner.Shape[d]
			rest /= counts[d]
			out.Offset += at[d] * out.Strides[d]
			wanted = wanted && (want == nil || at[d] < want[d].To && at[d]+s.inner.Shape[d] > want[d].From)
		}
		if !wanted {
			continue
		}
		offset, length, ok, err := layout.InnerChunk(index, i, int64(len(src)))
		if err != nil {
			return err
		}
		if !ok {
			if err := ndarray.Fill(dst, out, s.inner.Shape, a.Fill); err != nil {
				return err
			}
			continue
		}
		if err := s.decodeInner(env, dst, out, in, src[offset:offset+length], s.within(part, want, at)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sharding) decodeIndex(env *codec.Env, plan *codec.Plan, counts []int, size int64, src []byte) (codec.ShardIndex, error) {
	if int64(len(src)) < size {
		return nil, codec.Truncated("shorter than the shard index")
	}
	part := src[int64(len(src))-size:]
	if s.atStart {
		part = src[:size]
	}
	block := env.Block(indexArray(counts))
	if err := plan.Decode(env, block, part, nil); err != nil {
		return nil, err
	}
	return block.Data, nil
}

// within returns the wanted region of the inner chunk at a place of the shard, nil for all of it.
// It stores the region in part.
func (s *sharding) within(part, want []codec.Range, at []int) []codec.Range {
	all := true
	for d, w := range want {
		part[d] = codec.Range{From: max(w.From-at[d], 0), To: min(w.To-at[d], s.inner.Shape[d])}
		all = all && part[d].From == 0 && part[d].To == s.inner.Shape[d]
	}
	if all {
		return nil
	}
	return part
}

// decodeInner decodes one inner chunk, or the wanted part of it, into its place.
func (s *sharding) decodeInner(env *codec.Env, dst ndarray.Block, out, in ndarray.Layout, src []byte, want []codec.Range) error {
	if err := s.plan.CheckEncoded(len(src)); err != nil {
		return err
	}
	mark := env.Mark()
	defer env.Release(mark)
	stored, ok := s.plan.View(src)
	if !ok {
		stored.Block = env.Block(s.inner)
		if err := s.plan.Decode(env, stored.Block, src, want); err != nil {
			return err
		}
	} else if stored.Strides != nil {
		in.Strides = stored.Strides
	}
	return ndarray.CopySwapped(dst, out, stored.Block, in, s.inner.Shape, stored.Swap)
}
