package zarr

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Migrate writes the metadata of a node, and of all nodes below it, in another version: 2 of an array of version 1, and 3 of nodes of version 2. Chunks
// stay as they are, under the keys that they have. What the new version has no words for, such as a codec without a name
// there, is an error before anything is written. The old documents are deleted when all new ones are there; before, both versions can be read.
// Errors are those of [Hierarchy.Create], and [*NotFoundError].
func (h *Hierarchy) Migrate(ctx context.Context, path string, format int) error {
	path, err := cleanPath(path)
	if err != nil {
		return err
	}
	e, err := h.writing(path)
	if err != nil {
		return err
	}
	if format != 2 && format != 3 {
		return &UnsupportedError{Path: path, Feature: "migrating to version " + strconv.Itoa(format)}
	}
	nodes, err := h.below(ctx, path, format-1)
	if err != nil {
		return err
	}
	type change struct {
		path string
		docs []meta.Document
		old  []string
	}
	changes := make([]change, len(nodes))
	for i, n := range nodes {
		m, err := migrated(ctx, n, format)
		if err != nil {
			return err
		}
		c := change{path: n.Path()}
		if c.docs, err = h.documents(c.path, m); err != nil {
			return err
		}
		for _, d := range n.Metadata().Documents {
			c.old = append(c.old, d.Name)
		}
		changes[i] = c
	}
	for _, c := range slices.Backward(changes) { // what is below a node before the node
		if err := h.locked(ctx, e, c.path, func() error { return h.putDocuments(ctx, e, c.path, c.docs) }); err != nil {
			return err
		}
	}
	for _, c := range changes {
		for _, name := range c.old {
			if err := e.Delete(ctx, store.Join(c.path, name)); err != nil {
				return err
			}
		}
		h.nodes.Replaced(ctx, c.path, false)
	}
	return nil
}

// below returns the node at a path and those below it, of one version, each behind the one that it is in.
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

// migrated makes metadata of a node in another version.
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
