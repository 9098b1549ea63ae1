package reader

import (
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
)

// chunk is a chunk or an inner chunk, with its selected region and the location of its bytes.
type chunk struct {
	plan.Chunk // the selected region
	codecs     *codec.Plan
	shape      []int

	location
	index *index            // of the surrounding shard; nil for a chunk of the grid
	keys  *grid.KeyEncoding // the encoding of the key that located it; nil for an inner chunk
	last  bool              // no other key remains to try
}

// location says where a chunk's bytes lie.
type location struct {
	in             *object.Reader // nil if a locator holds the bytes
	name           string         // of the object
	offset, length int64          // a negative length means all of the object
	// maxBytes is the largest possible size of the object in bytes; 0 if unknown.
	maxBytes int64
	// sole is set for an object that holds only one chunk. It is read once, so its version need not
	// match another.
	sole bool
	// at is set if the chunk's bytes are packed, or are a locator's own.
	at *store.Location
	// next is another location that may hold the bytes.
	next *store.Location
}

func (p *location) extentID() extentID { return extentID{p.in.Source, p.name, p.offset} }

// extent returns the byte range of a location that has a length.
func (p *location) extent() store.ByteRange {
	return store.ByteRange{Offset: p.offset, Length: p.length}
}

// apart reports whether inner chunks of a shard at this location can be read separately.
func (p *location) apart() bool { return p.at == nil && p.in.Ranges() }

func (c *chunk) id(a *Array) chunkID { return chunkID{a, c.extentID(), c.index} }

// isShard reports whether the chunk is a shard.
func (c *chunk) isShard() bool { return c.codecs.Shard() != nil }

// innermost counts the touched chunks in it that are not shards.
func (c *chunk) innermost() int {
	return c.Innermost(innermostShape(c.codecs), 1<<30) // the read has at most this many
}

// touch sets c to the i-th touched chunk.
func (r *read) touch(c *chunk, i int) (err error) {
	a := r.a
	c.keys, c.last = nil, false
	r.plan.Touch(&c.Chunk, i)
	if c.codecs, c.shape = a.plan, a.nominal; c.codecs == nil {
		c.codecs, c.shape, err = a.planFor(c.Coords)
	}
	return err
}

// keyOf returns the key of a chunk, or of its shard, for messages.
func (a *Array) keyOf(c *chunk) string { return a.chunkKey(c.Coords) }
