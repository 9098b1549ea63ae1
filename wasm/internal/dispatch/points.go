package dispatch

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

func (s *Session) points(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.array(msg)
	if err != nil {
		return nil, err
	}
	coords, err := Points(a.Path(), msg.List(wire.PointsCoords))
	if err != nil {
		return nil, err
	}
	return s.run(msg, a, func(opt zarr.ReadOptions) (*zarr.Result, error) { return a.ReadPoints(ctx, coords, opt) })
}

// Points reads a message's coordinates of elements of the array at a path, one list for each
// dimension.
func Points(path string, dims []any) ([][]int64, error) {
	coords := make([][]int64, len(dims))
	for d, v := range dims {
		list, _ := v.(wire.Object)
		var ok bool
		if coords[d], ok = wire.IndicesOf(list); !ok {
			return nil, &zarr.InvalidSelectionError{Path: path, Err: wire.ErrNotInteger}
		}
	}
	return coords, nil
}

func (s *Session) stored(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.array(msg)
	if err != nil {
		return nil, err
	}
	n, err := a.StoredChunks(ctx)
	if err != nil {
		return nil, err
	}
	return wire.Number(n), nil
}
