// Package catalog opens nodes: it finds the documents of a path and turns them into metadata.
//
// A [Catalog] belongs to one hierarchy. An open takes these steps. Each runs once, or twice when
// the first answers cannot be right.
//
//   - look: returns the known state of the path (knowledge.go). A cached node, or one that
//     consolidated metadata describes, needs no request.
//   - fetch: requests the documents, likely ones first (fetch.go).
//   - decide: makes a node of the documents. Without documents, the path may be a group that
//     consolidated metadata implies. Otherwise the catalog opens the root, which may describe the
//     path, or finds a container there (container.go).
//   - note: moves the path to its next state.
package catalog

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Node is the catalog's result for a node's metadata.
type Node interface {
	Metadata() *meta.Node
	// Hash returns a hash of the node's documents (see [meta.Node.Hash]).
	Hash() uint64
}

// Config configures a catalog.
type Config struct {
	Engine *reader.Engine // reads the documents
	Limits limits.Limits  // with defaults
	// IgnoreConsolidated ignores consolidated metadata: only the nodes' own documents count.
	IgnoreConsolidated bool
	Observe            store.Observer
	Nodes              *Nodes // caches nodes, also those of other catalogs
	// Make makes a node of metadata.
	Make func(path string, m *meta.Node) (Node, error)
}

// Catalog opens the nodes of one hierarchy. It is safe for concurrent use.
type Catalog struct {
	Config
	known *knowledge
	opens *share.Cache[openID, Node] // stores nothing: it shares opens under way
}

// New returns the catalog of a hierarchy, with no knowledge of its paths.
func New(c Config) *Catalog {
	return &Catalog{c, &knowledge{nodes: c.Nodes, paths: map[string]*record{}}, share.New[openID, Node](0)}
}

// Options state which node an open expects, and how to fetch it.
type Options struct {
	// Kind is "array", "group", or "" for either.
	Kind string
	// Format is 1, 2 or 3, or 0 for any.
	Format int
	// Fresh requests the node's own documents and ignores all knowledge of the path.
	Fresh bool
	// Sparing sends fewer requests at once. Some nodes then need another round, and a node of the
	// other kind is not reported.
	Sparing bool
	// Bare does not request the attributes of a v2 array, when Kind is given.
	Bare bool
	// Whole requests all documents that the node may have at once, and ignores the cache.
	Whole bool
}

// openID names an open under way.
type openID struct {
	path string
	opt  Options
}

// Open opens the node at a path. Errors are [*NotFoundError], those of packages reader and store,
// and the context's.
func (c *Catalog) Open(ctx context.Context, path string, opt Options) (n Node, err error) {
	var kept, wrong bool
	if !opt.Fresh && !opt.Whole {
		n, kept = c.known.kept(path, opt.Format, opt.Bare)
	}
	if wrong = kept && opt.Kind != "" && opt.Kind != KindOf(n); wrong {
		// The cached documents may belong to a replaced node. The error must describe the current
		// ones.
		c.known.failed(path, failed)
	}
	switch {
	case kept && !wrong:
		return n, nil
	case opt.Fresh || wrong:
		c.forget(ctx, path, opt.Format)
		n, err = c.open(ctx, path, opt)
	default:
		n, err = c.opens.Do(ctx, openID{path, opt}, func(ctx context.Context) (Node, int64, error) {
			n, err := c.open(ctx, path, opt)
			return n, 0, err
		})
	}
	if err != nil {
		return nil, err
	}
	if found := KindOf(n); opt.Kind != "" && opt.Kind != found {
		return nil, &NotFoundError{Path: path, Want: opt.Kind, Found: found}
	}
	return n, nil
}

// KindOf returns "array" or "group".
func KindOf(n Node) string {
	if n.Metadata().Array != nil {
		return "array"
	}
	return "group"
}

// opening is one open under way.
type opening struct {
	*Catalog
	path string
	opt  Options

	view      // at the start of the open
	past bool // bypasses all caches
}

// open takes the steps of an open and notes the outcome. It requests unreadable documents once
// more, past all caches.
func (c *Catalog) open(ctx context.Context, path string, opt Options) (Node, error) {
	o := &opening{Catalog: c, path: path, opt: opt, view: c.known.look(path)}
	o.past = !o.state.trusted()
	n, err := o.run(ctx)
	var invalid *reader.InvalidMetadataError
	if errtype.As(err, &invalid) && invalid.Path == path && !o.past {
		c.forget(ctx, path, opt.Format)
		// Requests of the first run may still end in the background, and read its opening.
		again := *o
		again.past = true
		n, err = again.run(ctx)
	}
	if err == nil {
		c.opened(path, n, opt.Format == 0, o.since)
		return n, nil
	}
	outcome := failed
	var missing *NotFoundError
	if errtype.As(err, &missing) {
		outcome = missed
	}
	// A sparing open has not requested everything.
	if ctx.Err() == nil && !IsPermanent(err) && !(opt.Sparing && outcome == missed) {
		c.forget(ctx, path, opt.Format)
		c.known.failed(path, outcome)
		if !c.known.nodeFound() {
			c.Engine.Refresh() // its cached key tables may belong to another hierarchy
		}
	}
	return nil, err
}

// opened notes the node that an open found. If it has replaced another one, cached chunks are
// outdated.
func (c *Catalog) opened(path string, n Node, anyVersion bool, since uint64) {
	if c.known.opened(path, n, anyVersion, since) {
		c.Engine.Outdate()
	}
}

// run fetches documents that no consolidated metadata holds, and decides.
func (o *opening) run(ctx context.Context) (Node, error) {
	if o.past || o.opt.Fresh {
		o.described, o.err = nil, nil
	}
	if o.err != nil {
		return nil, o.err
	}
	if o.described != nil && len(o.described.Documents) > 0 && o.expects(o.described) {
		return o.Make(o.path, o.described)
	}
	// Checked before the fetch: another open may cache the root meanwhile, and its metadata was not
	// searched.
	_, rootKept := o.known.kept("", 0, false)
	m, err := o.fetch(ctx, o.described == nil)
	var missing *NotFoundError
	if errtype.As(err, &missing) || store.MaybeMissing(err) {
		m, err = o.decide(ctx, err, rootKept)
	}
	if err != nil {
		return nil, err
	}
	return o.Make(o.path, m)
}

// expects reports whether a node has the version that the open requests.
func (o *opening) expects(m *meta.Node) bool { return o.opt.Format == 0 || o.opt.Format == m.Format }

// decide returns the node at a path without documents, if consolidated metadata describes or
// implies it. Otherwise it opens the root, which may hold such metadata. Failing that, it returns
// absent, or an error that names the container there.
func (o *opening) decide(ctx context.Context, absent error, rootKept bool) (*meta.Node, error) {
	for looked := rootKept || o.path == ""; !o.opt.Fresh; looked = true {
		m, err := o.known.described(o.path)
		if err != nil || m != nil && o.expects(m) {
			return m, err
		}
		if looked || o.IgnoreConsolidated {
			break
		}
		if _, err := o.Open(ctx, "", Options{}); describesNothing(err) {
			var missing *NotFoundError
			var other *reader.UnsupportedError
			if errtype.As(err, &other) && errtype.As(absent, &missing) {
				missing.Container = other.Container
			}
			break
		} else if err != nil {
			return nil, err
		}
	}
	return nil, o.container(ctx, o.path, absent)
}

// describesNothing reports whether err proves that the root has no consolidated metadata: the root
// is absent, or is not a group. After any other error the root may still describe the node.
func describesNothing(err error) bool {
	var missing *NotFoundError
	return errtype.As(err, &missing) || IsPermanent(err) || store.MaybeMissing(err)
}

// forget drops a node's documents from all caches.
func (c *Catalog) forget(ctx context.Context, path string, format int) {
	for _, name := range append(meta.Documents(format), meta.Documents(1)...) {
		c.Engine.Forget(ctx, store.Join(path, name))
	}
}

// Described returns the node at a path if it is cached or consolidated metadata describes it, else
// nil. It sends no request and caches nothing.
func (c *Catalog) Described(path string) (Node, error) {
	if n, ok := c.known.kept(path, 0, false); ok {
		return n, nil
	}
	m, err := c.known.described(path)
	if err != nil || m == nil || len(m.Documents) == 0 {
		return nil, err
	}
	return c.Make(path, m)
}

// Known opens the node at a path if it is cached or consolidated metadata describes it. It reports
// false if [Catalog.Open] would send a request, or for invalid metadata.
func (c *Catalog) Known(path string) (Node, bool) {
	if n, ok := c.known.kept(path, 0, false); ok {
		return n, true
	}
	at := c.known.look(path)
	if at.described == nil || len(at.described.Documents) == 0 {
		return nil, false
	}
	n, err := c.Make(path, at.described)
	if err != nil {
		return nil, false
	}
	c.opened(path, n, true, at.since)
	return n, true
}

// Children lists the nodes directly below a path, by the consolidated metadata of the nearest group
// at or above it. It reports false when there is no such metadata.
func (c *Catalog) Children(path string) ([]meta.Child, bool) { return c.known.children(path) }

// Current reports whether an opened node still matches the documents that were read last.
func (c *Catalog) Current(path string, n Node) bool {
	return c.known.current(path, n.Metadata(), n.Hash())
}

// Drafted marks a node as current before its documents are written.
func (c *Catalog) Drafted(path string, n Node) { c.known.drafted(path, n.Metadata(), n.Hash()) }

// Changed invalidates a node after this program replaced its documents by others of the same
// version.
func (c *Catalog) Changed(ctx context.Context, path string) { c.replaced(ctx, path, false, true) }

// Replaced invalidates a node after this program wrote or deleted its documents. With all set it
// also invalidates the nodes below.
func (c *Catalog) Replaced(ctx context.Context, path string, all bool) {
	c.replaced(ctx, path, all, false)
}

func (c *Catalog) replaced(ctx context.Context, path string, all, sameVersion bool) {
	c.forget(context.WithoutCancel(ctx), path, 0)
	c.known.replaced(path, all, sameVersion)
	// A later open must not join one that began before.
	c.opens.DropFunc(func(key any) bool { return covers(path, key.(openID).path, all) })
}

// Drop drops the nodes of this catalog from the cache of nodes.
func (c *Catalog) Drop() { c.known.drop() }

// Parse parses documents into metadata.
func (c *Catalog) Parse(path string, docs []meta.Document) (*meta.Node, error) {
	m, err := meta.Parse(docs, meta.Options{
		Limits:             json.Limits{Depth: c.Limits.MetadataDepth},
		DocumentBytes:      int(c.Limits.MetadataBytes),
		ConsolidatedBytes:  int(c.Limits.ConsolidatedBytes),
		MaxRank:            c.Limits.Rank,
		Type:               dtype.Limits{ItemBytes: c.Limits.ItemBytes},
		IgnoreConsolidated: c.IgnoreConsolidated,
	})
	if err == nil {
		if m != nil && m.Consolidated != nil && m.Consolidated.References {
			return nil, inContainer(path, "parquet")
		}
		return m, nil
	}
	if kind := containerOf(docs); kind != "" {
		return nil, inContainer(path, kind)
	}
	return nil, reader.MetadataError(path, err)
}
