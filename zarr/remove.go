package zarr

import (
	"context"
	"errors"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Delete deletes the node at a path and all nodes below it; at the root, all objects of the store.
// Without a node the error is a [*NotFoundError]. A failed deletion may be partly done.
func (h *Hierarchy) Delete(ctx context.Context, path string) error {
	path, err := cleanPath(path)
	if err != nil {
		return err
	}
	e, err := h.writing(path)
	if err != nil {
		return err
	}
	return h.locked(ctx, e, path, func() error {
		n, err := h.existing(ctx, path)
		var invalid *InvalidMetadataError
		if err != nil && !errtype.As(err, &invalid) && !catalog.IsPermanent(err) {
			return err
		}
		if err == nil && n == nil {
			return &NotFoundError{Path: path, Want: "node"}
		}
		return h.clear(ctx, e, path)
	})
}

// Move moves a node, and all nodes below it, to another path. It copies the objects, with each
// node's documents after its chunks, and deletes the old ones when all copies exist. It creates
// missing groups above the new path. A node there is an [*ExistsError]. The store must list. Writes
// to the node during the move are lost.
func (h *Hierarchy) Move(ctx context.Context, from, to string) error {
	from, err := cleanPath(from)
	if err != nil {
		return err
	}
	if to, err = cleanPath(to); err != nil {
		return err
	}
	if from == to || from == "" || to == "" || strings.HasPrefix(to, from+"/") || strings.HasPrefix(from, to+"/") {
		return &UnsupportedError{Path: from, Feature: "moving a node to itself, above itself or below itself"}
	}
	e, err := h.writing(from)
	if err != nil {
		return err
	}
	n, err := h.Open(ctx, from, OpenOptions{Fresh: true})
	if err != nil {
		return err
	}
	above, format, err := h.missingAbove(ctx, to, n.Metadata().Format)
	if err != nil {
		return err
	}
	err = h.locked(ctx, e, to, func() error {
		switch there, err := h.existing(ctx, to); {
		case err != nil:
			return err
		case there != nil:
			return &ExistsError{Path: to, Found: catalog.KindOf(there)}
		}
		if err := h.putAbove(ctx, e, above, format); err != nil {
			return err
		}
		defer h.nodes.Replaced(ctx, to, true)
		return h.walk(ctx, from, func(key string) error {
			b, err := h.engine.ReadKey(ctx, key, store.Ask{Fresh: true})
			if err != nil {
				return err
			}
			return e.Set(ctx, to+strings.TrimPrefix(key, from), b.Bytes)
		})
	})
	if err != nil {
		return err
	}
	return h.Delete(ctx, from)
}

// Rename is [Hierarchy.Move].
func (h *Hierarchy) Rename(ctx context.Context, from, to string) error { return h.Move(ctx, from, to) }

// walk calls f with the keys of all objects below a path. In each folder, subfolders and chunks
// come before metadata.
func (h *Hierarchy) walk(ctx context.Context, path string, f func(key string) error) error {
	names, err := h.list(ctx, path)
	if err != nil {
		return err
	}
	var documents []string
	for _, name := range names {
		key := store.Join(path, name)
		switch folder, ok := strings.CutSuffix(key, "/"); {
		case ok:
			err = h.walk(ctx, folder, f)
		case isDocument(name):
			documents = append(documents, key)
		default:
			err = f(key)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range documents {
		if err := f(key); err != nil {
			return err
		}
	}
	return nil
}

// list lists the names directly below a path.
func (h *Hierarchy) list(ctx context.Context, path string) ([]string, error) {
	unsupported := &UnsupportedError{Path: path, Feature: "listing the nodes below a node in a store that cannot list"}
	can := h.engine.Capabilities()
	if !can.ListsAll() {
		return nil, unsupported
	}
	names, err := can.List(ctx, path)
	if errors.Is(err, errors.ErrUnsupported) {
		unsupported.Err = err
		return nil, unsupported
	}
	return names, err
}

func isDocument(name string) bool {
	switch name {
	case meta.DocumentV3, meta.DocumentArray, meta.DocumentGroup, meta.DocumentAttributes, meta.DocumentConsolidated:
		return true
	}
	return false
}
