package reader

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// A batch of chunks is of maxBatch at most, and of chunks that have together no more bytes than batchBytes when they
// are decoded.
const (
	maxBatch   = 64
	batchBytes = 1 << 20
)

// batch is how many chunks of so many bytes, decoded, are asked for at once: one, unless they are small, in memory, and
// to be found under keys that are known. To wait for each of them would take longer than to decode it.
func (a *Array) batch(size int) int {
	if keys := a.keys.order(); keys[1] != nil || a.engine.plain == nil || !a.engine.plain.Batches() {
		return 1
	}
	return max(1, min(maxBatch, batchBytes/max(1, size)))
}

// chunks brings n touched chunks from the i-th on to the output. They are asked for at once.
func (w *worker) chunks(i, n int) error {
	a, c := w.r.a, &w.current
	w.keys = slices.Grow(w.keys[:0], n)
	for k := range n {
		if err := w.setCurrent(i + k); err != nil {
			return err
		}
		w.keys = append(w.keys, a.chunkKey(c.coords))
	}
	all, err := a.engine.plain.ReadAll(w.env.Ctx, w.keys)
	if err != nil {
		return err
	}
	var found store.Found
	get := func(ctx context.Context, fresh bool) (store.Extent, error) {
		switch {
		case ctx.Err() != nil:
			return store.Extent{}, ctx.Err()
		case isAbsent(found.Err):
			return store.Extent{}, errAbsent
		case found.Bytes == nil && found.Err == nil:
			found.Bytes = []byte{} // it is there, but empty
		}
		return store.AllOf(found.Bytes), found.Err
	}
	for k := range n {
		if err := w.setCurrent(i + k); err != nil {
			return err
		}
		found = all[k]
		if err := w.decodeChunk(c, get); err != nil {
			return err
		}
	}
	return nil
}
