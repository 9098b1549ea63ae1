package reader

import (
	"context"
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
)

// ReadPoints reads single elements. coords has one list for each dimension, all of the same length.
// Element i of the result is the one at coords[0][i], coords[1][i], and so on. Negative coordinates
// count from the end; coords is not changed. Each chunk is read once, and of shards only the inner
// chunks with points. There are no partial results. Errors are those of [Array.Read].
func (a *Array) ReadPoints(ctx context.Context, coords [][]int64, opt Options) (*Result, error) {
	lists, err := a.CheckPoints(coords)
	if err != nil {
		return nil, err
	}
	shape := []int{len(lists[0])}
	if err := a.allows(shape, "selection"); err != nil {
		return nil, err
	}
	p, err := plan.NewPoints(a.Grid, lists, a.engine.opt.Limits.Chunks)
	if err != nil {
		return nil, err
	}
	r := &read{a: a, opt: opt, plan: p}
	if err := r.prepare(shape); err != nil {
		return nil, err
	}
	return r.execute(ctx, shape)
}

// CheckPoints returns the coordinates as non-negative numbers, in lists of the same length. It
// returns an *InvalidSelectionError if they do not fit the array.
func (a *Array) CheckPoints(coords [][]int64) ([][]int64, error) {
	invalid := func(dim int, msg string) error {
		return &InvalidSelectionError{a.Path, &grid.Error{Dim: dim, Msg: msg}}
	}
	if len(coords) != len(a.Shape) || len(coords) == 0 {
		return nil, invalid(-1, "points need a list of coordinates for each dimension")
	}
	lists := slices.Clone(coords)
	n := len(coords[0])
	if n > math.MaxInt32 {
		return nil, invalid(0, "there are more points than one read can have")
	}
	for d, list := range coords {
		if len(list) != n {
			return nil, invalid(d, "the lists of coordinates differ in length")
		}
		for i, c := range list {
			if c < -a.Shape[d] || c >= a.Shape[d] {
				return nil, invalid(d, "a coordinate is outside the array")
			}
			if c >= 0 {
				continue
			}
			if &lists[d][0] == &list[0] {
				lists[d] = slices.Clone(list) // the list is the caller's
			}
			lists[d][i] += a.Shape[d]
		}
	}
	return lists, nil
}
