package zarr

import (
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// CacheOptions say how much is kept. Sizes are in bytes; zero fields have defaults, negative ones mean none. Where
// hierarchies share Caches, those have the budgets.
type CacheOptions struct {
	Metadata int64 // opened nodes; default 64 MiB
	Indexes  int64 // of shards; default 32 MiB
	Encoded  int64 // what the sources sent; default 64 MiB
	Decoded  int64 // chunks; default 128 MiB
}

// RequestOptions say how requests are planned. Zero fields have defaults.
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

// Caches is what several hierarchies keep together, within one budget for each kind of thing.
type Caches struct {
	nodes  *catalog.Nodes
	chunks *reader.Caches
}

// NewCaches returns empty caches.
func NewCaches(opt CacheOptions) *Caches {
	opt = opt.withDefaults()
	return &Caches{nodes: catalog.NewNodes(opt.Metadata), chunks: reader.NewCaches(opt.Indexes, opt.Decoded, opt.Encoded)}
}

// Layer is the object layer, which keeps what the sources sent.
func (c *Caches) Layer() *object.Layer { return c.chunks.Layer }

// Resize changes the budgets that are not zero; negative ones mean none.
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
		c.chunks.Chunks.Resize(opt.Decoded)
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
	return CachesStats{
		Metadata: c.nodes.Stats(), Indexes: c.chunks.Indexes.Stats(), Encoded: c.chunks.Layer.Stats(), Decoded: c.chunks.Chunks.Stats(),
	}
}

// CacheStats says what one cache has done so far, and what it holds.
type CacheStats = share.Stats

// Stats says what a hierarchy's caches have done so far, and what they hold.
type Stats struct {
	Store   object.Stats // requests, and the bytes that they brought
	Nodes   CacheStats
	Indexes CacheStats
	Chunks  CacheStats // decoded ones: a miss is a chunk that was decoded
}

// Stats returns what the hierarchy's caches have done so far, those of all that share Caches where they do; Store
// is of this one, where its store is a source.
func (h *Hierarchy) Stats() Stats {
	all := h.caches.Stats()
	return Stats{Store: h.engine.Stats(), Nodes: all.Metadata, Indexes: all.Indexes, Chunks: all.Decoded}
}
