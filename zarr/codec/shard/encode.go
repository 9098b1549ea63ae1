package shard

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToBytesEncoder (Zarr v3, codec sharding_indexed 1.0). The inner
// chunks follow each other in C order, without gaps. With OmitFill in the Env, those that hold only
// the fill value are missing.
func (s *sharding) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	plan, counts, size, err := s.indexPlan(a.Shape)
	if err != nil {
		return nil, err
	}
	// Compressed chunks usually fit; otherwise the buffer grows.
	shard := env.Buffer(a.Bytes() + a.Bytes()/64 + int(size))[:0]
	if s.atStart {
		shard = shard[:size]
	}
	index := env.Block(indexArray(counts))
	at := ndarray.Layout{Strides: ndarray.Strides(a.Shape)}
	in := ndarray.Layout{Strides: ndarray.Strides(s.inner.Shape)}
	for i := range len(index.Data) / 16 {
		at.Offset = 0
		rest := i
		for d := len(counts) - 1; d >= 0; d-- {
			at.Offset += rest % counts[d] * s.inner.Shape[d] * at.Strides[d]
			rest /= counts[d]
		}
		offset, length := ^uint64(0), ^uint64(0)
		before := len(shard)
		var there bool
		if shard, there, err = s.encodeInner(env, shard, src, at, in); err != nil {
			return nil, err
		}
		if there {
			offset, length = uint64(before), uint64(len(shard)-before)
		}
		kernel.Store64(index.Data, 16*i, offset)
		kernel.Store64(index.Data, 16*i+8, length)
	}
	stored, err := plan.Encode(env, index)
	if err != nil {
		return nil, err
	}
	if s.atStart {
		copy(shard, stored)
		return shard, nil
	}
	return append(shard, stored...), nil
}

// encodeInner appends one inner chunk to the shard, unless it is omitted.
func (s *sharding) encodeInner(env *codec.Env, shard []byte, src ndarray.Block, at, in ndarray.Layout) ([]byte, bool, error) {
	mark := env.Mark()
	defer env.Release(mark)
	block := env.Block(s.inner)
	if err := ndarray.Copy(block, in, src, at, s.inner.Shape); err != nil {
		return nil, false, err
	}
	if env.OmitFill && s.inner.IsFill(block) {
		return shard, false, nil
	}
	stored, err := s.plan.Encode(env, block)
	if err != nil {
		return nil, false, err
	}
	return append(shard, stored...), true, nil
}

// CheckEncode implements codec.EncodeChecker.
func (s *sharding) CheckEncode() error {
	if err := s.plan.CheckEncode(); err != nil {
		return err
	}
	return s.index.CheckEncode()
}
