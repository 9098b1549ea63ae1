package zarr

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// IfExists selects a copy's behaviour when the target exists.
type IfExists int

// The zero value is IfExistsRaise.
const (
	IfExistsRaise   IfExists = iota // an *ExistsError
	IfExistsReplace                 // deletes the target first
	IfExistsSkip                    // keeps the target, and counts it
)

// CopyOptions select the nodes to copy, and how to store the copy.
type CopyOptions struct {
	IfExists IfExists
	// Shallow copies only a group's direct members.
	Shallow bool
	// WithoutAttributes omits attributes.
	WithoutAttributes bool
	// Recode decodes and encodes chunks that could be copied as bytes.
	Recode bool
	// Format is the version of the copies, 2 or 3. With 0 it is the version of the group that will
	// hold them, or else that of the source.
	Format int
	// Array, if set, is called with the specification of each copied array and its path below the
	// source. It may change chunks, shards and codecs. Shape and type must stay.
	Array func(path string, spec *ArraySpec)
	// Progress, if set, is called after each copied part of an array with its path, the elements
	// copied so far, and the total. Calls do not overlap.
	Progress func(path string, done, total int64)
}

// CopyStats counts the results of a copy.
type CopyStats struct {
	Copied  int   // nodes; for CopyStore, objects
	Skipped int   // existing ones
	Bytes   int64 // bytes of elements in memory; for CopyStore, stored bytes
}

// Copy copies an array, or a group with all nodes below it, to a path of a hierarchy. The target
// may be another hierarchy, of another version. Chunks, codecs and fill value stay the same unless
// the options differ. For another version, equivalent codecs replace the source's, or else the
// default.
//
// If grid and codecs stay the same, Copy copies chunks as bytes without decoding them; absent
// chunks stay absent. This includes arrays that change their version, if the other version has the
// same chunks. Elements of other arrays are read and written box by box. Such a copy omits chunks
// of fill values if other readers take an absent chunk for them.
//
// Copy writes the documents of an array after its chunks, so an existing array is complete. An
// error leaves the finished part in place. A later copy with [IfExistsSkip] continues with the
// unfinished array.
func Copy(ctx context.Context, src Node, dst *Hierarchy, path string, opt CopyOptions) (CopyStats, error) {
	path, err := cleanPath(path)
	if err != nil {
		return CopyStats{}, err
	}
	c := &copying{opt: opt, to: dst}
	base := src.base()
	if base.h == dst && (base.path == path || path == "" || base.path == "" || strings.HasPrefix(path, base.path+"/") || strings.HasPrefix(base.path, path+"/")) {
		return c.CopyStats, &UnsupportedError{Path: path, Feature: "copying a node to itself, above itself or below itself"}
	}
	return c.CopyStats, c.node(ctx, src, path, "", true)
}

// CopyAll copies all members of a group into the group at a path, as [Copy] does.
func CopyAll(ctx context.Context, src *Group, dst *Hierarchy, path string, opt CopyOptions) (CopyStats, error) {
	path, err := cleanPath(path)
	if err != nil {
		return CopyStats{}, err
	}
	c := &copying{opt: opt, to: dst}
	if src.h == dst && (src.path == path || strings.HasPrefix(path, src.path+"/") || src.path == "") {
		return c.CopyStats, &UnsupportedError{Path: path, Feature: "copying a group's contents into itself or below it"}
	}
	if _, err := dst.RequireGroup(ctx, path, GroupSpec{Format: c.format(src)}); err != nil {
		return c.CopyStats, err
	}
	err = c.members(ctx, src, path, "", !opt.Shallow)
	return c.CopyStats, err
}

// copying is one copy under way.
type copying struct {
	CopyStats
	opt CopyOptions
	to  *Hierarchy
}

func (c *copying) format(src Node) int { return copyFormat(src, c.opt.Format) }

// copyFormat returns the version of a node's copy, which 0 leaves to the source.
func copyFormat(src Node, format int) int {
	if format == 0 {
		if f := src.Metadata().Format; f != 1 {
			return f
		}
		return 2
	}
	return format
}

func (c *copying) node(ctx context.Context, src Node, path, below string, deep bool) error {
	there, err := c.to.existing(ctx, path)
	if err != nil {
		return err
	}
	_, group := there.(*Group)
	from, isGroup := src.(*Group)
	if there != nil && !(group && isGroup) {
		switch c.opt.IfExists {
		case IfExistsRaise:
			return &ExistsError{Path: path, Found: catalog.KindOf(there)}
		case IfExistsSkip:
			c.Skipped++
			return nil
		}
		if err := c.to.Delete(ctx, path); err != nil {
			return err
		}
		there = nil
	}
	if !isGroup {
		err = c.array(ctx, src.(*Array), path, below)
	} else {
		err = c.group(ctx, from, there, path, below, deep)
	}
	if err == nil {
		c.Copied++
	}
	return err
}

func (c *copying) group(ctx context.Context, src *Group, there Node, path, below string, deep bool) error {
	if there == nil {
		if err := c.makeGroup(ctx, src, path); err != nil {
			return err
		}
	}
	if !deep {
		return nil
	}
	return c.members(ctx, src, path, below, !c.opt.Shallow)
}

func (c *copying) makeGroup(ctx context.Context, src *Group, path string) error {
	attrs := src.meta.Attributes
	if c.opt.WithoutAttributes {
		attrs = json.EmptyObject()
	}
	_, err := c.to.create(ctx, path, c.format(src), false, c.to.groupDocuments(attrs))
	return err
}

func (h *Hierarchy) groupDocuments(attrs json.Value) func(path string, format int) ([]meta.Document, error) {
	return func(path string, format int) ([]meta.Document, error) {
		return h.documents(path, &meta.Node{Format: format, Attributes: attrs})
	}
}

func (c *copying) members(ctx context.Context, src *Group, path, below string, deep bool) error {
	return src.each(ctx, func(name string, n Node) error {
		return c.node(ctx, n, store.Join(path, name), store.Join(below, name), deep)
	})
}

// Each calls f with a node and all nodes below it, and with their paths below the node. The order
// is that of [Copy]. A member that cannot be opened is an error.
func Each(ctx context.Context, n Node, f func(n Node, path string) error) error {
	return each(ctx, n, "", f)
}

func each(ctx context.Context, n Node, path string, f func(n Node, path string) error) error {
	if err := f(n, path); err != nil {
		return err
	}
	g, ok := n.(*Group)
	if !ok {
		return ctx.Err()
	}
	return g.each(ctx, func(name string, n Node) error { return each(ctx, n, store.Join(path, name), f) })
}

// each calls f with the nodes directly below a group. A folder without nodes is none.
func (g *Group) each(ctx context.Context, f func(name string, n Node) error) error {
	members, err := g.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Err != nil {
			return m.Err
		}
		node := m.Node
		if node == nil {
			if node = g.h.implied(ctx, store.Join(g.path, m.Name)); node == nil {
				continue
			}
		}
		if err := f(m.Name, node); err != nil {
			return err
		}
	}
	return nil
}

// implied returns the group at a path without documents, if there are nodes below it.
func (h *Hierarchy) implied(ctx context.Context, path string) Node {
	g := &Group{node{h, path, &meta.Node{Format: 3, Attributes: json.EmptyObject()}, 0}}
	members, err := g.Members(ctx)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Node != nil || m.Err != nil || m.Kind == "implicit" && h.implied(ctx, store.Join(path, m.Name)) != nil {
			return g
		}
	}
	return nil
}

func (c *copying) array(ctx context.Context, src *Array, path, below string) error {
	format := c.format(src)
	spec := src.Spec(format)
	if c.opt.WithoutAttributes {
		spec.attributes = json.Value{}
		spec.like.documents = slices.DeleteFunc(spec.like.documents, func(d meta.Document) bool { return d.Name == meta.DocumentAttributes })
	}
	if c.opt.Array != nil {
		was := spec
		c.opt.Array(below, &spec)
		spec.settle(&was)
	}
	spec.Format = format
	if !slices.Equal(spec.Shape, src.Shape) {
		return &UnsupportedError{Path: path, Feature: "copying an array to one of another shape"}
	}
	same := false // whether the chunks stay the same
	documents := func(path string, format int) ([]meta.Document, error) {
		n, err := spec.node(path, format, c.to.codecs)
		if err != nil {
			return nil, err
		}
		docs, made, err := c.to.writable(path, n)
		if err != nil {
			return nil, err
		}
		if same = !c.opt.Recode && src.meta.SameChunks(made); same {
			return docs, nil
		}
		return docs, c.to.encodes(path, made)
	}
	d, err := c.to.draft(ctx, path, format, documents)
	if err != nil && format != src.meta.Format && spec.likeChain(format) && unwritable(err) {
		spec.like.chain = nil
		d, err = c.to.draft(ctx, path, format, documents)
	}
	if err != nil {
		return err
	}
	if spec.Overwrite {
		if err := c.to.clear(ctx, d.e, d.path); err != nil {
			return err
		}
	}
	dst, err := d.array()
	if err != nil {
		return err
	}
	if same {
		err = c.storedChunks(ctx, d.e, src, dst, below)
	} else {
		err = c.recode(ctx, src, dst, below)
	}
	if err != nil {
		return err
	}
	return d.put(ctx, false)
}

// settle drops old descriptions of the grid that a change of the specification has replaced.
func (s *ArraySpec) settle(was *ArraySpec) {
	shape := func(a, b []int64) bool { return (a == nil) != (b == nil) || !slices.Equal(a, b) }
	edges := func(a, b [][]grid.Run) bool {
		return (a == nil) != (b == nil) || !slices.EqualFunc(a, b, slices.Equal[[]grid.Run])
	}
	chunks, shards := shape(s.Chunks, was.Chunks), shape(s.Shards, was.Shards)
	chunkEdges, shardEdges := edges(s.ChunkEdges, was.ChunkEdges), edges(s.ShardEdges, was.ShardEdges)
	if !chunkEdges && (chunks || shards || shardEdges) {
		s.ChunkEdges = nil
	}
	if !chunks && chunkEdges {
		s.Chunks = nil
	}
	if !shards && (chunkEdges || shardEdges) {
		s.Shards = nil
	}
	if !shardEdges && (chunkEdges || shards) {
		s.ShardEdges = nil
	}
}

// unwritable reports whether an error means that a chain of codecs is unavailable.
func unwritable(err error) bool {
	var invalid *InvalidMetadataError
	return catalog.IsPermanent(err) || errtype.As(err, &invalid)
}

// chunkCopy is the copy of one array under way, by the chunks of a grid.
type chunkCopy struct {
	c     *copying
	array *Array
	grid  *grid.Grid
	below string
	// next fills in the coordinates of the next chunk, and returns false at the end.
	next func(coords []int64) bool

	mu          sync.Mutex
	done, total int64 // elements
}

// begin begins the copy of an array by all chunks of a grid.
func (c *copying) begin(a *Array, g *grid.Grid, below string) (*chunkCopy, error) {
	walk, err := g.Walk(nil, nil)
	if err != nil {
		return nil, err
	}
	projections := make([]grid.Projection, g.Rank())
	total, _ := product(a.Shape)
	return &chunkCopy{c: c, array: a, grid: g, below: below, total: total, next: func(coords []int64) bool {
		if !walk.Next(projections) {
			return false
		}
		for d := range projections {
			coords[d] = projections[d].Chunk
		}
		return true
	}}, nil
}

// each calls f for the chunks, several at once, and counts their elements as copied.
func (p *chunkCopy) each(ctx context.Context, atOnce int, f func(ctx context.Context, coords []int64) error) error {
	workers, inside := guard.NewGroup(ctx)
	for range atOnce {
		workers.Go(func() error {
			coords := make([]int64, p.grid.Rank())
			for inside.Err() == nil {
				p.mu.Lock()
				ok := p.next(coords)
				p.mu.Unlock()
				if !ok {
					return nil
				}
				if err := f(inside, coords); err != nil {
					return err
				}
				n := int64(1)
				for _, r := range region(p.grid, coords) {
					n *= *r.Stop - *r.Start
				}
				p.add(n)
			}
			return nil
		})
	}
	return workers.Wait()
}

// add counts elements as copied.
func (p *chunkCopy) add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.c.Bytes += n * codec.ElementBytes(p.array.Type)
	if p.c.opt.Progress != nil { // called with the lock held
		p.c.opt.Progress(p.below, p.done, p.total)
	}
}
