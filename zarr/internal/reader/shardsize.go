package reader

import (
	"sync"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// shardSizes predicts the sizes of an array's shards from those already read. If the size of an
// object is unknown, a good guess saves a request.
type shardSizes struct {
	mu          sync.Mutex
	least, most float64 // bytes for each inner chunk that lies in the array
}

// learn records the size of a shard.
func (s *shardSizes) learn(inside int64, c *codec.ShardLayout, size int64) {
	if size < c.IndexBytes || inside <= 0 {
		return
	}
	each := float64(size-c.IndexBytes) / float64(inside)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == 0 || each < s.least {
		s.least = each
	}
	s.most = max(s.most, each)
}

// guess returns the likely smallest and largest size of a shard, in bytes. Without data, least is 0
// and most is the size of its elements: writers do not keep a compressed form that is larger.
func (s *shardSizes) guess(inside int64, c *codec.ShardLayout) (least, most int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 {
		n := float64(inside)
		// The next one may lie outside the observed range.
		room := s.most - s.least
		if !c.Inner.EncodedSize().Exact {
			room += s.least / 16
		}
		return int64(max(s.least-room, 0)*n) + c.IndexBytes, int64((s.most+room)*n) + c.IndexBytes
	}
	most = mostBytes(c)
	if e := c.Inner.EncodedSize(); e.Exact && e.N < most {
		least = e.N*inside + c.IndexBytes
		most = least
	}
	return least, most
}

// inside returns how many inner chunks of a chunk have elements of the array.
func (a *Array) inside(coords []int64, c *codec.ShardLayout) int64 {
	n := int64(1)
	inner := c.Inner.Array().Shape
	for d, count := range c.Counts {
		in := int64(count)
		if a.nominal != nil {
			size := int64(inner[d])
			left := a.Shape[d] - coords[d]*int64(a.nominal[d])
			in = min(in, (left+size-1)/size)
		}
		n *= max(in, 0)
	}
	return n
}

// mostBytes estimates the largest size of a shard: writers do not keep a compressed form that is
// larger than its elements.
func mostBytes(c *codec.ShardLayout) int64 {
	const unknown = 1 << 60
	a := c.Inner.Array()
	if inner := c.Inner.Shard(); inner != nil {
		if n := mostBytes(inner); n < unknown {
			return n*int64(c.Len()) + c.IndexBytes
		}
		return unknown
	}
	if a.Type.Variable() {
		return unknown
	}
	return int64(a.Bytes())*int64(c.Len()) + c.IndexBytes
}
