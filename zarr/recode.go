package zarr

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/boxshape"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// boxBytes is the approximate size of a box of elements that is read and written at once. Two such
// boxes are under way.
const boxBytes = 24 << 20

// recode reads and writes all elements of an array, in boxes of whole chunks of the copy.
func (c *copying) recode(ctx context.Context, src, dst *Array, below string) error {
	most := boxBytes / itemBytes(dst)
	// Each chunk of the source is decoded for every box that it touches.
	box := boxshape.Grow(dst.Grid.ChunkShapes(), src.ChunkGrid().ChunkShapes(), dst.Shape, most, most)
	boxes, err := boxGrid(dst.Grid, box)
	if err != nil {
		return err
	}
	p, err := c.begin(src, boxes, below)
	if err != nil {
		return err
	}
	atOnce := 2
	if size, ok := product(box); !ok || size > most {
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
