package geo

import (
	"fmt"
	"math"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// The registrations of spatial:registration.
const (
	// Pixel: the transform's integers are corners of pixels. Their centres lie half a pixel
	// further.
	Pixel = "pixel"
	// Node: the transform's integers are centres of pixels.
	Node = "node"
)

// Grid places pixels in the world. Unknown fields are nil.
type Grid struct {
	// Transform maps columns and rows to world coordinates.
	Transform *Affine
	// Registration defines the transform's integers: [Pixel], which is the default, or [Node].
	Registration string
	// Shape holds the numbers of rows and columns.
	Shape *[2]int64
	// Dimensions holds the names of the dimensions of y and x.
	Dimensions *[2]string
}

// Window is a half-open range of rows and one of columns.
type Window struct{ Rows, Cols [2]int64 }

// PixelToWorld returns the world coordinates of a pixel's centre. Rows and columns may be
// fractions, and lie outside of the grid. The error is an [*Error] for a grid without a transform.
func (g *Grid) PixelToWorld(row, col float64) (x, y float64, err error) {
	m, err := g.centres()
	if err != nil {
		return 0, 0, err
	}
	if !finite(row) || !finite(col) {
		return 0, 0, &ArgumentError{"PixelToWorld", fmt.Sprintf("expected finite numbers, not %v, %v", row, col)}
	}
	x, y = m.Apply(col, row)
	return x, y, nil
}

// WorldToPixel returns the fractional row and column of world coordinates: the inverse of
// [Grid.PixelToWorld]. Rounding them gives the pixel that contains the point. The error is an
// [*Error] for a grid without a transform.
func (g *Grid) WorldToPixel(x, y float64) (row, col float64, err error) {
	m, err := g.centres()
	if err != nil {
		return 0, 0, err
	}
	if !finite(x) || !finite(y) {
		return 0, 0, &ArgumentError{"WorldToPixel", fmt.Sprintf("expected finite numbers, not %v, %v", x, y)}
	}
	inverted, err := m.Inverse()
	if err != nil {
		return 0, 0, err
	}
	col, row = inverted.Apply(x, y)
	return row, col, nil
}

// PixelAt returns the row and column of the pixel that contains a point. ok is false outside of the
// grid. Errors are those of [Grid.Window].
func (g *Grid) PixelAt(x, y float64) (row, col int64, ok bool, err error) {
	w, ok, err := g.Window(Bounds{x, y, x, y})
	return w.Rows[0], w.Cols[0], ok, err
}

// OuterBounds returns the outer edges of the grid's pixels, or nil without a transform and a shape.
func (g *Grid) OuterBounds() *Bounds {
	if g.Transform == nil || g.Shape == nil {
		return nil
	}
	m, _ := g.corners()
	b := m.Bounds(0, 0, float64(g.Shape[1]), float64(g.Shape[0]))
	if !allFinite(b[:]) {
		return nil
	}
	return &b
}

// Window returns the pixels that a box of the world touches. For a rotated grid, it covers the
// box's corners. Shared edges do not count, but a box without area touches the pixel that contains
// it. ok is false if the box touches no pixel. The error is an [*Error] for a grid without a
// transform or a shape.
func (g *Grid) Window(box Bounds) (w Window, ok bool, err error) {
	if !allFinite(box[:]) || box[0] > box[2] || box[1] > box[3] {
		return w, false, &ArgumentError{"Window", fmt.Sprintf("expected xmin, ymin, xmax, ymax, not %v", [4]float64(box))}
	}
	if g.Shape == nil {
		return w, false, &Error{Msg: "the shape of the grid is not known"}
	}
	m, err := g.corners()
	if err != nil {
		return w, false, err
	}
	inverted, err := m.Inverse()
	if err != nil {
		return w, false, err
	}
	b := inverted.Bounds(box[0], box[1], box[2], box[3])
	rows, some := span(b[1], b[3], g.Shape[0])
	cols, any := span(b[0], b[2], g.Shape[1])
	if !some || !any {
		return w, false, nil
	}
	return Window{rows, cols}, true, nil
}

// Selection returns [Grid.Window] as a selection for [zarr.Array.Read] of an array with the grid's
// dimension names. It selects all of the other dimensions. The error is an [*Error] for an array
// without these names.
func (g *Grid) Selection(array *zarr.Array, box Bounds) (items []grid.Item, ok bool, err error) {
	if g.Dimensions == nil {
		return nil, false, &Error{Path: array.Path(), Msg: "the names of the grid's dimensions are not known"}
	}
	axes := axesOf(array, g.Dimensions)
	if axes == nil {
		return nil, false, &Error{Path: array.Path(), Msg: fmt.Sprintf("has no dimensions %q", *g.Dimensions)}
	}
	w, ok, err := g.Window(box)
	if !ok || err != nil {
		return nil, false, err
	}
	items = make([]grid.Item, len(array.Shape))
	items[axes.Y] = grid.Range(&w.Rows[0], &w.Rows[1], nil)
	items[axes.X] = grid.Range(&w.Cols[0], &w.Cols[1], nil)
	return items, true, nil
}

// centres returns the transform whose integers are pixels' centres.
func (g *Grid) centres() (Affine, error) { return g.shifted(g.Registration != Node, 0.5) }

// corners returns the transform whose integers are pixels' corners.
func (g *Grid) corners() (Affine, error) { return g.shifted(g.Registration == Node, -0.5) }

func (g *Grid) shifted(shift bool, by float64) (Affine, error) {
	if g.Transform == nil {
		return Affine{}, &Error{Msg: "the grid has no affine transform"}
	}
	if !shift {
		return *g.Transform, nil
	}
	return g.Transform.Compose(Affine{1, 0, by, 0, 1, by}), nil
}

// span returns the pixels between two points of an axis. Pixels end at integers.
func span(from, to float64, length int64) ([2]int64, bool) {
	// The slack keeps rounding at an edge from adding a pixel.
	slack := 1e-9 * max(1, math.Abs(from), math.Abs(to))
	n := float64(length)
	start, stop := math.Floor(from+slack), math.Ceil(to-slack)
	if stop <= start {
		// The far edge of the last pixel belongs to it.
		if start == n && from-slack <= n {
			start = n - 1
		}
		stop = start + 1
	}
	start, stop = max(0, start), min(n, stop)
	if !(start < stop) {
		return [2]int64{}, false
	}
	return [2]int64{int64(start), int64(stop)}, true
}
