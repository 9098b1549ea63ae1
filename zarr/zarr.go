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
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"zarr-wasm/internal/json"
	"zarr-wasm/internal/share"
	"zarr-wasm/store"
	"zarr-wasm/store/cache"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/dtype"
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
	consolidated map[string]*meta.Consolidated // by the path of the group that has it
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.Consolidated != nil {
		h.consolidated[path] = m.Consolidated
	}
	return n, nil
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

// find asks the store for a node that no known metadata describes, or only
// implies. Where a node has no documents of its own, the root may still have
// consolidated metadata that describe it.
func (h *Hierarchy) find(ctx context.Context, path string, opt OpenOptions, implied *meta.Node) (*meta.Node, error) {
	m, err := h.probe(ctx, path, opt)
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		return m, err
	}
	if implied != nil && (opt.Format == 0 || opt.Format == implied.Format) {
		return implied, nil
	}
	_, known := h.nodes.Get(nodeID{h, ""})
	if path == "" || known || h.opt.IgnoreConsolidated || opt.Fresh {
		return nil, err
	}
	if _, rootErr := h.node(ctx, "", OpenOptions{}); rootErr != nil {
		if canceled(rootErr) {
			return nil, rootErr
		}
		return nil, err
	}
	m, lookupErr := h.lookup(path)
	if lookupErr != nil {
		return nil, lookupErr
	}
	if m == nil || opt.Format != 0 && opt.Format != m.Format {
		return nil, err
	}
	return m, nil
}

// probe asks the store for all documents that may describe the node, at once.
func (h *Hierarchy) probe(ctx context.Context, path string, opt OpenOptions) (*meta.Node, error) {
	names := meta.Documents(opt.Format)
	docs, err := h.documents(ctx, path, names)
	if err != nil {
		return nil, err
	}
	m, err := h.parse(path, docs)
	if err != nil {
		return nil, err
	}
	if m == nil && opt.Format == 0 {
		// Version 1 is rare: only who has nothing else is asked for it.
		v1 := meta.Documents(1)
		names = append(slices.Clone(names), v1...)
		if docs, err = h.documents(ctx, path, v1); err != nil {
			return nil, err
		}
		if m, err = h.parse(path, docs); err != nil {
			return nil, err
		}
	}
	if m == nil {
		want := opt.Kind
		if want == "" {
			want = "node"
		}
		return nil, &NotFoundError{Path: path, Want: want, Tried: names}
	}
	return m, nil
}

func (h *Hierarchy) parse(path string, docs []meta.Document) (*meta.Node, error) {
	lim := h.opt.Limits
	m, err := meta.Parse(docs, meta.Options{
		Limits:             json.Limits{Depth: lim.MetadataDepth},
		DocumentBytes:      int(lim.MetadataBytes),
		ConsolidatedBytes:  int(lim.ConsolidatedBytes),
		MaxRank:            lim.Rank,
		Type:               dtype.Limits{ItemBytes: lim.ItemBytes},
		IgnoreConsolidated: h.opt.IgnoreConsolidated,
	})
	if err != nil {
		return nil, metadataError(path, err)
	}
	return m, nil
}

// documents asks for the documents in parallel and returns those that are
// there. A zarr.json decides alone: the others are then not waited for.
func (h *Hierarchy) documents(ctx context.Context, path string, names []string) ([]meta.Document, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		i    int
		data []byte
		err  error
	}
	answers := make(chan answer, len(names))
	for i, name := range names {
		go func() {
			data, err := h.store.Get(ctx, store.Join(path, name))
			answers <- answer{i, data, err}
		}()
	}
	got := make([]answer, len(names))
	for range names {
		a := <-answers
		if got[a.i] = a; a.err == nil && names[a.i] == "zarr.json" {
			return []meta.Document{{Name: names[a.i], Bytes: a.data}}, nil
		}
	}
	var docs []meta.Document
	var failed error
	for i, a := range got {
		switch {
		case a.err == nil:
			docs = append(docs, meta.Document{Name: names[i], Bytes: a.data})
		case errors.Is(a.err, fs.ErrNotExist):
		case failed == nil || store.MaybeMissing(failed):
			failed = a.err
		}
	}
	// Some servers answer "forbidden", or with a web page, for what is missing. A
	// document that could be read proves that this is meant.
	if failed != nil && !(len(docs) > 0 && store.MaybeMissing(failed)) {
		return nil, failed
	}
	return docs, nil
}
