package zarr

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"zarr-wasm/store"
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
	if keys := a.keys.order(); keys[1] != nil || !a.h.store.Batches() {
		return 1
	}
	return max(1, min(maxBatch, batchBytes/max(1, size)))
}

// chunks brings n touched chunks from the i-th on to the output. They are asked for at once.
func (w *worker) chunks(i, n int) error {
	a, p := w.r.a, &w.own
	w.keys = slices.Grow(w.keys[:0], n)
	for k := range n {
		if err := w.turnTo(i + k); err != nil {
			return err
		}
		w.keys = append(w.keys, a.chunkKey(p.coords))
	}
	all, err := a.h.store.GetAll(w.env.Ctx, w.keys)
	if err != nil {
		return err
	}
	var found store.Found
	get := func(ctx context.Context) ([]byte, error) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(found.Err, fs.ErrNotExist):
			return nil, errAbsent
		case found.Bytes == nil && found.Err == nil:
			return []byte{}, nil // there, but empty
		}
		return found.Bytes, found.Err
	}
	for k := range n {
		if err := w.turnTo(i + k); err != nil {
			return err
		}
		found = all[k]
		if err := w.leaf(p, get); err != nil {
			return err
		}
	}
	return nil
}
