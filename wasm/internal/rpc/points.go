package rpc

import (
	"context"

	"zarr-wasm/zarr"
)

// array opens the array that a message is about.
func (s *Session) array(ctx context.Context, msg Object) (*zarr.Array, error) {
	h, err := s.hierarchy(msg)
	if err != nil {
		return nil, err
	}
	return h.OpenArray(ctx, msg.text("path"))
}

func (s *Session) points(ctx context.Context, msg Object) (any, error) {
	a, err := s.array(ctx, msg)
	if err != nil {
		return nil, err
	}
	dims, _ := msg.Get("coords").([]any)
	coords := make([][]int64, len(dims))
	for d, v := range dims {
		if coords[d], err = integers(v); err != nil {
			return nil, &zarr.InvalidSelectionError{Path: a.Path(), Err: err}
		}
	}
	res, err := a.ReadPoints(ctx, coords, zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return s.result(a, res, msg.flag("shared"))
}

func (s *Session) stored(ctx context.Context, msg Object) (any, error) {
	a, err := s.array(ctx, msg)
	if err != nil {
		return nil, err
	}
	n, err := a.StoredChunks(ctx)
	if err != nil {
		return nil, err
	}
	return number(n), nil
}
