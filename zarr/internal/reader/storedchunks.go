package reader

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// StoredChunks counts the stored chunks of [Array.ChunkGrid]. Every inner chunk of a stored shard
// counts. A store that can list everything is listed. Any other store is asked for the first byte
// of each chunk, one request a chunk. More chunks than the limit are a *codec.LimitError.
func (a *Array) StoredChunks(ctx context.Context) (int64, error) {
	if a.engine.can.ListsAll() {
		return a.listChunks(ctx, "")
	}
	total, ok := a.Grid.Total()
	lim := a.engine.opt.Limits
	if !ok || total > lim.Chunks {
		return 0, &codec.LimitError{Limit: "Chunks", Max: lim.Chunks, Asked: total, What: "count of chunks"}
	}
	var (
		mu          sync.Mutex
		next, found int64
	)
	g, ctx := guard.NewGroup(ctx)
	counts := a.Grid.Counts()
	for range min(total, int64(lim.Requests)) {
		g.Go(func() error {
			coords := make([]int64, len(counts))
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= total || ctx.Err() != nil {
					return nil
				}
				for d := len(counts) - 1; d >= 0; d-- {
					coords[d] = i % counts[d]
					i /= counts[d]
				}
				there, err := a.chunkExists(ctx, coords)
				if err != nil {
					return err
				}
				if there {
					mu.Lock()
					found += a.inStored(coords)
					mu.Unlock()
				}
			}
		})
	}
	err := g.Wait()
	return found, err
}

func (a *Array) chunkExists(ctx context.Context, coords []int64) (bool, error) {
	for _, keys := range a.keys.order() {
		if keys == nil {
			break
		}
		there, err := a.engine.Exists(ctx, store.Join(a.Path, keys.Key(coords)))
		if err != nil {
			return false, err
		}
		if there {
			a.keys.decide(keys)
			return true, nil
		}
	}
	return false, nil
}

// listChunks counts the keys of chunks below a folder of the array.
func (a *Array) listChunks(ctx context.Context, folder string) (int64, error) {
	ls := a.engine.can.Lister
	names, err := ls.List(ctx, store.Join(a.Path, strings.TrimSuffix(folder, "/")))
	if folder == "" {
		names, err = ls.List(ctx, a.Path)
	}
	if err != nil {
		return 0, err
	}
	var n int64
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			// No chunk lies deeper than one folder for each dimension and one for the "c".
			if strings.Count(folder, "/") > len(a.Shape) {
				continue
			}
			below, err := a.listChunks(ctx, folder+name)
			if err != nil {
				return 0, err
			}
			n += below
		} else if coords := a.chunkOf(folder + name); coords != nil {
			n += a.inStored(coords)
		}
	}
	return n, nil
}

// chunkOf returns the coordinates of the chunk under a key, relative to the array; nil if the key
// is not a chunk's.
func (a *Array) chunkOf(key string) []int64 {
	counts := a.Grid.Counts()
	coords := make([]int64, 0, len(counts))
	digits := strings.FieldsFunc(key, func(r rune) bool { return r < '0' || r > '9' })
	for _, s := range digits {
		c, err := strconv.ParseInt(s, 10, 64)
		if err != nil || len(coords) == len(counts) || c >= counts[len(coords)] {
			break
		}
		coords = append(coords, c)
	}
	if len(coords) != len(counts) {
		return nil
	}
	for _, keys := range a.keys.order() {
		if keys != nil && keys.Key(coords) == key {
			return coords
		}
	}
	return nil
}

// inStored returns how many chunks of [Array.ChunkGrid] a stored chunk holds: 1, or the inner
// chunks of a shard that have elements of the array.
func (a *Array) inStored(coords []int64) int64 {
	n := int64(1)
	stored, err := a.Grid.ChunkShape(coords)
	if err != nil {
		return 0
	}
	for d, inner := range a.InnerChunks() {
		n *= (min(stored[d], a.Shape[d]-a.Grid.Start(d, coords[d]))-1)/inner + 1
	}
	return n
}
