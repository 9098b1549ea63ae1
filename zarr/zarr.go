// Package zarr opens Zarr hierarchies and reads arrays. It is the one
// orchestrator: metadata, grids, codecs and stores meet here and nowhere else.
//
//	h := zarr.New(st, codecs.Default(), zarr.Options{})
//	arr, err := h.OpenArray(ctx, "temperature")
//	res, err := arr.Read(ctx, []grid.Item{grid.At(0)}, zarr.ReadOptions{})
//
// A [Hierarchy] is a store with what is known of it; [Hierarchy.Open] finds a node
// of Zarr v1, v2 or v3, from consolidated metadata where a group above has
// them. [Array.Read] turns a selection into one block of memory in C order,
// elements packed and little-endian (see package dtype).
//
// A chunk that does not exist is the fill value. Anything else that fails is an
// error of one of this package's types, of the store's, or a *codec.LimitError.
package zarr

import (
	"context"
	"strings"
	"sync"

	"zarr-wasm/internal/share"
	"zarr-wasm/store"
	"zarr-wasm/store/cache"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/meta"
	"zarr-wasm/zarr/ndarray"
)

// Options are the settings of a Hierarchy.
type Options struct {
	// Limits bound what the data can make a reader do; zero fields have defaults.
	Limits codec.Limits
	// IgnoreConsolidated reads every node's own metadata, for hierarchies whose
	// consolidated metadata is out of date.
	IgnoreConsolidated bool
	// Executor decodes chunks; nil decodes where the read runs.
	Executor codec.Executor
	// Cache says how much is kept, and how requests are planned.
	Cache CacheOptions
	// Caches is what hierarchies share that keep no more than its budgets together; nil for caches of this one
	// alone.
	Caches *Caches
	// Observe, if set, is told of every request and of every read that needed
	// none. It is called from any goroutine, and must not block.
	Observe store.Observer
}

// Hierarchy is a store with what is known of it: the nodes that were opened and
// the consolidated metadata that came with them. It is safe for concurrent use.
type Hierarchy struct {
	origin store.Store // as it was given
	ranges bool        // it can read parts of objects
	store  *cache.Store
	codecs *codec.Registry
	opt    Options
	gate   *gate

	nodes   *share.Cache[nodeID, Node]
	opens   *share.Cache[openID, Node] // keeps nothing: it shares what is under way
	indexes *share.Cache[indexID, *index]
	blocks  *share.Cache[blockID, ndarray.Block]
	envs    sync.Pool // of *codec.Env

	mu           sync.Mutex
	consolidated map[string]*meta.Consolidated // by the path of the group, and nil of one that was asked for it in vain
	format       int                           // the version of the node that was found last; 0 while none was
}

// New returns the hierarchy of a store. Nothing is read yet.
func New(st store.Store, codecs *codec.Registry, opt Options) *Hierarchy {
	opt.Limits = opt.Limits.WithDefaults()
	opt.Cache = opt.Cache.withDefaults()
	if opt.Executor == nil {
		opt.Executor = codec.InPlace()
	}
	c := opt.Cache
	if opt.Caches == nil {
		opt.Caches = NewCaches(c)
	}
	all := opt.Caches
	_, ranges := st.(store.RangeReader)
	return &Hierarchy{
		origin: st, ranges: ranges, codecs: codecs, opt: opt, gate: newGate(opt.Limits.Requests),
		store: cache.New(st, cache.Options{
			Pool: all.encoded, Absent: c.Absent, Gap: c.Gap, Spare: c.Spare, Request: c.Request, Observe: opt.Observe, Memory: c.Memory,
		}),
		nodes:        all.nodes,
		opens:        share.New[openID, Node](0),
		indexes:      all.indexes,
		blocks:       all.blocks,
		consolidated: map[string]*meta.Consolidated{},
	}
}

// Store is the store that the hierarchy was made of.
func (h *Hierarchy) Store() store.Store { return h.origin }

// Close drops what caches that other hierarchies share hold of this one. It can still be used, and then
// keeps things again.
func (h *Hierarchy) Close() {
	h.store.Clear()
	mine := func(key any) bool {
		switch id := key.(type) {
		case nodeID:
			return id.h == h
		case indexID:
			return id.array.h == h
		case blockID:
			return id.array.h == h
		}
		return false
	}
	h.nodes.DropFunc(mine)
	h.indexes.DropFunc(mine)
	h.blocks.DropFunc(mine)
}

// Node is a *Group or an *Array.
type Node interface {
	// Path is the node's path in its hierarchy, "" for the root.
	Path() string
	// Metadata is the node's metadata.
	Metadata() *meta.Node
}

// OpenOptions say what is expected of a node.
type OpenOptions struct {
	// Kind is "array", "group", or "" for either.
	Kind string
	// Format is 1, 2 or 3, or 0 for any.
	Format int
	// Fresh asks the store for the node's own documents, whatever consolidated
	// metadata or an earlier Open says.
	Fresh bool

	whole bool // asks for all documents at once, and not for those first that are likely there
}

// Open opens the node at a path. Errors are [*NotFoundError],
// [*InvalidMetadataError], [*UnsupportedError], [*UnknownCodecError], the
// store's and the context's.
func (h *Hierarchy) Open(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	n, err := h.node(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	found := "group"
	if _, ok := n.(*Array); ok {
		found = "array"
	}
	if opt.Kind != "" && opt.Kind != found {
		return nil, &NotFoundError{Path: path, Want: opt.Kind, Found: found}
	}
	return n, nil
}

// OpenArray opens an array of any version.
func (h *Hierarchy) OpenArray(ctx context.Context, path string) (*Array, error) {
	n, err := h.Open(ctx, path, OpenOptions{Kind: "array"})
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens a group of any version.
func (h *Hierarchy) OpenGroup(ctx context.Context, path string) (*Group, error) {
	n, err := h.Open(ctx, path, OpenOptions{Kind: "group"})
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// cleanPath normalises a path as the v2 specification says and refuses what
// could leave the hierarchy.
func cleanPath(path string) (string, error) {
	segs := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for _, s := range segs {
		if s == "." || s == ".." {
			return "", &NotFoundError{Path: path, Want: "node"}
		}
	}
	return strings.Join(segs, "/"), nil
}

func (h *Hierarchy) node(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	if opt.Fresh {
		for _, name := range append(meta.Documents(opt.Format), meta.Documents(1)...) {
			h.store.Forget(store.Join(path, name))
		}
		return h.load(ctx, path, opt)
	}
	if n, ok := h.nodes.Get(nodeID{h, path}); ok && (opt.Format == 0 || n.Metadata().Format == opt.Format) {
		return n, nil
	}
	return h.opens.Do(ctx, openID{path, opt}, func(ctx context.Context) (Node, int64, error) {
		n, err := h.load(ctx, path, opt)
		return n, 0, err
	})
}

// openID names an opening under way.
type openID struct {
	path string
	opt  OpenOptions
}

// load finds a node's metadata and makes the node of it.
func (h *Hierarchy) load(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	var n Node
	var m *meta.Node
	var err error
	if !opt.Fresh {
		m, err = h.lookup(path)
	}
	if err == nil && (m == nil || len(m.Documents) == 0 || opt.Format != 0 && m.Format != opt.Format) {
		m, err = h.find(ctx, path, opt, m)
	}
	if err != nil {
		return nil, err
	}
	if m.Array == nil {
		n = &Group{h: h, path: path, meta: m}
	} else if n, err = h.newArray(path, m); err != nil {
		return nil, err
	}
	size := int64(2000)
	for _, d := range m.Documents {
		size += 2 * int64(len(d.Bytes))
	}
	// A node is kept however large its documents are: without, it would be read again and again.
	h.nodes.Put(nodeID{h, path}, n, min(size, h.nodes.Budget()/4))
	return n, nil
}

// above returns the consolidated metadata of the nearest group at or above a path that was asked for them, nil if
// it has none, and whether there is such a group. It is called with the lock held.
func (h *Hierarchy) above(path string) (c *meta.Consolidated, known bool) {
	for at := path; ; {
		if c, known = h.consolidated[at]; known || at == "" {
			return c, known
		}
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
	}
}

// lookup finds a node in the consolidated metadata of the nearest group above.
// A node that is not listed there may still exist: consolidated metadata may be
// older than the hierarchy.
func (h *Hierarchy) lookup(path string) (*meta.Node, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for at := path; at != ""; {
		i := strings.LastIndexByte(at, '/')
		at = at[:max(i, 0)]
		if c := h.consolidated[at]; c != nil {
			m, err := c.Node(strings.TrimPrefix(path[len(at):], "/"))
			if err != nil {
				return nil, metadataError(path, err)
			}
			if m != nil {
				return m, nil
			}
		}
	}
	return nil, nil
}
