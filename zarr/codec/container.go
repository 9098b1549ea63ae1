package codec

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Container is an ArrayToBytes codec whose bytes hold chunks of their own, each in a
// place that an index tells: a shard. So one can be read without the others.
type Container interface {
	ArrayToBytes
	// Contents is what an array a contains.
	Contents(a Array) (*Contents, error)
}

// Contents is what is known of a container before it is read.
type Contents struct {
	// Inner is the plan of the chunks in it. They divide it evenly, in C order.
	Inner *Plan
	// Counts is how many there are in each dimension.
	Counts []int
	// IndexBytes is the length of the index, which stands at the end or the start.
	IndexBytes int64
	AtEnd      bool
	// IndexPlan decodes the index: for each inner chunk two numbers of 64 bits.
	IndexPlan *Plan
}

// Contents is what the plan's chunks contain, nil where they are to be decoded as a whole:
// the container must be all of the chain.
func (p *Plan) Contents() *Contents { return p.contents }

// Len is the number of inner chunks.
func (c *Contents) Len() int {
	n := 1
	for _, k := range c.Counts {
		n *= k
	}
	return n
}

// Index decodes the index of one container. Its bytes are src, which is
// IndexBytes long.
func (c *Contents) Index(env *Env, src []byte) (Index, error) {
	a := c.IndexPlan.Array()
	b := ndarray.New(a.Shape, a.Type.Size, false)
	if err := c.IndexPlan.Decode(env, b, src, nil); err != nil {
		return nil, err
	}
	return b.Data, nil
}

// Index is the decoded index of a container: for each inner chunk its offset in the
// container and its length.
type Index []byte

// At returns the place of inner chunk i, as an index of the container says; ok is false when there is none. Size is that
// of the container, or -1 when it is not known.
func (c *Contents) At(x Index, i int, size int64) (offset, length int64, ok bool, err error) {
	const missing = math.MaxUint64
	from, n := kernel.Load64(x, 16*i), kernel.Load64(x, 16*i+8)
	switch {
	case from == missing && n == missing:
		return 0, 0, false, nil
	case from == missing || n == missing:
		return 0, 0, false, Corrupt("an entry of the shard index is half missing")
	}
	first, end := uint64(0), uint64(math.MaxInt64)
	if size >= 0 {
		end = uint64(size)
	}
	if n > end || from > end-n {
		return 0, 0, false, Truncated("an entry of the shard index points beyond the end of the shard")
	}
	if !c.AtEnd {
		first = uint64(c.IndexBytes)
	} else if size >= c.IndexBytes {
		end -= uint64(c.IndexBytes)
	}
	if n > 0 && (from < first || from+n > end) {
		return 0, 0, false, Corrupt("an entry of the shard index points into the index")
	}
	return int64(from), int64(n), true, nil
}
