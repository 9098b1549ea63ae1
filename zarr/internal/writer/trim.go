package writer

import (
	"context"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Trim deletes the chunks outside an array's new shape. It sets elements of edge chunks beyond that
// shape to the fill value. The two arrays are the old and the new one; both have the chunks in
// common. If there may be many outside chunks, Trim asks a store that lists for the stored ones.
func (e *Engine) Trim(ctx context.Context, from, to *reader.Array, lim limits.Limits) error {
	counts, kept := from.Grid.Counts(), to.Grid.Counts()
	outside := func(coords []int64) bool {
		for d, c := range coords {
			if c >= kept[d] {
				return true
			}
		}
		return false
	}
	trim := func(env *codec.Env, coords []int64) (string, error) {
		if outside(coords) {
			return e.deleteChunk(ctx, from, coords)
		}
		return e.trimChunk(ctx, env, to, coords)
	}
	smaller := false
	for d, n := range to.Shape {
		smaller = smaller || n < from.Shape[d]
	}
	if total, ok := from.Grid.Total(); smaller && (!ok || total > listFrom) {
		stored, listed, err := from.Stored(ctx)
		if err != nil {
			return err
		}
		if listed {
			i := 0
			return e.eachChunk(ctx, to.Path, lim, func() []int64 {
				for ; i < len(stored); i++ {
					if outside(stored[i]) || reaches(to.Grid, stored[i]) {
						i++
						return stored[i-1]
					}
				}
				return nil
			}, trim)
		}
	}
	for d, n := range to.Shape {
		if n >= from.Shape[d] {
			continue
		}
		// Slabs of the chunks at the edge and outside in dimension d. Earlier dimensions exclude
		// outside chunks, which are already deleted.
		sel := make([]grid.Item, len(counts))
		for k := range sel {
			stop := counts[k]
			if k < d {
				stop = min(stop, kept[k])
			}
			sel[k] = grid.Range(nil, &stop, nil)
		}
		first := from.Grid.Find(d, n)
		sel[d].Start = &first
		chunks, err := grid.Regular(counts, ones(len(counts)))
		if err != nil {
			return err
		}
		walk, err := chunks.Walk(sel, nil)
		if err != nil {
			return err
		}
		projections := make([]grid.Projection, len(counts))
		err = e.eachChunk(ctx, to.Path, lim, func() []int64 {
			if !walk.Next(projections) {
				return nil
			}
			coords := make([]int64, len(projections))
			for d := range projections {
				coords[d] = projections[d].Chunk
			}
			return coords
		}, trim)
		if err != nil {
			return err
		}
	}
	return nil
}

// listFrom is the number of chunks from which Trim lists the stored ones.
const listFrom = 1024

// reaches reports whether a chunk reaches beyond the end of the array.
func reaches(g *grid.Grid, coords []int64) bool {
	shape := g.Shape()
	stored, err := g.ChunkShape(coords)
	for d, c := range coords {
		if err != nil || stored[d] > shape[d]-g.Start(d, c) {
			return true
		}
	}
	return false
}

// eachChunk calls f for the chunks that next returns until it returns nil, several at once.
// Function f returns the key of a chunk that it has changed.
func (e *Engine) eachChunk(ctx context.Context, path string, lim limits.Limits, next func() []int64, f func(env *codec.Env, coords []int64) (string, error)) error {
	var mu sync.Mutex
	var written []string
	workers, inside := guard.NewGroup(ctx)
	for range e.limit {
		workers.Go(func() error {
			env := codec.NewEnv(inside, lim)
			for inside.Err() == nil {
				mu.Lock()
				coords := next()
				mu.Unlock()
				if coords == nil {
					return nil
				}
				key, err := f(env, coords)
				if err != nil {
					return err
				}
				if key != "" {
					mu.Lock()
					written = append(written, key)
					mu.Unlock()
				}
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return &Error{path, written, err}
	}
	return nil
}

func ones(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// deleteChunk deletes a chunk, and returns its key.
func (e *Engine) deleteChunk(ctx context.Context, a *reader.Array, coords []int64) (key string, err error) {
	if key, err = a.Key(ctx, coords); err != nil {
		return "", err
	}
	return key, e.WithLock(ctx, key, func() error { return e.Delete(ctx, key) })
}

// trimChunk sets the elements of a chunk beyond the array to the fill value. It returns the key if
// the chunk exists.
func (e *Engine) trimChunk(ctx context.Context, env *codec.Env, a *reader.Array, coords []int64) (written string, err error) {
	key, err := a.Key(ctx, coords)
	if err != nil {
		return "", err
	}
	plan, shape, err := a.Plan(coords)
	if err != nil {
		return "", err
	}
	give, err := e.memory.Take(ctx, 2*plan.Array().Memory())
	if err != nil {
		return "", err
	}
	defer give()
	err = e.Change(ctx, key, func(c *Change) error {
		mark := env.Mark()
		defer env.Release(mark)
		if !c.Compares() {
			a.Engine().Forget(ctx, key)
			there, err := a.Engine().Exists(ctx, key)
			if err != nil || !there {
				return err
			}
		}
		block, old, err := e.read(ctx, c, a, coords, key)
		if err != nil || c.Compares() && !old.There {
			return err
		}
		strides := ndarray.Strides(shape)
		for d, n := range shape {
			inside := int(min(int64(n), a.Shape[d]-a.Grid.Start(d, coords[d])))
			beyond := append([]int{}, shape...)
			beyond[d] = n - inside
			if err := ndarray.Fill(block, ndarray.Layout{Offset: inside * strides[d], Strides: strides}, beyond, a.Fill); err != nil {
				return err
			}
		}
		data, err := e.encode(env, a, key, plan, block)
		if err != nil {
			return err
		}
		written = key
		return c.Set(ctx, key, data, *old)
	})
	return written, err
}
