// Package boxes reads and writes boxes of arrays within a known amount of memory, and plans their
// shapes.
package boxes

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// Box is a box of elements: from Lo up to Hi, without Hi.
type Box struct{ Lo, Hi []int64 }

// Shape returns the lengths of the box.
func (b Box) Shape() []int {
	shape := make([]int, len(b.Lo))
	for d := range shape {
		shape[d] = int(b.Hi[d] - b.Lo[d])
	}
	return shape
}

// Items selects the elements of the box.
func (b Box) Items() []grid.Item {
	sel := make([]grid.Item, len(b.Lo))
	for d := range sel {
		sel[d] = grid.Range(&b.Lo[d], &b.Hi[d], nil)
	}
	return sel
}

// ItemBytes estimates the bytes of an element of an array in memory.
func ItemBytes(a *zarr.Array) int64 {
	if a.Type.Variable() {
		return 64
	}
	return max(1, codec.ElementBytes(a.Type))
}

// Bytes returns the size in bytes of a box of that shape, at most math.MaxInt64.
func Bytes(shape []int64, item int64) int64 {
	n := float64(item)
	for _, length := range shape {
		n *= float64(length)
	}
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(n)
}

// Clip returns the shape without the lengths beyond an array's.
func Clip(shape, within []int64) []int64 {
	out := make([]int64, len(shape))
	for d := range out {
		out[d] = min(shape[d], max(1, within[d]))
	}
	return out
}

// Cover calls f for the boxes of a grid of that step that cover a box, clipped to it, in C order.
func Cover(b Box, step []int64, f func(Box) error) error {
	at := make([]int64, len(step))
	for d := range at {
		if b.Hi[d] <= b.Lo[d] {
			return nil
		}
		at[d] = b.Lo[d] / step[d] * step[d]
	}
	for {
		part := Box{make([]int64, len(at)), make([]int64, len(at))}
		for d := range at {
			part.Lo[d], part.Hi[d] = max(at[d], b.Lo[d]), min(at[d]+step[d], b.Hi[d])
		}
		if err := f(part); err != nil {
			return err
		}
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d] += step[d]; at[d] < b.Hi[d] {
				break
			}
			at[d] = b.Lo[d] / step[d] * step[d]
		}
		if d < 0 {
			return nil
		}
	}
}

// Reader reads boxes of an array in pieces of whole chunks.
type Reader struct {
	Array *zarr.Array
	// Piece is the shape of the pieces, a multiple of the chunks; nil stands for single chunks, of
	// any lengths.
	Piece []int64
	// Pool, if set, supplies the memory of boxes.
	Pool *Pool
}

// Pool is memory of boxes that are done, for later boxes. Without it, garbage would take as much
// memory as the boxes under way.
type Pool struct {
	mu    sync.Mutex
	spare [][]byte
}

// mostSpare bounds the boxes whose memory is kept.
const mostSpare = 4

// take returns n bytes with any contents.
func (p *Pool) take(n int) []byte {
	if p == nil {
		return make([]byte, n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, old := range p.spare {
		if cap(old) >= n {
			p.spare = slices.Delete(p.spare, i, i+1)
			return old[:n]
		}
	}
	p.spare = nil // too small for these boxes
	return make([]byte, n)
}

// Give keeps the memory of a block that [Reader.Read] returned.
func (p *Pool) Give(b ndarray.Block) {
	if p == nil || b.Data == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spare = append(p.spare, b.Data[:0]); len(p.spare) > mostSpare {
		p.spare = p.spare[1:]
	}
}

// room returns a block for a box. All of it will be overwritten.
func (r *Reader) room(shape []int) ndarray.Block {
	if r.Array.Type.Variable() {
		return ndarray.New(shape, 0, true)
	}
	b := ndarray.Block{Shape: shape, Size: r.Array.Type.Size}
	b.Data = r.Pool.take(b.Len() * b.Size)
	return b
}

// pieceBytes is the size of elements that are read at once, so that several chunks are fetched and
// decoded at the same time.
const pieceBytes = 8 << 20

// NewReader returns a reader whose pieces have about most bytes, or are single chunks.
func NewReader(a *zarr.Array, most int64) *Reader {
	piece := a.ChunkGrid().ChunkShapes()
	for d := range piece {
		piece[d] = max(1, piece[d])
	}
	room := min(most, pieceBytes)
	for d := len(piece) - 1; d >= 0; d-- {
		size := Bytes(Clip(piece, a.Shape), ItemBytes(a))
		times := min(max(1, room/max(1, size)), (max(1, a.Shape[d])-1)/piece[d]+1)
		piece[d] *= times
		if piece[d] < a.Shape[d] {
			break
		}
	}
	return &Reader{Array: a, Piece: piece}
}

// Memory returns the bytes that reading takes beyond the box: a piece, its chunks, and their stored
// bytes.
func (r *Reader) Memory() int64 {
	chunk := Bytes(r.Array.ChunkGrid().ChunkShapes(), ItemBytes(r.Array))
	if r.Piece == nil {
		return Sum(chunk, 3)
	}
	return Sum(max(Bytes(Clip(r.Piece, r.Array.Shape), ItemBytes(r.Array)), chunk), 3)
}

// Sum returns n times a size, at most math.MaxInt64.
func Sum(size, n int64) int64 {
	if size > math.MaxInt64/n {
		return math.MaxInt64
	}
	return n * size
}

// Read reads a box.
func (r *Reader) Read(ctx context.Context, b Box) (ndarray.Block, error) {
	release, err := units.Hold(ctx, r.Memory())
	if err != nil {
		return ndarray.Block{}, err
	}
	defer release()
	out := r.room(b.Shape())
	each := func(f func(Box) error) error { return Cover(b, r.Piece, f) }
	if r.Piece == nil {
		each = func(f func(Box) error) error { return Chunks(r.Array.ChunkGrid(), b, f) }
	}
	err = each(func(p Box) error {
		to := &window{block: out, at: within(out, b, p), strides: ndarray.Strides(p.Shape())}
		res, err := r.Array.Read(ctx, p.Items(), zarr.ReadOptions{Output: to.of})
		if err != nil || res.Items == nil {
			return err
		}
		return to.Put(ndarray.Layout{Strides: to.strides}, res.Block, ndarray.Layout{Strides: to.strides}, res.Shape)
	})
	return out, err
}

// WriteMemory returns the bytes that [Write] takes beyond the box: a chunk, its copy, and its
// encoded bytes, twice in shards.
func WriteMemory(a *zarr.Array) int64 {
	return Sum(Bytes(a.Grid.ChunkShapes(), ItemBytes(a)), 4)
}

// Write writes a box of whole chunks of the array's grid, one after the other. Chunks of fill
// values are deleted.
func Write(ctx context.Context, a *zarr.Array, b Box, block ndarray.Block) error {
	release, err := units.Hold(ctx, WriteMemory(a))
	if err != nil {
		return err
	}
	defer release()
	opt := zarr.WriteOptions{SkipEmpty: true}
	var room []byte // of a chunk, for all of them
	return Chunks(a.Grid, b, func(c Box) error {
		part := block
		if !same(c, b) {
			part = ndarray.Block{Shape: c.Shape(), Size: block.Size}
			if n := part.Len(); block.Items != nil {
				part.Items = make([][]byte, n)
			} else {
				room = slices.Grow(room[:0], n*part.Size)
				part.Data = room[:n*part.Size]
			}
			if err := ndarray.Copy(part, ndarray.Layout{Strides: ndarray.Strides(part.Shape)}, block, within(block, b, c), part.Shape); err != nil {
				return err
			}
		}
		return a.Set(ctx, c.Items(), part, opt)
	})
}

// within returns the places of a part of a box in its block.
func within(block ndarray.Block, b, part Box) ndarray.Layout {
	at := ndarray.Layout{Strides: ndarray.Strides(block.Shape)}
	for d, n := range at.Strides {
		at.Offset += int(part.Lo[d]-b.Lo[d]) * n
	}
	return at
}

func same(a, b Box) bool {
	for d := range a.Lo {
		if a.Lo[d] != b.Lo[d] || a.Hi[d] != b.Hi[d] {
			return false
		}
	}
	return true
}

// Chunks calls f for the chunks of a grid that lie in a box, clipped to it, in C order.
func Chunks(g *grid.Grid, b Box, f func(Box) error) error {
	n := g.Rank()
	first, at := make([]int64, n), make([]int64, n)
	shape, counts := g.Shape(), g.Counts()
	for d := range at {
		if b.Hi[d] <= b.Lo[d] {
			return nil
		}
		first[d] = g.Find(d, b.Lo[d])
	}
	copy(at, first)
	for {
		c := Box{make([]int64, n), make([]int64, n)}
		for d := range at {
			end := shape[d]
			if at[d]+1 < counts[d] {
				end = g.Start(d, at[d]+1)
			}
			c.Lo[d], c.Hi[d] = max(b.Lo[d], g.Start(d, at[d])), min(b.Hi[d], end)
		}
		if err := f(c); err != nil {
			return err
		}
		d := n - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < counts[d] && g.Start(d, at[d]) < b.Hi[d] {
				break
			}
			at[d] = first[d]
		}
		if d < 0 {
			return nil
		}
	}
}
