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
	"errors"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
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
	source store.Source               // that is of this hierarchy alone, or nil
	opens  *share.Cache[openID, Node] // keeps nothing: it shares what is under way
	writer *writer.Engine             // nil before something is written

	mu           sync.Mutex
	consolidated map[string]*meta.Consolidated // by the path of the group, and nil of one that was asked for it in vain
	format       int                           // the version of the node that was found last; 0 while none was
	latest       map[versionID]uint64          // the hashes of the documents that were read last
	formats      map[string]int                // by path, what was found where any version was asked for
	absence      int                           // what the host says of what it does not have; 0 while that is not known
	doubted      map[string]bool               // the paths at which no node could be opened
	outdated     bool                          // nodes were written: consolidated metadata is not believed
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
	return &Hierarchy{
		engine: reader.NewEngine(reader.Config{
			Store: st, Limits: opt.Limits, Executor: opt.Executor, Caches: opt.Caches.chunks, Objects: opt.Requests, Observe: opt.Observe,
			Weigh: opt.Weigh,
		}),
		codecs: codecs, opt: opt, caches: opt.Caches,
		opens:        share.New[openID, Node](0),
		consolidated: map[string]*meta.Consolidated{}, doubted: map[string]bool{},
		latest:  map[versionID]uint64{},
		formats: map[string]int{},
	}
}

// Close drops what caches that other hierarchies share hold of this one's nodes and, of one that New made, of its source. It can
// still be used, and then keeps things again.
func (h *Hierarchy) Close() {
	if h.source != nil {
		h.engine.Clear()
	}
	h.caches.nodes.DropFunc(func(key any) bool { return key.(nodeID).h == h })
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

	whole bool // asks for all documents at once, and not for those first that are likely there
	again bool // what came was damaged: past all caches
}

// Open opens the node at a path. Errors are [*NotFoundError],
// [*InvalidMetadataError], [*UnsupportedError], [*UnknownCodecError], the
// store's and the context's.
func (h *Hierarchy) Open(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	n, kept, err := h.node(ctx, path, opt)
	if kept && opt.Kind != "" && opt.Kind != kindOf(n) {
		// What is kept may be another node's documents. Only of those that were just read it is told.
		h.forget(ctx, path, opt.Format)
		h.doubt(path, true)
		n, err = h.load(ctx, path, opt)
	}
	if err != nil {
		return nil, err
	}
	if found := kindOf(n); opt.Kind != "" && opt.Kind != found {
		return nil, &NotFoundError{Path: path, Want: opt.Kind, Found: found}
	}
	return n, nil
}

func kindOf(n Node) string {
	if _, ok := n.(*Array); ok {
		return "array"
	}
	return "group"
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

// node returns the node at a path, and whether it was kept.
func (h *Hierarchy) node(ctx context.Context, path string, opt OpenOptions) (n Node, kept bool, err error) {
	if opt.Fresh {
		h.forget(ctx, path, opt.Format)
		n, err = h.load(ctx, path, opt)
		return n, false, err
	}
	for _, bare := range []bool{false, true} {
		if n, ok := h.known(path, opt.Format, bare); ok && (!bare || opt.Bare) {
			return n, true, nil
		}
	}
	n, err = h.opens.Do(ctx, openID{path, opt}, func(ctx context.Context) (Node, int64, error) {
		n, err := h.load(ctx, path, opt)
		return n, 0, err
	})
	return n, false, err
}

// known returns a node that has been opened, of a version or of any, with its attributes or without.
func (h *Hierarchy) known(path string, format int, bare bool) (Node, bool) {
	if format == 0 {
		h.mu.Lock()
		format = h.formats[path]
		h.mu.Unlock()
	}
	return h.caches.nodes.Get(nodeID{h, path, format, bare})
}

// openID names an opening under way.
type openID struct {
	path string
	opt  OpenOptions
}

// forget drops what is kept of a node's documents.
func (h *Hierarchy) forget(ctx context.Context, path string, format int) {
	for _, name := range append(meta.Documents(format), meta.Documents(1)...) {
		h.engine.Forget(ctx, store.Join(path, name))
	}
}

// load finds a node's metadata and makes the node of it. Documents that cannot be read are forgotten, and asked for once more. After
// any failure that may pass nothing is believed the next time that is kept of them, nor that they are absent.
func (h *Hierarchy) load(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	h.mu.Lock()
	opt.again = h.doubted[path]
	h.mu.Unlock()
	n, err := h.loadOnce(ctx, path, opt)
	var invalid *InvalidMetadataError
	if errors.As(err, &invalid) && !opt.again {
		h.forget(ctx, path, opt.Format)
		opt.again = true
		n, err = h.loadOnce(ctx, path, opt)
	}
	if err != nil {
		var missing *NotFoundError
		if ctx.Err() == nil && !lasting(err) && !(opt.Sparing && errors.As(err, &missing)) { // not all was asked for then
			h.forget(ctx, path, opt.Format)
			h.doubt(path, true)
			h.refresh()
		}
		return nil, err
	}
	h.doubt(path, false)
	m := n.Metadata()
	size := int64(2000)
	for _, d := range m.Documents {
		size += 2 * int64(len(d.Bytes))
	}
	// A node is kept however large its documents are: without, it would be read again and again.
	h.caches.nodes.Put(nodeID{h, path, m.Format, m.Bare}, n, min(size, h.caches.nodes.Budget()/4))
	h.mu.Lock()
	defer h.mu.Unlock()
	if opt.Format == 0 {
		h.formats[path] = m.Format
	}
	h.latest[versionID{path, m.Format, m.Bare}] = n.Hash()
	return n, nil
}

// refresh has a store read again what it keeps to locate keys, as long as no node was found by that: it may be of another hierarchy.
func (h *Hierarchy) refresh() {
	h.mu.Lock()
	found := h.format != 0
	h.mu.Unlock()
	if !found {
		h.engine.Refresh()
	}
}

// lasting tells whether an error is of a document that says what it should say: it would be the same again.
func lasting(err error) bool {
	var (
		unsupported *UnsupportedError
		unknown     *UnknownCodecError
	)
	return errors.As(err, &unsupported) || errors.As(err, &unknown)
}

// mostDoubted is how many paths are remembered at which no node could be opened.
const mostDoubted = 1000

// doubt notes whether what is at a path is to be asked for past all caches the next time.
func (h *Hierarchy) doubt(path string, doubted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if delete(h.doubted, path); doubted {
		if len(h.doubted) >= mostDoubted {
			clear(h.doubted)
		}
		h.doubted[path] = true
	}
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

func (h *Hierarchy) loadOnce(ctx context.Context, path string, opt OpenOptions) (Node, error) {
	var m *meta.Node
	var err error
	if !opt.Fresh && !opt.again {
		m, err = h.lookup(path)
	}
	if err == nil && (m == nil || len(m.Documents) == 0 || opt.Format != 0 && m.Format != opt.Format) {
		m, err = h.find(ctx, path, opt, m)
	}
	if err != nil {
		return nil, err
	}
	return h.made(path, m)
}

// made is the node that metadata tell of.
func (h *Hierarchy) made(path string, m *meta.Node) (Node, error) {
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

// glance returns the node that consolidated metadata tell of, nil where they tell of none. Nothing is asked for, and one that is not
// kept already is not kept.
func (h *Hierarchy) glance(path string) (Node, error) {
	if n, ok := h.known(path, 0, false); ok {
		return n, nil
	}
	m, err := h.lookup(path)
	if err != nil || m == nil || len(m.Documents) == 0 {
		return nil, err
	}
	return h.made(path, m)
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
				return nil, reader.MetadataError(path, err)
			}
			if m != nil {
				return m, nil
			}
		}
	}
	return nil, nil
}
