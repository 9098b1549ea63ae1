package reader

import (
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Caches is what several engines keep together, within one budget for each kind of thing.
type Caches struct {
	Indexes *share.Cache[indexID, *index]
	Chunks  *share.Cache[chunkID, decoded]
	Layer   *object.Layer
	memory  *Memory
}

// NewCaches returns empty caches of so many bytes.
func NewCaches(indexes, chunks, encoded int64) *Caches {
	return &Caches{
		Indexes: share.New[indexID, *index](indexes),
		Chunks:  share.New[chunkID, decoded](chunks),
		Layer:   object.NewLayer(encoded),
		memory:  NewMemory(decodedBytes),
	}
}

// extentID names an extent of an object.
type extentID struct {
	in     *object.Source
	name   string
	offset int64
}

// chunkID names a decoded chunk. An inner chunk is one of what an index told: with a
// new index it is another.
type chunkID struct {
	array *Array
	at    extentID
	index *index
}

// decoded is a decoded chunk, with what is known of the object that it is of.
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

// index is where the chunks of a shard lie.
type index struct {
	codec.ShardIndex
	of      *codec.Plan // of the shard
	version store.Version
}

// forget drops all that is kept of an object.
func (c *Caches) forget(in *object.Source, name string) {
	of := func(at extentID) bool { return at.in == in && at.name == name }
	c.Indexes.DropFunc(func(key any) bool { return of(key.(indexID).at) })
	c.Chunks.DropFunc(func(key any) bool { return of(key.(chunkID).at) })
}

// DropEngine drops what is kept of an engine's arrays.
func (c *Caches) DropEngine(e *Engine) {
	c.Indexes.DropFunc(func(key any) bool { return key.(indexID).array.engine == e })
	c.Chunks.DropFunc(func(key any) bool { return key.(chunkID).array.engine == e })
}

// sizeOf is about how much memory a block takes.
func sizeOf(b ndarray.Block) int64 {
	n := int64(len(b.Data)) + 24*int64(len(b.Items))
	for _, item := range b.Items {
		n += int64(len(item))
	}
	return n
}
