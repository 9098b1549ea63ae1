package zarr

import (
	"context"
	"time"

	"zarr-wasm/internal/share"
	"zarr-wasm/store"
	"zarr-wasm/store/cache"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/ndarray"
)

// CacheOptions say how much a hierarchy keeps, and how it plans requests. Sizes are in
// bytes; zero fields have defaults, negative ones mean none. Where hierarchies share Caches, those
// have the budgets.
type CacheOptions struct {
	Metadata int64 // opened nodes; default 64 MiB
	Indexes  int64 // of shards; default 32 MiB
	Encoded  int64 // what the store sent; default 64 MiB
	Decoded  int64 // chunks; default 128 MiB
	// Absent is how long an object that was absent is not asked for again; default 30 seconds.
	Absent time.Duration
	// Gap is how many bytes that nobody wants may lie between two ranges that are read by one
	// request. By default it is half of what comes in the time that an answer takes to
	// begin, as measured: at least 32 KiB, at most Spare.
	Gap int64
	// Spare is how many such bytes may be read to save a round trip, or to make two requests of
	// many. By default it is what comes in the time that an answer takes to begin: at least 512
	// KiB, at most 4 MiB.
	Spare int64
	// Memory says that the store's bytes are in memory already, and need not be kept again.
	Memory bool
	// Request is the size that a request may have for the sake of another one saved; default 16 MiB.
	Request int64
}

func (o CacheOptions) withDefaults() CacheOptions {
	set := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.Metadata, 64<<20)
	set(&o.Indexes, 32<<20)
	set(&o.Encoded, 64<<20)
	set(&o.Decoded, 128<<20)
	set(&o.Request, 16<<20)
	return o
}

// Caches is what several hierarchies keep together, within one budget for each kind of thing.
type Caches struct {
	nodes   *share.Cache[nodeID, Node]
	indexes *share.Cache[indexID, *index]
	blocks  *share.Cache[blockID, ndarray.Block]
	encoded *cache.Pool
}

// NewCaches returns empty caches. Of the options only the budgets count.
func NewCaches(opt CacheOptions) *Caches {
	opt = opt.withDefaults()
	return &Caches{
		nodes:   share.New[nodeID, Node](opt.Metadata),
		indexes: share.New[indexID, *index](opt.Indexes),
		blocks:  share.New[blockID, ndarray.Block](opt.Decoded),
		encoded: cache.NewPool(opt.Encoded),
	}
}

// Resize changes the budgets that are not zero; negative ones mean none.
func (c *Caches) Resize(opt CacheOptions) {
	if opt.Metadata != 0 {
		c.nodes.Resize(opt.Metadata)
	}
	if opt.Indexes != 0 {
		c.indexes.Resize(opt.Indexes)
	}
	if opt.Encoded != 0 {
		c.encoded.Resize(opt.Encoded)
	}
	if opt.Decoded != 0 {
		c.blocks.Resize(opt.Decoded)
	}
}

// CachesStats says what [Caches] have done so far, and what they hold.
type CachesStats struct {
	Metadata CacheStats
	Indexes  CacheStats
	Encoded  CacheStats
	Decoded  CacheStats // a miss is a chunk that was decoded
}

// Stats returns what the caches have done so far.
func (c *Caches) Stats() CachesStats {
	return CachesStats{Metadata: c.nodes.Stats(), Indexes: c.indexes.Stats(), Encoded: c.encoded.Stats(), Decoded: c.blocks.Stats()}
}

// CacheStats says what one cache has done so far, and what it holds.
type CacheStats = share.Stats

// Stats says what a hierarchy's caches have done so far, and what they hold.
type Stats struct {
	Store   cache.Stats // requests, and the bytes that they brought
	Nodes   CacheStats
	Indexes CacheStats
	Chunks  CacheStats // decoded ones: a miss is a chunk that was decoded
}

// Stats returns what the hierarchy's caches have done so far, those of all that share Caches where they do; Store
// is always of this one.
func (h *Hierarchy) Stats() Stats {
	return Stats{Store: h.store.Stats(), Nodes: h.nodes.Stats(), Indexes: h.indexes.Stats(), Chunks: h.blocks.Stats()}
}

// nodeID names a node that was opened.
type nodeID struct {
	h    *Hierarchy
	path string
}

// blockID names a decoded chunk. An inner chunk is one of what an index told: with a
// new index it is another.
type blockID struct {
	array *Array
	key   string
	base  int64
	index *index
}

// indexID names the index of a shard, or of a shard in a shard.
type indexID struct {
	array *Array
	key   string
	base  int64
	outer *index
}

// index is where the chunks of a shard lie.
type index struct {
	codec.Index
	holder *codec.Plan
	of     store.Part // what was known of the object; without bytes
}

// sizeOf is about how much memory a block takes.
func sizeOf(b ndarray.Block) int64 {
	n := int64(len(b.Data)) + 24*int64(len(b.Items))
	for _, item := range b.Items {
		n += int64(len(item))
	}
	return n
}

// env returns an Env for the decoding of a chunk that may outlive its reader; it
// goes back by release.
func (h *Hierarchy) env(ctx context.Context) *codec.Env {
	if e, ok := h.envs.Get().(*codec.Env); ok {
		e.Ctx = ctx
		return e
	}
	return codec.NewEnv(ctx, h.opt.Limits)
}

func (h *Hierarchy) release(e *codec.Env) {
	e.Ctx = context.Background()
	h.envs.Put(e)
}
