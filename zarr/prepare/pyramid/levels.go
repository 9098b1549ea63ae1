package pyramid

import (
	"context"
	"fmt"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/boxes"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// chain is an array with its levels.
type chain struct {
	*reducer
	name   string
	arrays []*zarr.Array // the finest first
	// tiles holds the shape of the boxes that are computed at once, for each level but the first.
	tiles [][]int64
}

// halfShape returns the shape of the next level.
func halfShape(shape []int64, halved []bool) []int64 {
	out := slices.Clone(shape)
	for d, half := range halved {
		if half {
			out[d] = (out[d] + 1) / 2
		}
	}
	return out
}

// plan divides the levels into stages. A unit of a stage makes a tile of its coarsest level, and
// the tiles of finer levels below it. The first stage reads the array, and each later one reads the
// coarsest level of the stage before.
func (c *chain) plan(memory int64, workers int) []units.Stage {
	c.tiles = make([][]int64, len(c.arrays))
	for k, a := range c.arrays[1:] {
		tile := a.Grid.ChunkShapes()
		for d := range tile {
			// Pairs of elements must not lie in two tiles.
			if c.halved[d] && tile[d]%2 == 1 && tile[d] < a.Shape[d] {
				tile[d] *= 2
			}
		}
		c.tiles[k+1] = c.whole(tile, a.Shape)
	}
	var stages []units.Stage
	for from := 0; from < len(c.arrays)-1; {
		to := from + 1
		for to < len(c.arrays)-1 && c.extends(from, to+1, memory, workers) {
			to++
		}
		stages = append(stages, c.stage(from, to))
		from = to
	}
	return stages
}

const (
	// smallBytes is the size of a level for which one unit suffices.
	smallBytes = 32 << 20
	// mostRead is the size of the elements that one unit reads at most. A killed program repeats
	// it.
	mostRead = 512 << 20
)

// extends reports whether a stage that begins with a level should make the levels up to another.
func (c *chain) extends(from, to int, memory int64, workers int) bool {
	above, tile := c.tiles[to], c.tiles[to-1]
	for d, n := range c.arrays[to-1].Shape {
		factor := int64(1)
		if c.halved[d] {
			factor = 2
		}
		if above[d] < c.arrays[to].Shape[d] && above[d]*factor%tile[d] != 0 {
			return false // a tile would lie in two units
		}
		if above[d]*factor < tile[d] && tile[d] < n {
			return false
		}
	}
	a := c.arrays[from]
	if boxes.Bytes(a.Shape, boxes.ItemBytes(a)) <= smallBytes {
		return c.memory(from, to) <= memory
	}
	read := boxes.ItemBytes(a)
	for d, n := range boxes.Clip(above, c.arrays[to].Shape) {
		if read *= n; c.halved[d] {
			read <<= min(to-from, 40)
		}
	}
	return c.memory(from, to) <= memory/int64(workers) && c.count(to) >= int64(4*workers) && read <= mostRead
}

// count returns the number of tiles of a level.
func (c *chain) count(level int) int64 {
	n := int64(1)
	for d, length := range c.arrays[level].Shape {
		n *= (length + c.tiles[level][d] - 1) / c.tiles[level][d]
	}
	return n
}

// memory returns the bytes that a unit takes: a tile of each level, one more while it is reduced,
// and those of reading and writing.
func (c *chain) memory(from, to int) int64 {
	var sum, largest, write int64
	for k := from + 1; k <= to; k++ {
		a := c.arrays[k]
		tile := boxes.Bytes(boxes.Clip(c.tiles[k], a.Shape), boxes.ItemBytes(a))
		sum, largest, write = sum+tile, max(largest, tile), max(write, boxes.WriteMemory(a))
	}
	in := c.reader(from)
	piece := boxes.Bytes(boxes.Clip(in.Piece, in.Array.Shape), boxes.ItemBytes(in.Array))
	return sum + largest + 2*piece + max(write, in.Memory())
}

// reader returns the reader of a level. Its pieces begin at even indices.
func (c *chain) reader(level int) *boxes.Reader {
	in := boxes.NewReader(c.arrays[level], smallBytes/4)
	for d, half := range c.halved {
		if half && in.Piece[d]%2 == 1 && in.Piece[d] < in.Array.Shape[d] {
			in.Piece[d] *= 2
		}
	}
	in.Piece = c.whole(in.Piece, in.Array.Shape)
	return in
}

// whole returns the shape of a tile that covers an array of coordinates, or else the tile.
func (c *chain) whole(tile, shape []int64) []int64 {
	if c.coordinate {
		for d, n := range shape {
			tile[d] = (max(1, n) + tile[d] - 1) / tile[d] * tile[d]
		}
	}
	return tile
}

// stage returns the stage that makes some levels from the one before them.
func (c *chain) stage(from, to int) units.Stage {
	name := fmt.Sprintf("%s level %d", c.name, to)
	if to > from+1 {
		name = fmt.Sprintf("%s levels %d to %d", c.name, from+1, to)
	}
	base := c.arrays[from]
	s := units.Stage{Name: name, Count: c.count(to), Bytes: boxes.Bytes(base.Shape, boxes.ItemBytes(base)), Memory: c.memory(from, to)}
	in := c.reader(from)
	s.Run = func(ctx context.Context, unit int64) error {
		shape := c.arrays[to].Shape
		b := boxes.Box{Lo: make([]int64, len(shape)), Hi: make([]int64, len(shape))}
		for d := len(shape) - 1; d >= 0; d-- {
			tile := c.tiles[to][d]
			n := (shape[d] + tile - 1) / tile
			b.Lo[d] = unit % n * tile
			b.Hi[d] = min(b.Lo[d]+tile, shape[d])
			unit /= n
		}
		_, release, err := c.make(ctx, in, from, to, b)
		if err == nil {
			release()
		}
		return err
	}
	return s
}

// make computes a box of a level, and writes it. release frees its memory.
func (c *chain) make(ctx context.Context, in *boxes.Reader, from, level int, b boxes.Box) (out ndarray.Block, release func(), err error) {
	a := c.arrays[level]
	release, err = units.Hold(ctx, boxes.Bytes(lengths(b), boxes.ItemBytes(a)))
	if err != nil {
		return out, nil, err
	}
	out = ndarray.New(b.Shape(), a.Type.Size, a.Type.Variable())
	strides := ndarray.Strides(out.Shape)
	below := boxes.Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
	for d, half := range c.halved {
		if half {
			below.Lo[d], below.Hi[d] = 2*b.Lo[d], min(2*b.Hi[d], c.arrays[level-1].Shape[d])
		}
	}
	step := in.Piece
	if level-1 > from {
		step = c.tiles[level-1]
	}
	err = boxes.Cover(below, step, func(p boxes.Box) error {
		part, drop, err := c.part(ctx, in, from, level-1, p)
		if err != nil {
			return err
		}
		defer drop()
		start := int64(0)
		if c.weights != nil {
			start = p.Lo[c.along]
		}
		small, err := c.reduce(part, level-1, start)
		if err != nil {
			return err
		}
		to := ndarray.Layout{Strides: strides}
		for d, half := range c.halved {
			at := p.Lo[d]
			if half {
				at /= 2
			}
			to.Offset += int(at-b.Lo[d]) * strides[d]
		}
		return ndarray.Copy(out, to, small, ndarray.Layout{Strides: ndarray.Strides(small.Shape)}, small.Shape)
	})
	if err == nil {
		err = boxes.Write(ctx, a, b, out)
	}
	if err != nil {
		release()
		return out, nil, err
	}
	return out, release, nil
}

// part returns a box of the level below: read if the stage begins with it, else made.
func (c *chain) part(ctx context.Context, in *boxes.Reader, from, level int, b boxes.Box) (ndarray.Block, func(), error) {
	if level > from {
		return c.make(ctx, in, from, level, b)
	}
	release, err := units.Hold(ctx, boxes.Bytes(lengths(b), boxes.ItemBytes(in.Array)))
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	block, err := in.Read(ctx, b)
	if err != nil {
		release()
		return block, nil, err
	}
	return block, release, nil
}

func lengths(b boxes.Box) []int64 {
	n := make([]int64, len(b.Lo))
	for d := range n {
		n[d] = b.Hi[d] - b.Lo[d]
	}
	return n
}
