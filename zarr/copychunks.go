package zarr

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
)

// listFrom is the number of chunks from which a copy lists the stored ones, instead of requesting
// each.
const listFrom = 1 << 24

// storedChunks copies the stored chunks of an array as bytes.
func (c *copying) storedChunks(ctx context.Context, e *writer.Engine, src, dst *Array, below string) error {
	// An interrupted copy may have left chunks that this one does not have.
	left, listed, err := dst.reader.Stored(ctx)
	if err != nil {
		return err
	}
	for _, coords := range left {
		if err := e.CopyChunk(ctx, ctx, src.reader, dst.reader, coords, false); err != nil {
			return err
		}
	}
	p, err := c.begin(src, src.Grid, below)
	if err != nil {
		return err
	}
	if n, ok := src.Grid.Total(); listed && (!ok || n > listFrom) {
		if stored, ok, err := src.reader.Stored(ctx); err != nil {
			return err
		} else if ok {
			p.next = func(coords []int64) bool {
				if len(stored) == 0 {
					return false
				}
				copy(coords, stored[0])
				stored = stored[1:]
				return true
			}
		}
	}
	err = p.each(ctx, src.h.opt.Limits.Requests, func(inside context.Context, coords []int64) error {
		return e.CopyChunk(inside, ctx, src.reader, dst.reader, coords, listed)
	})
	if err == nil && p.done < p.total { // the rest is absent
		p.add(p.total - p.done)
	}
	return err
}
