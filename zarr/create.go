package zarr

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// ExistsError reports that the target of a new node exists. It matches [io/fs.ErrExist].
type ExistsError struct {
	Path  string
	Found string // "array", "group", or "node" if its documents are invalid
	// Msg describes the conflict, if an existing node would be acceptable.
	Msg string
}

func (e *ExistsError) Error() string {
	msg := "there is already a Zarr " + e.Found + " at " + strconv.Quote("/"+e.Path)
	if e.Msg != "" {
		msg += ": " + e.Msg
	}
	return msg
}

// Is makes the error match fs.ErrExist.
func (e *ExistsError) Is(target error) bool { return target == fs.ErrExist }

// GroupSpec specifies a new group.
type GroupSpec struct {
	Format     int // 2 or 3; 0 means that of the parent group, or 3 without one
	Attributes map[string]any
	// Overwrite deletes an existing node at the path, and all nodes below it. Otherwise that is an
	// [*ExistsError].
	Overwrite bool
}

// Create makes an array filled with the fill value, and the missing groups above it. An invalid
// specification is an [*InvalidMetadataError]. One that cannot be written, such as a codec without
// an encoder, is an [*UnsupportedError]. Other errors are [*ExistsError], the store's and the
// context's.
func (h *Hierarchy) Create(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	n, err := h.create(ctx, path, spec.Format, spec.Overwrite, h.arrayDocuments(&spec))
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// arrayDocuments returns the function that makes the documents of a specified array.
func (h *Hierarchy) arrayDocuments(spec *ArraySpec) func(path string, format int) ([]meta.Document, error) {
	return func(path string, format int) ([]meta.Document, error) {
		n, err := spec.node(path, format, h.codecs)
		if err != nil {
			return nil, err
		}
		return h.documents(path, n)
	}
}

// CreateGroup makes a group, and the missing groups above it. Errors are those of
// [Hierarchy.Create].
func (h *Hierarchy) CreateGroup(ctx context.Context, path string, spec GroupSpec) (*Group, error) {
	n, err := h.create(ctx, path, spec.Format, spec.Overwrite, func(path string, format int) ([]meta.Document, error) {
		attrs, err := attributesOf(path, spec.Attributes)
		if err != nil {
			return nil, err
		}
		return h.documents(path, &meta.Node{Format: format, Attributes: attrs})
	})
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// RequireGroup returns the group at a path, and creates it with [Hierarchy.CreateGroup] if nothing
// is there. An array there is an [*ExistsError].
func (h *Hierarchy) RequireGroup(ctx context.Context, path string, spec GroupSpec) (*Group, error) {
	if !spec.Overwrite {
		n, err := h.existing(ctx, path)
		if err != nil {
			return nil, err
		}
		if g, ok := n.(*Group); ok {
			return g, nil
		}
	}
	return h.CreateGroup(ctx, path, spec)
}

// RequireArray returns the array at a path, and creates it with [Hierarchy.Create] if nothing is
// there. A group there, or an array of another shape or type, is an [*ExistsError].
func (h *Hierarchy) RequireArray(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	if !spec.Overwrite {
		n, err := h.existing(ctx, path)
		if err != nil {
			return nil, err
		}
		if a, ok := n.(*Array); ok {
			t, err := spec.dtype(a.meta.Format)
			switch {
			case err != nil:
				return nil, reader.MetadataError(a.path, err)
			case !slices.Equal(a.Shape, spec.Shape):
				return nil, &ExistsError{a.path, "array", "its shape is " + shapeText(a.Shape) + ", not " + shapeText(spec.Shape)}
			case !sameType(a.Type, t):
				return nil, &ExistsError{a.path, "array", "its type is " + a.Type.Name + ", not " + t.Name}
			}
			return a, nil
		}
	}
	return h.Create(ctx, path, spec)
}

// Zeros creates an array of zeros.
func (h *Hierarchy) Zeros(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	spec.Fill = nil
	return h.Create(ctx, path, spec)
}

// Ones creates an array of ones.
func (h *Hierarchy) Ones(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	spec.Fill = 1
	if t, err := spec.dtype(3); err == nil && t.Name == "bool" {
		spec.Fill = true
	}
	return h.Create(ctx, path, spec)
}

// Full creates an array filled with one value.
func (h *Hierarchy) Full(ctx context.Context, path string, fill any, spec ArraySpec) (*Array, error) {
	spec.Fill = fill
	return h.Create(ctx, path, spec)
}

// Empty creates an array with undefined elements.
func (h *Hierarchy) Empty(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	spec.Fill = NoFill
	return h.Create(ctx, path, spec)
}

// attributesOf converts attributes to JSON.
func attributesOf(path string, attrs map[string]any) (json.Value, error) {
	if attrs == nil {
		return json.EmptyObject(), nil
	}
	v, err := json.Of(attrs)
	if err != nil {
		return v, &InvalidMetadataError{Path: path, Err: &meta.Error{Document: "specification", Field: "attributes", Err: err}}
	}
	return v, nil
}

// existing returns the node at a path in the store, or nil if there is none.
func (h *Hierarchy) existing(ctx context.Context, path string) (Node, error) {
	return h.at(ctx, path, 0)
}

// at is existing for nodes of a version; 0 is any.
func (h *Hierarchy) at(ctx context.Context, path string, format int) (Node, error) {
	n, err := h.Open(ctx, path, OpenOptions{Format: format, Fresh: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return n, err
}

// create writes the documents of a new node, and returns the node.
func (h *Hierarchy) create(ctx context.Context, path string, format int, overwrite bool, documents func(path string, format int) ([]meta.Document, error)) (Node, error) {
	d, err := h.draft(ctx, path, format, documents)
	if err == nil {
		err = d.put(ctx, overwrite)
	}
	if err != nil {
		return nil, err
	}
	return h.Open(ctx, d.path, OpenOptions{Format: d.format, Fresh: true})
}

// draft is a node that is not written yet.
type draft struct {
	h      *Hierarchy
	e      *writer.Engine
	path   string
	format int
	above  []string // the missing groups
	docs   []meta.Document
}

// draft makes the documents of a node. It rejects an impossible node before anything is written or
// deleted.
func (h *Hierarchy) draft(ctx context.Context, path string, format int, documents func(path string, format int) ([]meta.Document, error)) (*draft, error) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	e, err := h.writing(path)
	if err != nil {
		return nil, err
	}
	if format != 0 && format != 2 && format != 3 {
		return nil, &UnsupportedError{Path: path, Feature: "writing version " + strconv.Itoa(format)}
	}
	above, format, err := h.missingAbove(ctx, path, format)
	if err != nil {
		return nil, err
	}
	docs, err := documents(path, format)
	return &draft{h, e, path, format, above, docs}, err
}

// put writes the documents.
func (d *draft) put(ctx context.Context, overwrite bool) error {
	sent := false
	return d.e.Change(ctx, store.Join(d.path, lockName), func(c *writer.Change) error {
		return d.h.put(ctx, c, d, overwrite, &sent)
	})
}

// array returns the array of the documents. Its elements can be written before its documents.
func (d *draft) array() (*Array, error) {
	m, err := d.h.nodes.Parse(d.path, d.docs)
	if err != nil {
		return nil, err
	}
	n, err := d.h.newNode(d.path, m)
	if err != nil {
		return nil, err
	}
	d.h.nodes.Drafted(d.path, n)
	return n.(*Array), nil
}

// lockName is the key that is locked while a node's documents are written.
const lockName = meta.DocumentV3

// put writes the documents of a draft, and of the groups above it. If sent is set, an earlier
// attempt may have written them, and they may be the existing node.
func (h *Hierarchy) put(ctx context.Context, c *writer.Change, d *draft, overwrite bool, sent *bool) error {
	found, err := h.existing(ctx, d.path)
	var invalid *InvalidMetadataError
	switch {
	case overwrite && (err == nil || errtype.As(err, &invalid) || catalog.IsPermanent(err)):
		if err := h.clear(ctx, d.e, d.path); err != nil {
			return err
		}
	case errtype.As(err, &invalid) || err != nil && catalog.IsPermanent(err):
		return &ExistsError{d.path, "node", err.Error()}
	case err != nil:
		return err
	case found != nil && *sent && slices.EqualFunc(found.Metadata().Documents, d.docs, sameDocument):
		return nil
	case found != nil:
		return &ExistsError{Path: d.path, Found: catalog.KindOf(found)}
	}
	if err := h.putAbove(ctx, d.e, d.above, d.format); err != nil {
		return err
	}
	err = h.createDocuments(ctx, c, d.path, d.docs)
	*sent = errors.Is(err, store.ErrUnsettled)
	return err
}

func sameDocument(a, b meta.Document) bool { return a.Name == b.Name && bytes.Equal(a.Bytes, b.Bytes) }

// putAbove creates the missing groups above a node.
func (h *Hierarchy) putAbove(ctx context.Context, e *writer.Engine, above []string, format int) error {
	for _, group := range above {
		err := e.Change(ctx, store.Join(group, lockName), func(c *writer.Change) error {
			if n, err := h.existing(ctx, group); err != nil || n != nil && len(n.Metadata().Documents) > 0 {
				return err // another writer has created it
			}
			docs, err := h.documents(group, &meta.Node{Format: format, Attributes: json.EmptyObject()})
			if err != nil {
				return err
			}
			return h.createDocuments(ctx, c, group, docs)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// locked calls f while it holds the lock of a node's documents.
func (h *Hierarchy) locked(ctx context.Context, e *writer.Engine, path string, f func() error) error {
	return e.WithLock(ctx, store.Join(path, lockName), f)
}

// putDocuments writes a node's documents. The one that makes it a node is the last.
func (h *Hierarchy) putDocuments(ctx context.Context, e *writer.Engine, path string, docs []meta.Document) error {
	defer h.nodes.Replaced(ctx, path, false)
	for i := len(docs) - 1; i >= 0; i-- {
		if err := e.Set(ctx, store.Join(path, docs[i].Name), docs[i].Bytes); err != nil {
			return err
		}
	}
	return nil
}

// createDocuments is putDocuments for a new node, provided that none exists.
func (h *Hierarchy) createDocuments(ctx context.Context, c *writer.Change, path string, docs []meta.Document) error {
	defer h.nodes.Replaced(ctx, path, false)
	for i, doc := range slices.Backward(docs) {
		set := c.Put
		if i == 0 {
			set = func(ctx context.Context, key string, data []byte) error { return c.Set(ctx, key, data, writer.Old{}) }
		}
		if err := set(ctx, store.Join(path, doc.Name), doc.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// changeDocuments writes the changed documents of a node. Each replaces only the version from which
// it was made.
func (h *Hierarchy) changeDocuments(ctx context.Context, c *writer.Change, path string, old, docs []meta.Document) error {
	defer h.nodes.Changed(ctx, path)
	for _, doc := range slices.Backward(docs) {
		i := slices.IndexFunc(old, func(d meta.Document) bool { return d.Name == doc.Name })
		if i >= 0 && bytes.Equal(old[i].Bytes, doc.Bytes) {
			continue
		}
		key, was := store.Join(path, doc.Name), writer.Old{}
		if c.Compares() {
			e, err := h.engine.ReadKey(ctx, key, store.Ask{MaxBytes: h.opt.Limits.MetadataBytes})
			switch was = (writer.Old{Version: e.Version, There: err == nil}); {
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return err
			case was.There != (i >= 0), i >= 0 && !bytes.Equal(e.Bytes, old[i].Bytes):
				return c.Conflict(key)
			}
		}
		if err := c.Set(ctx, key, doc.Bytes, was); err != nil {
			return err
		}
	}
	return nil
}

// missingAbove returns the paths above a path that have no group yet. If no version is given, it
// also returns the version of the nearest existing group. An array above is an error.
func (h *Hierarchy) missingAbove(ctx context.Context, path string, format int) (missing []string, _ int, err error) {
	for at := path; at != ""; {
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
		n, err := h.existing(ctx, at)
		if err != nil {
			return nil, 0, err
		}
		if n == nil {
			missing = append(missing, at)
			continue
		}
		if _, ok := n.(*Array); ok {
			return nil, 0, &ExistsError{at, "array", "there can be no nodes below it"}
		}
		if format == 0 {
			format = n.Metadata().Format
		}
		if len(n.Metadata().Documents) > 0 {
			break
		}
		missing = append(missing, at) // implied by consolidated metadata
	}
	if format == 0 || format == 1 {
		format = 3
	}
	slices.Reverse(missing)
	return missing, format, nil
}

// clear deletes all objects at a path and below it.
func (h *Hierarchy) clear(ctx context.Context, e *writer.Engine, path string) error {
	err := h.deleteFolder(ctx, path)
	h.engine.ForgetAll(context.WithoutCancel(ctx), store.Join(path, lockName))
	h.nodes.Replaced(ctx, path, true)
	return err
}

// deletes is the number of concurrent deletions.
const deletes = 16

// deleteFolder deletes all objects below a path, and the documents that make it a node last.
// Otherwise a failure could leave chunks and attributes to the next array at the path.
func (h *Hierarchy) deleteFolder(ctx context.Context, path string) error {
	can := h.engine.Capabilities()
	if can.Lister == nil || can.Writer == nil || can.Writer.DeletesAtomically() {
		return can.DeleteAll(ctx, path)
	}
	names, err := can.List(ctx, path)
	// Without a list DeleteAll would delete in random order. The store may list the next time.
	if err != nil {
		return &store.KeyError{Op: "delete", Key: path, Err: err}
	}
	group, inside := guard.NewGroup(ctx)
	turn := make(chan struct{}, deletes)
	node := false
	for _, name := range names {
		key := store.Join(path, name)
		folder, below := strings.CutSuffix(key, "/")
		switch {
		case inside.Err() != nil:
		case below:
			if err := h.deleteFolder(inside, folder); err != nil {
				group.Go(func() error { return err })
			}
		case name == meta.DocumentV3 || name == meta.DocumentArray || name == meta.DocumentGroup:
			node = true
		default:
			turn <- struct{}{}
			group.Go(func() error {
				defer func() { <-turn }()
				return can.Delete(inside, key)
			})
		}
	}
	if err := group.Wait(); err != nil || !node {
		return err
	}
	return can.DeleteAll(ctx, path)
}
