package zarr

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
)

// Draft is an array without documents. Its elements can be written and read. Other programs see the
// array after [Draft.Commit].
type Draft struct {
	*Array
	draft *draft
}

// Draft returns the draft of an array. It writes nothing, and deletes nothing. Errors are those of
// [Hierarchy.Create], except that an existing node at the path is an error of Commit only. A
// specification's Overwrite has no effect.
func (h *Hierarchy) Draft(ctx context.Context, path string, spec ArraySpec) (*Draft, error) {
	d, err := h.draft(ctx, path, spec.Format, h.arrayDocuments(&spec))
	if err != nil {
		return nil, err
	}
	a, err := d.array()
	if err != nil {
		return nil, err
	}
	return &Draft{a, d}, nil
}

// Commit writes the documents of the array, and of missing groups above it. If they exist already,
// it changes nothing. Other documents there are an [*ExistsError].
func (d *Draft) Commit(ctx context.Context) error { return d.draft.commit(ctx) }

// CommitGroup writes the documents of a group with the attributes of another one, and of missing
// groups above it. The version is 2 or 3; 0 is that of the other group. If the documents exist
// already, it changes nothing. Other documents there are an [*ExistsError].
func (h *Hierarchy) CommitGroup(ctx context.Context, path string, src *Group, format int) error {
	d, err := h.draft(ctx, path, copyFormat(src, format), h.groupDocuments(src.meta.Attributes))
	if err != nil {
		return err
	}
	return d.commit(ctx)
}

// commit is put for documents that an interrupted program may have written.
func (d *draft) commit(ctx context.Context) error {
	sent := true
	return d.e.Change(ctx, store.Join(d.path, lockName), func(c *writer.Change) error {
		return d.h.put(ctx, c, d, false, &sent)
	})
}

// CopyChunk copies the stored bytes of a chunk of the grid between arrays whose chunks are the same
// ([meta.Node.SameChunks]). It deletes the chunk if the source has none. Other arrays are an
// [*UnsupportedError].
func CopyChunk(ctx context.Context, src, dst *Array, coords []int64) error {
	if err := errors.Join(src.current(), dst.current()); err != nil {
		return err
	}
	if !src.meta.SameChunks(dst.meta) {
		return &UnsupportedError{Path: dst.path, Feature: "copying the bytes of chunks from an array with other chunks"}
	}
	e, err := dst.h.writing(dst.path)
	if err != nil {
		return err
	}
	return guard.Do(func() error { return e.CopyChunk(ctx, ctx, src.reader, dst.reader, coords, false) })
}

// Store returns the store of the hierarchy.
func (h *Hierarchy) Store() store.Locator { return h.engine.Store() }
