// Package zarr opens Zarr hierarchies, reads arrays, and creates and changes both. It is the only
// package that combines metadata, grids, codecs and stores.
//
//	h := zarr.New(st, codecs.Default(), zarr.Options{})
//	arr, err := h.OpenArray(ctx, "temperature")
//	res, err := arr.Read(ctx, []grid.Item{grid.At(0)}, zarr.ReadOptions{})
//
// A [Hierarchy] is a store with the knowledge about its nodes. [Hierarchy.Open] opens a node of
// Zarr v1, v2 or v3, by consolidated metadata if a group above has it. [Array.Read] reads a
// selection into one block of memory in C order, with packed little-endian elements (see package
// dtype).
//
// An absent chunk reads as the fill value. Any other failure is an error of one of this package's
// types, of the store's, or a *codec.LimitError.
//
// # Writing
//
// To write, use a store that is a store.Writer and the codecs of package zarr/codecs/writing, which
// have encoders:
//
//	h := zarr.New(st, writing.Codecs(), zarr.Options{})
//	arr, err := h.Create(ctx, "temperature", zarr.ArraySpec{Shape: []int64{365, 24}, DType: "int16"})
//	err = arr.Set(ctx, []grid.Item{grid.At(0)}, make([]int16, 24), zarr.WriteOptions{})
//
// [Hierarchy.Create] makes an array, and [Array.Set] writes its elements. Functions that change a
// node's metadata, such as [Array.Resize], return the new node. [Copy] and [CopyStore] copy between
// hierarchies, and [Hierarchy.Migrate] converts between versions. The names are zarr-python's. A
// program that only reads links none of it.
package zarr

import (
	"context"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Options configure a Hierarchy.
type Options struct {
	// Limits bound the resources that the data can consume; zero fields have defaults.
	Limits codec.Limits
	// IgnoreConsolidated reads every node's own metadata, for hierarchies with outdated
	// consolidated metadata.
	IgnoreConsolidated bool
	// Weigh, if set, returns the bytes that an element takes in the memory of the result. It counts
	// if it exceeds the size in Go's memory.
	Weigh func(*dtype.Type) int64
	// Executor decodes chunks. If nil, chunks are decoded in the read's goroutines.
	Executor codec.Executor
	// Cache holds the cache budgets.
	Cache CacheOptions
	// Requests control the planning of requests.
	Requests RequestOptions
	// Caches is shared by several hierarchies, within common budgets. If nil, this hierarchy has
	// its own.
	Caches *Caches
	// Observe, if set, receives every request, and every read that needed none. Any goroutine may
	// call it, and it must not block.
	Observe store.Observer
}

// Hierarchy is a store with the knowledge about it: the opened nodes and their consolidated
// metadata. It is safe for concurrent use.
type Hierarchy struct {
	engine *reader.Engine
	codecs *codec.Registry
	opt    Options
	caches *Caches
	source store.Source     // the source, if it belongs to this hierarchy alone
	nodes  *catalog.Catalog // opens nodes

	mu     sync.Mutex
	writer *writer.Engine // nil before the first write
}

// New returns the hierarchy in a source, in which each key is the name of an object. It reads
// nothing yet.
func New(s store.Source, codecs *codec.Registry, opt Options) *Hierarchy {
	h := Over(store.Plain(s), codecs, opt)
	h.source = s
	return h
}

// Over returns the hierarchy in a store that locates its objects. It reads nothing yet.
func Over(st store.Locator, codecs *codec.Registry, opt Options) *Hierarchy {
	opt.Limits = opt.Limits.WithDefaults()
	opt.Requests = opt.Requests.WithDefaults()
	if opt.Executor == nil {
		opt.Executor = codec.InPlace()
	}
	if opt.Caches == nil {
		opt.Caches = NewCaches(opt.Cache)
	}
	h := &Hierarchy{codecs: codecs, opt: opt, caches: opt.Caches}
	h.engine = reader.NewEngine(reader.Config{
		Store: st, Limits: opt.Limits, Executor: opt.Executor, Caches: opt.Caches.chunks, Objects: opt.Requests, Observe: opt.Observe,
		Weigh: opt.Weigh,
	})
	h.nodes = catalog.New(catalog.Config{
		Engine: h.engine, Limits: opt.Limits, IgnoreConsolidated: opt.IgnoreConsolidated, Observe: opt.Observe, Nodes: opt.Caches.nodes,
		Make: h.newNode,
	})
	return h
}

// Close drops this hierarchy's nodes from shared caches, and also its source if New made the
// hierarchy. The hierarchy stays usable, and then caches again.
func (h *Hierarchy) Close() {
	if h.source != nil {
		h.engine.Clear()
	}
	h.nodes.Drop()
	h.caches.chunks.DropEngine(h.engine)
}

// OpenOptions state which node an open expects, and how to fetch it.
type OpenOptions struct {
	// Kind is "array", "group", or "" for either.
	Kind string
	// Format is 1, 2 or 3, or 0 for any.
	Format int
	// Fresh requests the node's own documents, whatever consolidated metadata or an earlier Open
	// returned.
	Fresh bool
	// Sparing sends fewer requests at once. Without knowledge of the hierarchy, some nodes then
	// need another round: a v2 group without consolidated metadata, and a v2 array. It does not
	// report a node of the other kind.
	Sparing bool
	// Bare does not request the attributes of a v2 array if Kind is given; it may lack them.
	Bare bool
}

// Open opens the node at a path. Errors are [*NotFoundError], [*InvalidMetadataError],
// [*UnsupportedError], [*UnknownCodecError], the store's and the context's.
func (h *Hierarchy) Open(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	return h.open(ctx, path, catalog.Options{Kind: opt.Kind, Format: opt.Format, Fresh: opt.Fresh, Sparing: opt.Sparing, Bare: opt.Bare})
}

func (h *Hierarchy) open(ctx context.Context, path string, opt catalog.Options) (Node, error) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	n, err := h.nodes.Open(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return n.(Node), nil
}

// Known opens the node at a path without a request: it is cached, or described by consolidated
// metadata of a group that was opened. Otherwise, or for invalid metadata, it reports false.
func (h *Hierarchy) Known(path string) (Node, bool) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, false
	}
	n, ok := h.nodes.Known(path)
	if !ok {
		return nil, false
	}
	return n.(Node), true
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

// cleanPath normalises a path by the v2 specification, and rejects paths that could leave the
// hierarchy.
func cleanPath(path string) (string, error) {
	segs := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for _, s := range segs {
		if s == "." || s == ".." {
			return "", &NotFoundError{Path: path, Want: "node"}
		}
	}
	return strings.Join(segs, "/"), nil
}

// newNode returns the node of its metadata.
func (h *Hierarchy) newNode(path string, m *meta.Node) (catalog.Node, error) {
	base := node{h, path, m, m.Hash()}
	if m.Array == nil {
		return &Group{base}, nil
	}
	a, err := h.engine.NewArray(path, m, h.codecs)
	if err != nil {
		return nil, err
	}
	return &Array{base, m.Array, a}, nil
}
