package xarray

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// wholeAxis selects all of a dimension.
func wholeAxis(n int64) grid.Axis { return grid.Axis{Step: 1, Count: n} }

func isWhole(a grid.Axis, n int64) bool {
	return a.List == nil && !a.Drop && a.Start == 0 && a.Step == 1 && a.Count == n
}

// whole selects all of the dimensions of a shape.
func whole(shape []int64) []grid.Axis {
	axes := make([]grid.Axis, len(shape))
	for i, n := range shape {
		axes[i] = wholeAxis(n)
	}
	return axes
}

// itemOf converts positions to an item of a selection.
func itemOf(a grid.Axis) grid.Item {
	switch {
	case a.Drop:
		return grid.At(a.At(0))
	case a.List != nil:
		return grid.ListOf(a.List)
	}
	start, stop, step := a.Start, a.Start+a.Step*a.Count, a.Step
	if a.Count == 0 {
		start, stop, step = 0, 0, 1
	}
	if stop < 0 { // reversed, to the beginning
		return grid.Range(&start, nil, &step)
	}
	return grid.Range(&start, &stop, &step)
}

// among composes two selections of one dimension: taken applies to the result of of.
func among(of, taken grid.Axis) grid.Axis {
	if taken.List == nil && of.List == nil {
		return grid.Axis{Start: of.At(taken.Start), Step: of.Step * taken.Step, Count: taken.Count, Drop: taken.Drop}
	}
	list := make([]int64, taken.Count)
	for i := range list {
		list[i] = of.At(taken.At(int64(i)))
	}
	return grid.Axis{Count: taken.Count, Drop: taken.Drop, List: list}
}

// axisOf converts found positions to a selection.
func axisOf(p positions) grid.Axis {
	list := make([]int64, len(p.List))
	even := len(list) > 1
	for i, at := range p.List {
		list[i] = int64(at)
		even = even && (i < 2 || list[i]-list[i-1] == list[1]-list[0])
	}
	if even = even && list[1] != list[0]; even {
		return grid.Axis{Start: list[0], Step: list[1] - list[0], Count: int64(len(list))}
	}
	return grid.Axis{Count: int64(len(list)), Drop: p.Single, List: list}
}
