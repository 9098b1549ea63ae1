package dispatch

import (
	"context"

	"zarr-wasm/wasm/internal/wire"
	"zarr-wasm/zarr"
)

func (s *Session) points(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.array(msg)
	if err != nil {
		return nil, err
	}
	dims := msg.List(wire.PointsCoords)
	coords := make([][]int64, len(dims))
	for d, v := range dims {
		if coords[d], err = wire.Integers(v); err != nil {
			return nil, &zarr.InvalidSelectionError{Path: a.Path(), Err: err}
		}
	}
	return s.run(msg, a, func(opt zarr.ReadOptions) (*zarr.Result, error) { return a.ReadPoints(ctx, coords, opt) })
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
