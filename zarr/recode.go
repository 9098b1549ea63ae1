package zarr

import (
	"context"
	"math"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// boxBytes is the approximate size of a box of elements that is read and written at once. Two such
// boxes are under way.
const boxBytes = 24 << 20

// recode reads and writes all elements of an array, in boxes of whole chunks of the copy.
func (c *copying) recode(ctx context.Context, src, dst *Array, below string) error {
	box := boxShape(src, dst)
	boxes, err := boxGrid(dst.Grid, box)
	if err != nil {
		return err
	}
	p, err := c.begin(src, boxes, below)
	if err != nil {
		return err
	}
	atOnce := 2
	if size, ok := product(box); !ok || size > boxBytes/itemBytes(dst) {
		atOnce = 1 // chunks exceed the intended size of boxes
	}
	opt := WriteOptions{SkipEmpty: true}
	if !src.FillDefined {
		opt.undefined = func(ctx context.Context, coords []int64) (bool, error) {
			there, err := src.reader.StoredWithin(ctx, region(dst.Grid, coords))
			return !there, err
		}
	}
	return p.each(ctx, atOnce, func(inside context.Context, coords []int64) error {
		sel := region(boxes, coords)
		res, err := src.Read(inside, sel, ReadOptions{})
		if err != nil {
			return err
		}
		return dst.Set(inside, sel, res, opt)
	})
}

// region selects the elements of a chunk.
func region(g *grid.Grid, coords []int64) []grid.Item {
	sel, shape, counts := make([]grid.Item, len(coords)), g.Shape(), g.Counts()
	for d, chunk := range coords {
		from, to := g.Start(d, chunk), shape[d]
		if chunk+1 < counts[d] {
			to = g.Start(d, chunk+1)
		}
		sel[d] = grid.Range(&from, &to, nil)
	}
	return sel
}

// itemBytes estimates the bytes of an element of an array in memory.
func itemBytes(a *Array) int64 {
	if a.Type.Variable() {
		return 64
	}
	return max(1, codec.ElementBytes(a.Type))
}

// boxShape returns the shape of the boxes in which an array is copied: whole chunks of the copy, up
// to about boxBytes. A box grows first where it is shortest relative to the source's chunks,
// because each of these is decoded for every box that it touches. After it has reached their
// lengths, it grows in C order.
func boxShape(src, dst *Array) []int64 {
	box, read := dst.Grid.ChunkShapes(), src.ChunkGrid().ChunkShapes()
	size := itemBytes(dst)
	for d := range box {
		box[d] = max(1, box[d])
	}
	bytes := func() float64 {
		n := float64(size)
		for _, length := range box {
			n *= float64(length)
		}
		return n
	}
	// grow multiplies the length of a dimension, limited by memory. It reports false if it cannot
	// grow.
	grow := func(d int, times int64) bool {
		times = min(times, (max(dst.Shape[d], 1)+box[d]-1)/box[d], int64(boxBytes/min(bytes(), boxBytes+1)))
		if times < 2 {
			return false
		}
		box[d] *= times
		return true
	}
	full := make([]bool, len(box))
	for {
		shortest := -1
		for d := range box {
			if full[d] || box[d] >= read[d] {
				continue
			}
			if shortest < 0 || float64(box[d])*float64(read[shortest]) < float64(box[shortest])*float64(read[d]) {
				shortest = d
			}
		}
		if shortest < 0 {
			break
		}
		full[shortest] = !grow(shortest, 2)
	}
	for d := len(box) - 1; d >= 0; d-- {
		grow(d, math.MaxInt64)
		if box[d] < dst.Shape[d] {
			break
		}
	}
	return box
}

// boxGrid returns the grid of boxes of whole chunks, at most of the given shape unless a chunk is
// larger.
func boxGrid(g *grid.Grid, box []int64) (*grid.Grid, error) {
	if g.Kind() != "rectilinear" {
		return grid.Regular(g.Shape(), box)
	}
	edges := make([][]grid.Run, len(box))
	for d := range edges {
		for _, r := range g.Edges(d) {
			many := min(max(1, box[d]/r.Size), r.Count)
			edges[d] = append(edges[d], grid.Run{Size: r.Size * many, Count: r.Count / many})
			if rest := r.Count % many; rest > 0 {
				edges[d] = append(edges[d], grid.Run{Size: r.Size * rest, Count: 1})
			}
		}
	}
	return grid.Rectilinear(g.Shape(), edges)
}
