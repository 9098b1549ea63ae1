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
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Migrate writes the metadata of a node, and of all nodes below it, in another version. It converts
// an array of version 1 to 2, and nodes of version 2 to 3. Chunks stay unchanged, under the same
// keys. A group with consolidated metadata gets it in the new version. If the new version cannot
// express something, such as a codec without a name there, Migrate fails before it writes anything.
// It deletes the old documents after all new ones are written; until then both versions can be
// read.
//
// It returns the number of changed nodes: 0 if all have that version. After a failure or
// interruption, Migrate can be repeated and does the rest. If a node has documents of both versions
// that disagree, the error is an [*ExistsError], before any write. Other errors are those of
// [Hierarchy.Create], and [*NotFoundError].
func (h *Hierarchy) Migrate(ctx context.Context, path string, format int) (nodes int, err error) {
	if path, err = cleanPath(path); err != nil {
		return 0, err
	}
	e, err := h.writing(path)
	if err != nil {
		return 0, err
	}
	if format != 2 && format != 3 {
		return 0, &UnsupportedError{Path: path, Feature: "migrating to version " + strconv.Itoa(format)}
	}
	all, err := h.migrations(ctx, path, format)
	if errors.Is(err, fs.ErrNotExist) {
		var n Node
		if n, err = h.Open(ctx, path, OpenOptions{Fresh: true}); err == nil {
			err = &UnsupportedError{Path: path, Feature: "migrating version " + strconv.Itoa(n.Metadata().Format) + " to version " + strconv.Itoa(format)}
		}
	}
	if err != nil {
		return 0, err
	}
	for _, m := range slices.Backward(all) { // members before their group
		if m.docs == nil {
			continue
		}
		if err := h.locked(ctx, e, m.path, func() error { return h.putDocuments(ctx, e, m.path, m.docs) }); err != nil {
			return 0, err
		}
	}
	for _, m := range all {
		if m.consolidated {
			if _, err := h.ConsolidateMetadata(ctx, m.path); err != nil {
				return 0, err
			}
		}
	}
	for _, m := range all {
		for _, name := range m.old {
			if err := e.Delete(ctx, store.Join(m.path, name)); err != nil {
				return 0, err
			}
		}
		h.nodes.Replaced(ctx, m.path, false)
	}
	return len(all), nil
}

// migration is the pending work at a node.
type migration struct {
	path string
	docs []meta.Document // to be written; none if they exist
	// The documents to be deleted, attributes last: the old node stays complete as long as it
	// exists.
	old          []string
	consolidated bool // the old version has consolidated metadata
}

// migrations returns the pending work at a node and at those below it, each group before its
// members.
func (h *Hierarchy) migrations(ctx context.Context, path string, format int) ([]migration, error) {
	old, err := h.at(ctx, path, format-1)
	if err != nil {
		return nil, err
	}
	now, err := h.at(ctx, path, format)
	switch {
	case old != nil && errtype.As(err, new(*InvalidMetadataError)):
		now = nil // a partly written document
	case old == nil && catalog.IsPermanent(err):
		return nil, nil // it has the new version
	case err != nil:
		return nil, err
	case old == nil && now == nil:
		return nil, &NotFoundError{Path: path, Want: "node"}
	}
	m := migration{path: path}
	attributes := meta.DocumentAttributes
	if format == 2 {
		attributes = meta.DocumentV1Attributes
	}
	var names []string // members of a group
	if isGroup(old) || isGroup(now) {
		if names, err = h.list(ctx, path); err != nil {
			return nil, err
		}
		if m.consolidated = format == 3 && slices.Contains(names, meta.DocumentConsolidated); m.consolidated {
			m.old = append(m.old, meta.DocumentConsolidated)
		}
	}
	if old != nil {
		to, err := migrated(ctx, old, format)
		if err != nil {
			return nil, err
		}
		docs, err := h.documents(path, to)
		switch {
		case err != nil:
			return nil, err
		case now == nil:
			m.docs = docs
		case !h.describe(docs, now):
			return nil, &ExistsError{path, catalog.KindOf(now), "its metadata of version " + strconv.Itoa(format) + " contradicts that of version " +
				strconv.Itoa(format-1) + ": delete the documents of one version"}
		}
		for _, d := range old.Metadata().Documents {
			if d.Name != attributes && d.Name != meta.DocumentConsolidated {
				m.old = append(m.old, d.Name)
			}
		}
	}
	key := store.Join(path, attributes)
	h.engine.Forget(ctx, key)
	if there, err := h.engine.Exists(ctx, key); err != nil {
		return nil, err
	} else if there {
		m.old = append(m.old, attributes)
	}
	var all []migration
	if m.docs != nil || m.old != nil {
		all = append(all, m)
	}
	for _, name := range names {
		folder, ok := strings.CutSuffix(name, "/")
		if !ok {
			continue
		}
		below, err := h.migrations(ctx, store.Join(path, folder), format)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

func isGroup(n Node) bool {
	_, ok := n.(*Group)
	return ok
}

// describe reports whether documents match a node. The node's own documents may contain more.
func (h *Hierarchy) describe(docs []meta.Document, n Node) bool {
	made, err := h.nodes.Parse(n.Path(), docs)
	if err != nil {
		return false
	}
	is := n.Metadata()
	sorted := func(v json.Value) []byte { return json.AppendLaidOut(nil, v.Raw(), json.Layout{Sorted: true}) }
	if !bytes.Equal(sorted(made.Attributes), sorted(is.Attributes)) {
		return false
	}
	made.Attributes, made.Documents = is.Attributes, is.Documents
	again, err := made.Write() // an equivalent document stays unchanged
	return err == nil && !slices.ContainsFunc(again, func(d meta.Document) bool {
		return !slices.ContainsFunc(is.Documents, func(own meta.Document) bool { return sameDocument(d, own) })
	})
}

// below returns the node at a path and those below it, of one version, each group before its
// members.
func (h *Hierarchy) below(ctx context.Context, path string, format int) ([]Node, error) {
	n, err := h.Open(ctx, path, OpenOptions{Format: format, Fresh: true})
	if err != nil {
		return nil, err
	}
	nodes := []Node{n}
	if _, ok := n.(*Array); ok {
		return nodes, nil
	}
	names, err := h.list(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		folder, ok := strings.CutSuffix(name, "/")
		if !ok {
			continue
		}
		all, err := h.below(ctx, store.Join(path, folder), format)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		nodes = append(nodes, all...)
	}
	return nodes, nil
}

// migrated returns a node's metadata in another version.
func migrated(ctx context.Context, n Node, format int) (*meta.Node, error) {
	a, ok := n.(*Array)
	if !ok {
		return n.Metadata().To(format)
	}
	keys, err := a.reader.KeyEncoding(ctx)
	if err != nil {
		return nil, err
	}
	array := *a.Array
	array.Keys, array.KeysWritten = keys, true
	of := *n.Metadata()
	of.Array = &array
	to, err := of.To(format)
	if err != nil {
		return nil, reader.MetadataError(a.path, err)
	}
	return to, nil
}
