package zarr

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
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

// copyBytes is the approximate size of a box of elements that is read and written at once. Two such
// boxes are under way.
const copyBytes = 24 << 20

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
		return c.CopyStats, &UnsupportedError{Path: path, Feature: "copying what lies in a group into itself or below it"}
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

func (c *copying) format(src Node) int {
	if c.opt.Format == 0 {
		if f := src.Metadata().Format; f != 1 {
			return f
		}
		return 2
	}
	return c.opt.Format
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
	_, err := c.to.create(ctx, path, c.format(src), false, func(path string, format int) ([]meta.Document, error) {
		return c.to.documents(path, &meta.Node{Format: format, Attributes: attrs})
	})
	return err
}

func (c *copying) members(ctx context.Context, src *Group, path, below string, deep bool) error {
	members, err := src.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Err != nil {
			return m.Err
		}
		node := m.Node
		if node == nil {
			if node = src.h.implied(ctx, store.Join(src.path, m.Name)); node == nil {
				continue
			}
		}
		if err := c.node(ctx, node, store.Join(path, m.Name), store.Join(below, m.Name), deep); err != nil {
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
		err = c.chunks(ctx, d.e, src, dst, below)
	} else {
		err = c.elements(ctx, src, dst, below)
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
	return catalog.IsPermanent(err) || errors.As(err, &invalid)
}

// listFrom is the number of chunks from which a copy lists the stored ones, instead of requesting
// each.
const listFrom = 1 << 24

// chunks copies the chunks of an array as bytes.
func (c *copying) chunks(ctx context.Context, e *writer.Engine, src, dst *Array, below string) error {
	// An interrupted copy may have left chunks that this one does not have.
	left, listed, err := dst.reader.Stored(ctx)
	if err != nil {
		return err
	}
	for _, coords := range left {
		if err := e.CopyChunk(ctx, ctx, src.reader, dst.reader, coords, false); err != nil {
			return err
		}
	}
	p, err := c.part(src, src.Grid, below)
	if err != nil {
		return err
	}
	if n, ok := src.Grid.Total(); listed && (!ok || n > listFrom) {
		if stored, ok, err := src.reader.Stored(ctx); err != nil {
			return err
		} else if ok {
			p.next = func(coords []int64) bool {
				if len(stored) == 0 {
					return false
				}
				copy(coords, stored[0])
				stored = stored[1:]
				return true
			}
		}
	}
	err = p.each(ctx, src.h.opt.Limits.Requests, func(inside context.Context, coords []int64) error {
		return e.CopyChunk(inside, ctx, src.reader, dst.reader, coords, listed)
	})
	if err == nil && p.done < p.total { // the rest is absent
		p.add(p.total - p.done)
	}
	return err
}

// elements copies all elements of an array, in boxes of whole chunks of the copy.
func (c *copying) elements(ctx context.Context, src, dst *Array, below string) error {
	box := boxShape(src, dst)
	boxes, err := boxGrid(dst.Grid, box)
	if err != nil {
		return err
	}
	p, err := c.part(src, boxes, below)
	if err != nil {
		return err
	}
	atOnce := 2
	if size, ok := product(box); !ok || size > copyBytes/itemBytes(dst) {
		atOnce = 1 // chunks exceed the intended size of boxes
	}
	opt := WriteOptions{SkipEmpty: true}
	if !src.FillDefined {
		opt.undefined = func(ctx context.Context, coords []int64) (bool, error) {
			there, err := src.reader.StoredWithin(ctx, region(dst.Grid, coords))
			return !there, err
		}
	}
	return p.each(ctx, atOnce, func(inside context.Context, coords []int64) error {
		sel := region(boxes, coords)
		res, err := src.Read(inside, sel, ReadOptions{})
		if err != nil {
			return err
		}
		return dst.Set(inside, sel, res, opt)
	})
}

// region selects the elements of a chunk.
func region(g *grid.Grid, coords []int64) []grid.Item {
	sel, shape, counts := make([]grid.Item, len(coords)), g.Shape(), g.Counts()
	for d, chunk := range coords {
		from, to := g.Start(d, chunk), shape[d]
		if chunk+1 < counts[d] {
			to = g.Start(d, chunk+1)
		}
		sel[d] = grid.Range(&from, &to, nil)
	}
	return sel
}

// copyPart is the copy of one array, by the chunks of a grid.
type copyPart struct {
	c     *copying
	array *Array
	grid  *grid.Grid
	below string
	// next fills in the coordinates of the next chunk, and returns false at the end.
	next func(coords []int64) bool

	mu          sync.Mutex
	done, total int64 // elements
}

// part begins the copy of an array by all chunks of a grid.
func (c *copying) part(a *Array, g *grid.Grid, below string) (*copyPart, error) {
	walk, err := g.Walk(nil, nil)
	if err != nil {
		return nil, err
	}
	projections := make([]grid.Projection, g.Rank())
	total, _ := product(a.Shape)
	return &copyPart{c: c, array: a, grid: g, below: below, total: total, next: func(coords []int64) bool {
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
func (p *copyPart) each(ctx context.Context, atOnce int, f func(ctx context.Context, coords []int64) error) error {
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
func (p *copyPart) add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.c.Bytes += n * codec.ElementBytes(p.array.Type)
	if p.c.opt.Progress != nil { // called with the lock held
		p.c.opt.Progress(p.below, p.done, p.total)
	}
}

// itemBytes estimates the bytes of an element of an array in memory.
func itemBytes(a *Array) int64 {
	if a.Type.Variable() {
		return 64
	}
	return max(1, codec.ElementBytes(a.Type))
}

// boxShape returns the shape of the boxes in which an array is copied: whole chunks of the copy, up
// to about copyBytes. A box grows first where it is shortest relative to the source's chunks,
// because each of these is decoded for every box that it touches. After it has reached their
// lengths, it grows in C order.
func boxShape(src, dst *Array) []int64 {
	box, read := dst.Grid.ChunkShapes(), src.ChunkGrid().ChunkShapes()
	size := itemBytes(dst)
	for d := range box {
		box[d] = max(1, box[d])
	}
	bytes := func() float64 {
		n := float64(size)
		for _, length := range box {
			n *= float64(length)
		}
		return n
	}
	// grow multiplies the length of a dimension, limited by memory. It reports false if it cannot
	// grow.
	grow := func(d int, times int64) bool {
		times = min(times, (max(dst.Shape[d], 1)+box[d]-1)/box[d], int64(copyBytes/min(bytes(), copyBytes+1)))
		if times < 2 {
			return false
		}
		box[d] *= times
		return true
	}
	full := make([]bool, len(box))
	for {
		shortest := -1
		for d := range box {
			if full[d] || box[d] >= read[d] {
				continue
			}
			if shortest < 0 || float64(box[d])*float64(read[shortest]) < float64(box[shortest])*float64(read[d]) {
				shortest = d
			}
		}
		if shortest < 0 {
			break
		}
		full[shortest] = !grow(shortest, 2)
	}
	for d := len(box) - 1; d >= 0; d-- {
		grow(d, math.MaxInt64)
		if box[d] < dst.Shape[d] {
			break
		}
	}
	return box
}

// boxGrid returns the grid of boxes of whole chunks, at most of the given shape unless a chunk is
// larger.
func boxGrid(g *grid.Grid, box []int64) (*grid.Grid, error) {
	if g.Kind() != "rectilinear" {
		return grid.Regular(g.Shape(), box)
	}
	edges := make([][]grid.Run, len(box))
	for d := range edges {
		for _, r := range g.Edges(d) {
			many := min(max(1, box[d]/r.Size), r.Count)
			edges[d] = append(edges[d], grid.Run{Size: r.Size * many, Count: r.Count / many})
			if rest := r.Count % many; rest > 0 {
				edges[d] = append(edges[d], grid.Run{Size: r.Size * rest, Count: 1})
			}
		}
	}
	return grid.Rectilinear(g.Shape(), edges)
}

// Spec returns a specification for [Hierarchy.Create] that makes an array like this one, in a
// version. It has the same fill value, chunks, codecs, names and attributes. For another version,
// equivalent codecs replace the array's, or else the default. Chunks are guessed if the version
// lacks the array's grid. If the specification's version is changed afterwards, it has the default
// codecs.
func (a *Array) Spec(format int) ArraySpec {
	if format == 0 {
		format = max(2, a.meta.Format)
	}
	s := ArraySpec{Format: format, Shape: slices.Clone(a.Shape), Type: a.Type, Order: a.Order, attributes: a.meta.Attributes, rawFill: a.Fill}
	if !a.FillDefined {
		s.Fill = NoFill
	}
	of := *a.Array
	s.like.format = format
	if len(of.Codecs) == 1 && a.InnerChunks() != nil {
		config := of.Codecs[0].Config
		if inner, err := meta.Codecs(config.Get("codecs"), len(a.Shape)); err == nil {
			of.Codecs, s.Chunks = inner, slices.Clone(a.InnerChunks())
			if format == 3 {
				s.like.sharding = config
			}
		}
	}
	switch kind := a.Grid.Kind(); {
	case s.Chunks != nil && format != 3:
	case kind == "regular" && s.Chunks != nil:
		s.Shards = a.Grid.ChunkShapes()
	case kind == "regular":
		s.Chunks = a.Grid.ChunkShapes()
	case kind == "rectilinear" && s.Chunks != nil:
		s.ShardEdges = declared(a.Grid)
	case kind == "rectilinear" && format == 3:
		s.ChunkEdges = declared(a.Grid)
	case kind != "rectilinear" && format == 3:
		s.like.grid = a.Grid
	}
	if a.Grid.Kind() != "regular" { // the codecs do not depend on it
		of.Grid, _ = grid.Regular(nil, nil)
	}
	if to, err := (&meta.Node{Format: a.meta.Format, Array: &of}).To(format); err == nil {
		s.Type, s.like.chain = to.Array.Type, to.Array.Codecs
		if to.Array.Order != "" {
			s.Order = to.Array.Order
		}
		if s.Order == "F" && len(a.Shape) > 1 {
			s.like.chain = s.like.chain[1:] // the transpose that expresses the order
		}
	}
	for _, n := range a.DimensionNames {
		s.DimensionNames = append(s.DimensionNames, n.Text)
	}
	if format == 3 {
		s.attributes = meta.WithoutNames(s.attributes, len(s.Shape))
	}
	if format == a.meta.Format {
		s.Separator = a.Keys.Separator
		s.like.documents = slices.Clone(a.meta.Documents)
	}
	return s
}

// declared returns the edges of a rectilinear grid.
func declared(g *grid.Grid) [][]grid.Run {
	edges := make([][]grid.Run, g.Rank())
	for d := range edges {
		edges[d] = g.Declared(d)
	}
	return edges
}

// ZerosLike creates an array of zeros with the specification of another one.
func (h *Hierarchy) ZerosLike(ctx context.Context, path string, like *Array) (*Array, error) {
	return h.like(ctx, path, like, h.Zeros)
}

// OnesLike creates an array of ones with the specification of another one.
func (h *Hierarchy) OnesLike(ctx context.Context, path string, like *Array) (*Array, error) {
	return h.like(ctx, path, like, h.Ones)
}

// EmptyLike creates an array like another one, with undefined elements.
func (h *Hierarchy) EmptyLike(ctx context.Context, path string, like *Array) (*Array, error) {
	return h.like(ctx, path, like, h.Empty)
}

// FullLike creates an array like another one, filled with one value.
func (h *Hierarchy) FullLike(ctx context.Context, path string, like *Array, fill any) (*Array, error) {
	return h.like(ctx, path, like, func(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
		return h.Full(ctx, path, fill, spec)
	})
}

// like creates an array with the shape, type, chunks and codecs of another one, and without its
// attributes.
func (h *Hierarchy) like(ctx context.Context, path string, like *Array, create func(context.Context, string, ArraySpec) (*Array, error)) (*Array, error) {
	spec := like.Spec(0)
	spec.attributes, spec.rawFill, spec.like.documents = json.Value{}, nil, nil
	return create(ctx, path, spec)
}

// CopyStoreOptions control a copy of objects.
type CopyStoreOptions struct {
	IfExists IfExists
	// DryRun copies nothing, and counts the objects.
	DryRun bool
	// Progress, if set, is called after each object with its key in the destination, and the
	// statistics so far.
	Progress func(key string, done CopyStats)
}

// CopyStore copies the objects below a path of a store to a path of another one, as bytes. It does
// not interpret them, so chunks are not decoded. Both paths are cleaned, or "". The source store
// must list. With IfExistsRaise, nothing is copied if any object exists.
func CopyStore(ctx context.Context, src *Hierarchy, from string, dst *Hierarchy, to string, opt CopyStoreOptions) (stats CopyStats, err error) {
	if from, err = cleanPath(from); err != nil {
		return stats, err
	}
	if to, err = cleanPath(to); err != nil {
		return stats, err
	}
	e, err := dst.writing(to)
	if err != nil {
		return stats, err
	}
	key := func(key string) string { return store.Join(to, strings.TrimPrefix(strings.TrimPrefix(key, from), "/")) }
	there := func(key string) (bool, error) {
		_, err := dst.engine.ReadKey(ctx, key, store.Ask{Range: &store.ByteRange{Length: 1}, Fresh: true})
		switch {
		case err == nil || errors.Is(err, store.ErrRange):
			return true, nil
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		}
		return false, err
	}
	if opt.IfExists == IfExistsRaise {
		err := src.walk(ctx, from, func(k string) error {
			found, err := there(key(k))
			if err == nil && found {
				return &ExistsError{Path: key(k), Found: "object"}
			}
			return err
		})
		if err != nil {
			return stats, err
		}
	}
	defer func() {
		if !opt.DryRun {
			dst.nodes.Replaced(ctx, to, true)
		}
	}()
	err = src.walk(ctx, from, func(k string) error {
		if opt.IfExists == IfExistsSkip {
			found, err := there(key(k))
			if err != nil {
				return err
			}
			if found {
				stats.Skipped++
				return nil
			}
		}
		b, err := src.engine.ReadKey(ctx, k, store.Ask{})
		if err != nil {
			return err
		}
		if !opt.DryRun {
			if err := e.Set(ctx, key(k), b.Bytes); err != nil {
				return err
			}
		}
		stats.Copied++
		stats.Bytes += int64(len(b.Bytes))
		if opt.Progress != nil {
			opt.Progress(key(k), stats)
		}
		return nil
	})
	return stats, err
}
