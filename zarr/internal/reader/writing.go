package reader

import (
	"context"
	"errors"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// This file exports the parts of arrays and engines that package writer needs. A program that only
// reads links none of it.

// Engine returns the array's engine.
func (a *Array) Engine() *Engine { return a.engine }

// Pipeline returns the array's chain of codecs.
func (a *Array) Pipeline() *codec.Pipeline { return a.pipeline }

// Plan returns the plan for the chunk at the coordinates, and its stored shape.
func (a *Array) Plan(coords []int64) (*codec.Plan, []int, error) { return a.planFor(coords) }

// ChunkError converts an error from encoding a chunk to its public type.
func ChunkError(path, key string, err error) error { return chunkError(path, key, err) }

// SelectionError converts an error of package grid to its public type.
func SelectionError(path string, err error) error { return selectionError(path, err) }

// Key returns the key for storing a chunk. Its separator is the one in the metadata, or else the
// one of the stored chunks.
func (a *Array) Key(ctx context.Context, coords []int64) (string, error) {
	if k := &a.keys; k.other != nil && k.found.Load() == nil {
		if err := a.settleKeys(ctx, coords); err != nil {
			return "", err
		}
	}
	return a.chunkKey(coords), nil
}

// KeyEncoding returns the encoding of the array's chunk keys, with the separator of [Array.Key].
func (a *Array) KeyEncoding(ctx context.Context) (grid.KeyEncoding, error) {
	_, err := a.Key(ctx, make([]int64, len(a.Shape)))
	return *a.keys.order()[0], err
}

// settleKeys determines the separator from the stored chunks, before the first write to an array
// whose metadata names none. If the store cannot list, settleKeys looks for the chunk that is about
// to be written.
func (a *Array) settleKeys(ctx context.Context, coords []int64) error {
	k := &a.keys
	found := k.declared
	if can := a.engine.can; can.ListsAll() {
		names, err := can.List(ctx, a.Path)
		if err == nil {
			for _, name := range names {
				if isChunkName(name, k.declared.Separator) {
					k.decide(k.declared)
					return nil
				}
				if isChunkName(name, k.other.Separator) {
					found = k.other
				}
			}
			k.decide(found)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	for _, keys := range []*grid.KeyEncoding{k.declared, k.other} {
		there, err := a.engine.Exists(ctx, store.Join(a.Path, keys.Key(coords)))
		if err != nil {
			return err
		}
		if there {
			found = keys
			break
		}
	}
	k.decide(found)
	return nil
}

// isChunkName reports whether a listed name may be a chunk, or a folder of chunks, of an array with
// several dimensions.
func isChunkName(name, separator string) bool {
	if separator == "/" {
		name, folder := strings.CutSuffix(name, "/")
		return folder && name != "" && strings.Trim(name, "0123456789") == ""
	}
	return strings.Contains(name, ".") && name[0] != '.' && strings.Trim(name, "0123456789.") == ""
}

// ForgetAll drops all objects of the sources that may hold a key, and all arrays, from the caches.
func (e *Engine) ForgetAll(ctx context.Context, key string) {
	at, err := e.locate(ctx, key)
	for l := &at; err == nil && l != nil; l = l.Else {
		if l.Source != nil {
			e.source(l.Source).Clear()
		}
	}
	e.opt.Caches.DropEngine(e)
}

// Stored returns the coordinates of the stored chunks. listed is false if the store cannot list
// everything.
func (a *Array) Stored(ctx context.Context) (chunks [][]int64, listed bool, err error) {
	can := a.engine.can
	if !can.ListsAll() {
		return nil, false, nil
	}
	var walk func(folder string) error
	walk = func(folder string) error {
		names, err := can.List(ctx, strings.TrimSuffix(store.Join(a.Path, folder), "/"))
		for _, name := range names {
			switch {
			case err != nil:
			case !strings.HasSuffix(name, "/"):
				if coords := a.chunkOf(folder + name); coords != nil {
					chunks = append(chunks, coords)
				}
			case strings.Count(folder, "/") <= len(a.Shape):
				err = walk(folder + name)
			}
		}
		return err
	}
	err = walk("")
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, false, nil
	}
	return chunks, err == nil, err
}

// ReadVersion reads a whole chunk with its stored shape, past all caches, and returns the version
// of its object. An absent chunk reads as the fill value. Errors are those of [Array.ReadChunk].
func (a *Array) ReadVersion(ctx context.Context, coords []int64) (block ndarray.Block, v store.Version, there bool, err error) {
	codecs, shape, err := a.planFor(coords)
	if err == nil {
		err = a.allowsChunk(shape)
	}
	if err != nil {
		return block, v, false, err
	}
	block = ndarray.New(shape, a.Type.Size, a.Type.Variable())
	c := &chunk{Chunk: plan.Chunk{Coords: coords}, codecs: codecs}
	for again := false; ; again = true {
		e, err := a.stored(ctx, c, true)
		switch {
		case err == errAbsent:
			return block, v, false, ndarray.Fill(block, ndarray.Layout{Strides: ndarray.Strides(shape)}, shape, a.Fill)
		case err != nil:
			return block, v, false, err
		}
		if err = codecs.CheckEncoded(len(e.Bytes)); err == nil {
			env := a.engine.env(ctx)
			err = a.decode(env, codecs, block, e.Bytes, nil)
			if !a.Type.Variable() {
				a.engine.release(env) // elements of variable length refer to its memory
			}
		}
		if err = chunkError(a.Path, a.keyOf(c), err); err == nil {
			return block, e.Version, true, nil
		}
		var damaged *CodecPipelineError
		if again || !errtype.As(err, &damaged) {
			return block, v, false, err
		}
	}
}

// Whole returns the object that has exactly a chunk's bytes, and a function that accepts the
// chunk's possible sizes. If only [Array.ReadStored] finds the bytes, ok is false. The object
// may be absent.
func (a *Array) Whole(ctx context.Context, coords []int64) (from store.Source, name string, fits func(size int64) bool, ok bool) {
	keys := a.keys.order()
	codecs, _, err := a.planFor(coords)
	if err != nil || keys[1] != nil {
		return nil, "", nil, false
	}
	at, err := a.engine.locate(ctx, store.Join(a.Path, keys[0].Key(coords)))
	if err != nil || at.Source == nil || at.Length != store.ToEnd || at.Offset != 0 || at.Packed != nil || at.Else != nil {
		return nil, "", nil, false
	}
	limit := a.encodedLimit(codecs)
	fits = func(size int64) bool { return size <= limit && codecs.CheckEncodedSize(size) == nil }
	if r, ok := at.Source.(*object.Reader); ok {
		return r.Under(), at.Name, fits, true
	}
	return at.Source, at.Name, fits, true
}

// ReadStored returns the stored bytes of a chunk, and whether it exists. Errors are those of
// [Array.ReadChunk].
func (a *Array) ReadStored(ctx context.Context, coords []int64) (stored []byte, there bool, err error) {
	codecs, _, err := a.planFor(coords)
	if err != nil {
		return nil, false, err
	}
	c := &chunk{Chunk: plan.Chunk{Coords: coords}, codecs: codecs}
	for again := false; ; again = true {
		e, err := a.stored(ctx, c, again)
		switch {
		case err == errAbsent:
			return nil, false, nil
		case err != nil:
			return nil, false, err
		}
		if err = codecs.CheckEncodedSize(int64(len(e.Bytes))); err == nil {
			return e.Bytes, true, nil
		}
		a.engine.Forget(ctx, a.keyOf(c))
		if again {
			return nil, false, chunkError(a.Path, a.keyOf(c), err)
		}
	}
}

// StoredWithin reports whether any chunk with elements of a selection is stored.
func (a *Array) StoredWithin(ctx context.Context, sel []grid.Item) (bool, error) {
	walk, err := a.Grid.Walk(sel, nil)
	if err != nil {
		return false, selectionError(a.Path, err)
	}
	projections, coords := make([]grid.Projection, len(a.Shape)), make([]int64, len(a.Shape))
	for walk.Next(projections) {
		for d := range projections {
			coords[d] = projections[d].Chunk
		}
		if there, err := a.chunkExists(ctx, coords); there || err != nil {
			return there, err
		}
	}
	return false, nil
}

// stored returns the bytes of a chunk of the grid, or errAbsent. With fresh set it bypasses all
// caches.
func (a *Array) stored(ctx context.Context, c *chunk, fresh bool) (store.Extent, error) {
	ask := store.Ask{MaxBytes: a.encodedLimit(c.codecs), Fresh: fresh}
	for _, keys := range a.keys.order() {
		if keys == nil {
			break
		}
		e, err := a.engine.ReadKey(ctx, store.Join(a.Path, keys.Key(c.Coords)), ask)
		if isAbsent(err) {
			continue
		}
		if err != nil {
			return e, err
		}
		a.keys.decide(keys)
		if e.Bytes == nil {
			e.Bytes = []byte{} // it exists, but is empty
		}
		return e, nil
	}
	return store.Extent{}, errAbsent
}

// Executor returns the executor, which decodes chunks and may also encode them.
func (e *Engine) Executor() codec.Executor { return e.opt.Executor }
