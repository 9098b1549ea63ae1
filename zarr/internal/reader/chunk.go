package reader

import (
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
)

// chunk is a chunk or an inner chunk: what is wanted of it, and where its bytes lie.
type chunk struct {
	plan.Chunk // what is selected of it
	codecs     *codec.Plan
	shape      []int

	place
	index *index            // of the shard that it is in; nil for a chunk of the grid
	keys  *grid.KeyEncoding // that it was located by; nil for an inner chunk
	last  bool              // there is no other key to locate it by
}

// place is where a chunk's bytes lie.
type place struct {
	in             *object.Reader // nil for bytes that a locator has
	name           string         // of the object
	offset, length int64          // of the bytes there; a negative length is all of the object
	// most is the size of the largest object that this can be, 0 where nothing tells.
	most int64
	// sole is true for an object that holds one chunk only. It is read once, so that its version matters to no other.
	sole bool
	// packed is set where the chunk's bytes have to be made of those that lie there, or are those of a locator.
	packed *store.Location
	// next is another place where the bytes may lie.
	next *store.Location
}

func (p *place) extentID() extentID { return extentID{p.in.Source, p.name, p.offset} }

// extent is the range of the object where the bytes lie, of a place that has a length.
func (p *place) extent() store.ByteRange { return store.ByteRange{Offset: p.offset, Length: p.length} }

// apart reports whether inner chunks can be read by themselves of a shard that lies there.
func (p *place) apart() bool { return p.packed == nil && p.in.Ranges() }

func (c *chunk) id(a *Array) chunkID { return chunkID{a, c.extentID(), c.index} }

// isShard reports whether the chunk holds chunks.
func (c *chunk) isShard() bool { return c.codecs.Shard() != nil }

// innermost counts the touched chunks in it that hold no chunks.
func (c *chunk) innermost() int {
	return c.Innermost(innermostShape(c.codecs), 1<<30) // the read has no more
}

// touch makes c the i-th touched chunk.
func (r *read) touch(c *chunk, i int) (err error) {
	a := r.a
	c.keys, c.last = nil, false
	r.plan.Touch(&c.Chunk, i)
	if c.codecs, c.shape = a.plan, a.nominal; c.codecs == nil {
		c.codecs, c.shape, err = a.planFor(c.Coords)
	}
	return err
}

// keyOf is the key of a chunk, or of the shard that it is in, for messages.
func (a *Array) keyOf(c *chunk) string { return a.chunkKey(c.Coords) }
