// Package zarr opens Zarr hierarchies, reads arrays, and creates and changes both. It is the one
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
//
// # Writing
//
// A store that is a store.Writer is written to with the codecs of package zarr/codecs/writing, which have encoders:
//
//	h := zarr.New(st, writing.Codecs(), zarr.Options{})
//	arr, err := h.Create(ctx, "temperature", zarr.ArraySpec{Shape: []int64{365, 24}, DType: "int16"})
//	err = arr.Set(ctx, []grid.Item{grid.At(0)}, make([]int16, 24), zarr.WriteOptions{})
//
// [Hierarchy.Create] makes an array, [Array.Set] its elements; what changes a node's metadata, such as [Array.Resize],
// returns the node as it is then. [Copy] and [CopyStore] go between hierarchies, [Hierarchy.Migrate] between versions. The
// names are zarr-python's. A program that only reads links none of it.
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

// Options are the settings of a Hierarchy.
type Options struct {
	// Limits bound what the data can make a reader do; zero fields have defaults.
	Limits codec.Limits
	// IgnoreConsolidated reads every node's own metadata, for hierarchies whose
	// consolidated metadata is out of date.
	IgnoreConsolidated bool
	// Weigh, if set, tells how many bytes an element of a result takes where the result goes, which is counted where it is
	// more than Go's memory for it.
	Weigh func(*dtype.Type) int64
	// Executor decodes chunks; nil decodes where the read runs.
	Executor codec.Executor
	// Cache says how much is kept.
	Cache CacheOptions
	// Requests say how requests are planned.
	Requests RequestOptions
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
	engine *reader.Engine
	codecs *codec.Registry
	opt    Options
	caches *Caches
	source store.Source     // that is of this hierarchy alone, or nil
	nodes  *catalog.Catalog // opens nodes

	mu     sync.Mutex
	writer *writer.Engine // nil before something is written
}

// New returns the hierarchy in a source, where each key is the name of an object. Nothing is read yet.
func New(s store.Source, codecs *codec.Registry, opt Options) *Hierarchy {
	h := Over(store.Plain(s), codecs, opt)
	h.source = s
	return h
}

// Over returns the hierarchy in a store that says where its objects lie. Nothing is read yet.
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
		Make: h.made,
	})
	return h
}

// Close drops what caches that other hierarchies share hold of this one's nodes and, of one that New made, of its source. It can
// still be used, and then keeps things again.
func (h *Hierarchy) Close() {
	if h.source != nil {
		h.engine.Clear()
	}
	h.nodes.Drop()
	h.caches.chunks.DropEngine(h.engine)
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
	// Sparing asks for less at once, for fewer requests: where nothing is known of the hierarchy, a group of v2 that has no
	// consolidated metadata, and an array of v2, then take another round. Of a node of the kind that is not wanted nothing is said.
	Sparing bool
	// Bare does not ask for the attributes of an array of v2, where the kind is given: it may have none then.
	Bare bool
}

// Open opens the node at a path. Errors are [*NotFoundError],
// [*InvalidMetadataError], [*UnsupportedError], [*UnknownCodecError], the
// store's and the context's.
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

// made makes a node of its metadata.
func (h *Hierarchy) made(path string, m *meta.Node) (catalog.Node, error) {
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
