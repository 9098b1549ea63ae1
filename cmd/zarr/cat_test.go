package main

import (
	"bytes"
	"context"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// bothWays reads a selection at once and in the smallest parts.
func bothWays(ctx context.Context, n zarr.Node, items []grid.Item) (whole, parts []byte, err error) {
	array, err := onlyArray(n)
	if err != nil {
		return nil, nil, err
	}
	res, err := array.Read(ctx, items, zarr.ReadOptions{})
	if err != nil {
		return nil, nil, err
	}
	axes, err := grid.Resolve(items, array.Shape)
	if err != nil {
		return nil, nil, err
	}
	var all bytes.Buffer
	err = inParts(ctx, array, axes, 1, func(part *zarr.Result) error {
		all.Write(part.Data)
		return nil
	})
	return res.Data, all.Bytes(), err
}
