// Package catalog opens nodes: it finds out which documents a path has, and what they say.
//
// A [Catalog] belongs to one hierarchy. An open takes these steps, each of them once, or twice where
// the first answers cannot be right.
//
//   - look: what is known of the path (knowledge.go). A node that is kept, or that consolidated metadata
//     describes, needs no request.
//   - fetch: asks for the documents, those first that are likely there (fetch.go).
//   - decide: documents make a node. Where there are none, the path is a group that consolidated metadata
//     implies, or the root is opened, which may describe the path, or something else lies there (container.go).
//   - note: the outcome moves the path to its next state.
package catalog

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Node is what a catalog makes of a node's metadata.
type Node interface {
	Metadata() *meta.Node
	// Hash is a number of what the documents say (see [meta.Node.Hash]).
	Hash() uint64
}

// Config is what a catalog is made of.
type Config struct {
	Engine *reader.Engine // reads the documents
	Limits limits.Limits  // with defaults
	// IgnoreConsolidated believes only the nodes' own documents.
	IgnoreConsolidated bool
	Observe            store.Observer
	Nodes              *Nodes // keeps nodes, of other catalogs too
	// Make makes a node of metadata.
	Make func(path string, m *meta.Node) (Node, error)
}

// Catalog opens the nodes of one hierarchy. It is safe for concurrent use.
type Catalog struct {
	Config
	known *knowledge
	opens *share.Cache[openID, Node] // keeps nothing: it shares opens that are under way
}

// New returns the catalog of a hierarchy of which nothing is known.
func New(c Config) *Catalog {
	return &Catalog{c, &knowledge{nodes: c.Nodes, paths: map[string]*record{}}, share.New[openID, Node](0)}
}

// Options say what is expected of a node.
type Options struct {
	// Kind is "array", "group", or "" for either.
	Kind string
	// Format is 1, 2 or 3, or 0 for any.
	Format int
	// Fresh asks for the node's own documents, whatever is known of the path.
	Fresh bool
	// Sparing asks for less at once, at the price of another round for some nodes, and reports no node of
	// another kind.
	Sparing bool
	// Bare does not ask for the attributes of an array of v2, where the kind is given.
	Bare bool
	// Whole asks for all documents that the node may have at once, whatever is kept of it.
	Whole bool
}

// openID names an open under way.
type openID struct {
	path string
	opt  Options
}

// Open opens the node at a path. Errors are [*NotFoundError], those of packages reader and store, and the
// context's.
func (c *Catalog) Open(ctx context.Context, path string, opt Options) (n Node, err error) {
	var kept, wrong bool
	if !opt.Fresh && !opt.Whole {
		n, kept = c.known.kept(path, opt.Format, opt.Bare)
	}
	if wrong = kept && opt.Kind != "" && opt.Kind != KindOf(n); wrong {
		// These may be another node's documents. The error has to be of those that are there now.
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

	view      // when it began
	past bool // asks for documents past all caches
}

// open takes the steps of an open, and notes the outcome. Documents that cannot be read are asked for once more,
// past all caches.
func (c *Catalog) open(ctx context.Context, path string, opt Options) (Node, error) {
	o := &opening{Catalog: c, path: path, opt: opt, view: c.known.look(path)}
	o.past = !o.state.trusted()
	n, err := o.run(ctx)
	var invalid *reader.InvalidMetadataError
	if errors.As(err, &invalid) && invalid.Path == path && !o.past {
		c.forget(ctx, path, opt.Format)
		// Requests of the first run may still end in the background, and read what it was given.
		again := *o
		again.past = true
		n, err = again.run(ctx)
	}
	if err == nil {
		c.known.opened(path, n, opt.Format == 0, o.since)
		return n, nil
	}
	outcome := failed
	var missing *NotFoundError
	if errors.As(err, &missing) {
		outcome = missed
	}
	if ctx.Err() == nil && !IsPermanent(err) && !(opt.Sparing && outcome == missed) { // not all was asked for then
		c.forget(ctx, path, opt.Format)
		c.known.failed(path, outcome)
		if !c.known.nodeFound() {
			c.Engine.Refresh() // what it keeps to locate keys may be of another hierarchy
		}
	}
	return nil, err
}

// run fetches what is not described, and decides.
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
	// A root that others open meanwhile is known only by then, and was not looked into.
	_, rootKept := o.known.kept("", 0, false)
	m, err := o.fetch(ctx, o.described == nil)
	var missing *NotFoundError
	if errors.As(err, &missing) || store.MaybeMissing(err) {
		m, err = o.decide(ctx, err, rootKept)
	}
	if err != nil {
		return nil, err
	}
	return o.Make(o.path, m)
}

// expects reports whether a node is of the version that the open is for.
func (o *opening) expects(m *meta.Node) bool { return o.opt.Format == 0 || o.opt.Format == m.Format }

// decide returns the node at a path that has no documents: one that consolidated metadata describes or implies. If
// none does, the root is opened, which may have some. Otherwise the error is absent, or says what else lies there.
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
			if errors.As(err, &other) && errors.As(absent, &missing) {
				missing.Container = other.Container
			}
			break
		} else if err != nil {
			return nil, err
		}
	}
	return nil, o.container(ctx, o.path, absent)
}

// describesNothing reports whether a root that fails to open by err has no consolidated metadata: it is absent, or
// another thing than a group. Any other error may hide some that describe the node.
func describesNothing(err error) bool {
	var missing *NotFoundError
	return errors.As(err, &missing) || IsPermanent(err) || store.MaybeMissing(err)
}

// forget drops a node's documents from all caches.
func (c *Catalog) forget(ctx context.Context, path string, format int) {
	for _, name := range append(meta.Documents(format), meta.Documents(1)...) {
		c.Engine.Forget(ctx, store.Join(path, name))
	}
}

// Described returns the node at a path if it is kept or consolidated metadata describes it, else nil. It sends no
// request, and keeps nothing.
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

// Children returns what consolidated metadata of the nearest group at or above a path lists directly below it, and
// whether there is such metadata.
func (c *Catalog) Children(path string) ([]meta.Child, bool) { return c.known.children(path) }

// Current reports whether a node that was opened has the documents that were read last, as far as is known.
func (c *Catalog) Current(path string, n Node) bool {
	return c.known.current(path, n.Metadata(), n.Hash())
}

// Drafted has a node whose documents are not written yet count as current.
func (c *Catalog) Drafted(path string, n Node) { c.known.drafted(path, n.Metadata(), n.Hash()) }

// Changed has the catalog forget a node whose documents this program replaced by others of the same version.
func (c *Catalog) Changed(ctx context.Context, path string) { c.replaced(ctx, path, false, true) }

// Replaced has the catalog forget a node whose documents this program wrote or deleted, and with all set the nodes
// below it, too.
func (c *Catalog) Replaced(ctx context.Context, path string, all bool) {
	c.replaced(ctx, path, all, false)
}

func (c *Catalog) replaced(ctx context.Context, path string, all, sameVersion bool) {
	c.forget(context.WithoutCancel(ctx), path, 0)
	c.known.replaced(path, all, sameVersion)
	// An open that comes from now on must not join one that began before.
	c.opens.DropFunc(func(key any) bool { return covers(path, key.(openID).path, all) })
}

// Drop drops the nodes of this catalog from the cache of nodes.
func (c *Catalog) Drop() { c.known.drop() }

// Parse makes metadata of documents.
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
