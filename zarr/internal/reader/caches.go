package reader

import (
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Caches holds the caches that several engines share. Each kind of entry has one budget.
type Caches struct {
	Indexes *share.Cache[indexID, *index]
	Chunks  *share.Cache[chunkID, decoded]
	Layer   *object.Layer
	memory  *Memory

	generation atomic.Int64
}

// NewCaches returns empty caches with these budgets in bytes.
func NewCaches(indexes, chunks, encoded int64) *Caches {
	return &Caches{
		Indexes: share.New[indexID, *index](indexes),
		Chunks:  share.New[chunkID, decoded](chunks),
		Layer:   object.NewLayer(encoded),
		memory:  NewMemory(decodedBytes),
	}
}

// Generation counts the events that may have outdated decoded chunks. Eviction for lack of room is
// none. A copy of a cached chunk stays valid while the number stays the same.
func (c *Caches) Generation() int64 { return c.generation.Load() }

// Outdate begins another generation.
func (c *Caches) Outdate() { c.generation.Add(1) }

// extentID names an extent of an object.
type extentID struct {
	in     *object.Source
	name   string
	offset int64
}

// chunkID names a decoded chunk. An inner chunk belongs to one index: a new index makes it another
// chunk.
type chunkID struct {
	array *Array
	at    extentID
	index *index
}

// decoded is a decoded chunk, with the version of its object.
type decoded struct {
	ndarray.Block
	version store.Version
}

// indexID names the index of a shard, or of a shard in a shard.
type indexID struct {
	array *Array
	at    extentID
	outer *index
}

// index holds the places of a shard's inner chunks.
type index struct {
	codec.ShardIndex
	of      *codec.Plan // of the shard
	version store.Version
}

// forget drops all cached parts of an object.
func (c *Caches) forget(in *object.Source, name string) {
	c.Outdate()
	of := func(at extentID) bool { return at.in == in && at.name == name }
	c.Indexes.DropFunc(func(key any) bool { return of(key.(indexID).at) })
	c.Chunks.DropFunc(func(key any) bool { return of(key.(chunkID).at) })
}

// DropEngine drops the cached parts of an engine's arrays.
func (c *Caches) DropEngine(e *Engine) {
	c.Outdate()
	c.Indexes.DropFunc(func(key any) bool { return key.(indexID).array.engine == e })
	c.Chunks.DropFunc(func(key any) bool { return key.(chunkID).array.engine == e })
}

// sizeOf estimates the memory of a block, in bytes.
func sizeOf(b ndarray.Block) int64 {
	n := int64(len(b.Data)) + 24*int64(len(b.Items))
	for _, item := range b.Items {
		n += int64(len(item))
	}
	return n
}
