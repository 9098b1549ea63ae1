package codec

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// ShardCodec is an optional interface of [ArrayToBytes] codecs whose encoded form is a shard:
// inner chunks and an index that locates them. Package shard implements it. [Pipeline.Plan] asks
// for the layout, so that the read engine can fetch one inner chunk without the others.
type ShardCodec interface {
	ArrayToBytes
	// Shard returns the layout of a shard whose elements are an array a.
	Shard(a Array) (*ShardLayout, error)
}

// ShardLayout describes a shard before any of its bytes are read.
type ShardLayout struct {
	// Inner is the plan of the inner chunks. They divide the shard evenly and are counted in C
	// order.
	Inner *Plan
	// Counts is the number of inner chunks along each dimension.
	Counts []int
	// IndexBytes is the length of the encoded index.
	IndexBytes int64
	// IndexAtEnd reports whether the index is at the end of the shard rather than at the start.
	IndexAtEnd bool
	// IndexPlan decodes the index: two 64-bit numbers for each inner chunk.
	IndexPlan *Plan
}

// Shard returns the layout of the plan's chunks. It returns nil when they have no inner chunks, and
// when other codecs of the chain require the whole shard to be decoded.
func (p *Plan) Shard() *ShardLayout { return p.shard }

// Len returns the number of inner chunks.
func (l *ShardLayout) Len() int {
	n := 1
	for _, k := range l.Counts {
		n *= k
	}
	return n
}

// DecodeIndex decodes the index of one shard. src is the encoded index, IndexBytes long.
func (l *ShardLayout) DecodeIndex(env *Env, src []byte) (ShardIndex, error) {
	a := l.IndexPlan.Array()
	b := ndarray.New(a.Shape, a.Type.Size, false)
	if err := l.IndexPlan.Decode(env, b, src, nil); err != nil {
		return nil, err
	}
	return b.Data, nil
}

// ShardIndex is the decoded index of a shard: for each inner chunk its offset in the shard and its
// length.
type ShardIndex []byte

// InnerChunk returns the offset and length of inner chunk i from an index. It reports false if the
// inner chunk is missing. shardSize is the length of the shard, or -1 if it is unknown.
func (l *ShardLayout) InnerChunk(x ShardIndex, i int, shardSize int64) (offset, length int64, ok bool, err error) {
	const missing = math.MaxUint64
	from, n := kernel.Load64(x, 16*i), kernel.Load64(x, 16*i+8)
	switch {
	case from == missing && n == missing:
		return 0, 0, false, nil
	case from == missing || n == missing:
		return 0, 0, false, Corrupt("an entry of the shard index is half missing")
	}
	first, end := uint64(0), uint64(math.MaxInt64)
	if shardSize >= 0 {
		end = uint64(shardSize)
	}
	if n > end || from > end-n {
		return 0, 0, false, Truncated("an entry of the shard index points beyond the end of the shard")
	}
	if !l.IndexAtEnd {
		first = uint64(l.IndexBytes)
	} else if shardSize >= l.IndexBytes {
		end -= uint64(l.IndexBytes)
	}
	if n > 0 && (from < first || from+n > end) {
		return 0, 0, false, Corrupt("an entry of the shard index points into the index")
	}
	return int64(from), int64(n), true, nil
}
