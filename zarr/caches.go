package zarr

import (
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// CacheOptions holds the budgets of caches, in bytes. Zero fields have defaults; negative ones
// disable a cache. If hierarchies share Caches, the budgets of those apply.
type CacheOptions struct {
	Metadata int64 // opened nodes; default 64 MiB
	Indexes  int64 // of shards; default 32 MiB
	Encoded  int64 // responses of the sources; default 64 MiB
	Decoded  int64 // chunks; default 128 MiB
}

// RequestOptions control the planning of requests. Zero fields have defaults.
type RequestOptions = object.Options

// withDefaults returns the options with every zero field set to its default.
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
	return o
}

// Caches holds the caches that several hierarchies share. Each kind of entry has one budget.
type Caches struct {
	nodes  *catalog.Nodes
	chunks *reader.Caches
}

// NewCaches returns empty caches.
func NewCaches(opt CacheOptions) *Caches {
	opt = opt.withDefaults()
	return &Caches{nodes: catalog.NewNodes(opt.Metadata), chunks: reader.NewCaches(opt.Indexes, opt.Decoded, opt.Encoded)}
}

// Layer returns the object layer, which caches the responses of the sources.
func (c *Caches) Layer() *object.Layer { return c.chunks.Layer }

// Resize changes the budgets that are not zero; negative ones disable a cache.
func (c *Caches) Resize(opt CacheOptions) {
	if opt.Metadata != 0 {
		c.nodes.Resize(opt.Metadata)
	}
	if opt.Indexes != 0 {
		c.chunks.Indexes.Resize(opt.Indexes)
	}
	if opt.Encoded != 0 {
		c.chunks.Layer.Resize(opt.Encoded)
	}
	if opt.Decoded != 0 {
		if opt.Decoded < c.chunks.Chunks.Budget() {
			c.chunks.Outdate() // copies are to be dropped too
		}
		c.chunks.Chunks.Resize(opt.Decoded)
	}
}

// Generation counts the events that may have outdated decoded chunks. A copy of
// [Result.Chunks] stays valid while the number stays the same.
func (c *Caches) Generation() int64 { return c.chunks.Generation() }

// CachesStats counts the activity of [Caches], and their contents.
type CachesStats struct {
	Metadata CacheStats
	Indexes  CacheStats
	Encoded  CacheStats
	Decoded  CacheStats // a miss is a chunk that was decoded
}

// Stats returns the activity of the caches so far.
func (c *Caches) Stats() CachesStats {
	return CachesStats{
		Metadata: c.nodes.Stats(), Indexes: c.chunks.Indexes.Stats(), Encoded: c.chunks.Layer.Stats(), Decoded: c.chunks.Chunks.Stats(),
	}
}

// CacheStats counts the activity of one cache, and its contents.
type CacheStats = share.Stats

// Stats counts the activity of a hierarchy's caches, and their contents.
type Stats struct {
	Store   object.Stats // requests, and the bytes received
	Nodes   CacheStats
	Indexes CacheStats
	Chunks  CacheStats // decoded ones: a miss is a chunk that was decoded
}

// Stats returns the activity of the hierarchy's caches so far, including other hierarchies that
// share them. Store counts only this hierarchy, and only if its store is a source.
func (h *Hierarchy) Stats() Stats {
	all := h.caches.Stats()
	return Stats{Store: h.engine.Stats(), Nodes: all.Metadata, Indexes: all.Indexes, Chunks: all.Decoded}
}
