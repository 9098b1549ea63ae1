package zarr

import (
	"context"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// ConsolidateMetadata writes the metadata of all nodes below a group into the group's: into
// .zmetadata in version 2, and into its zarr.json in version 3. It returns the new group. The
// result is a copy: later changes need another consolidation. This hierarchy keeps reading the
// nodes' own documents. Errors are those of [Hierarchy.Create], [*NotFoundError], and that of an
// unreadable node.
func (h *Hierarchy) ConsolidateMetadata(ctx context.Context, path string) (*Group, error) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	e, err := h.writing(path)
	if err != nil {
		return nil, err
	}
	n, err := h.Open(ctx, path, OpenOptions{Kind: "group", Fresh: true})
	if err != nil {
		return nil, err
	}
	format := n.Metadata().Format
	nodes, err := h.below(ctx, path, format)
	if err != nil {
		return nil, err
	}
	entries := make([]meta.Entry, len(nodes)-1)
	for i, n := range nodes[1:] {
		entries[i] = meta.Entry{Path: strings.TrimPrefix(strings.TrimPrefix(n.Path(), path), "/"), Node: n.Metadata()}
	}
	err = e.Change(ctx, store.Join(path, lockName), func(c *writer.Change) error {
		now, err := h.Open(ctx, path, OpenOptions{Kind: "group", Format: format, Fresh: true})
		if err != nil {
			return err
		}
		doc, err := now.Metadata().Consolidate(entries)
		if err != nil {
			return reader.MetadataError(path, err)
		}
		// This document depends on other documents, and not on its old version.
		if doc.Name == meta.DocumentConsolidated {
			defer h.nodes.Changed(ctx, path)
			return c.Put(ctx, store.Join(path, doc.Name), doc.Bytes)
		}
		return h.changeDocuments(ctx, c, path, now.Metadata().Documents, []meta.Document{doc})
	})
	if err != nil {
		return nil, err
	}
	n, err = h.open(ctx, path, catalog.Options{Kind: "group", Format: format, Whole: true})
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}
