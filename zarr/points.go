package zarr

import (
	"context"
	"sync"

	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/grid"
	"zarr-wasm/zarr/ndarray"
)

// ReadPoints reads single elements: coords has a list for each dimension, all
// of one length, and element i of the result is the one at coords[0][i],
// coords[1][i], and so on. Negative coordinates count from the end. Each chunk
// is read once, however many points lie in it. Errors are those of [Array.Read].
func (a *Array) ReadPoints(ctx context.Context, coords [][]int64, opt ReadOptions) (*Result, error) {
	n, err := a.checkPoints(coords)
	if err != nil {
		return nil, err
	}
	boxes, err := a.boxes(coords, n)
	if err != nil {
		return nil, err
	}
	out := ndarray.New([]int{n}, a.Type.Size, a.Type.Variable())
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		next  int
		done  int
		takes = func() *box {
			mu.Lock()
			defer mu.Unlock()
			if next >= len(boxes) || ctx.Err() != nil {
				return nil
			}
			next++
			return boxes[next-1]
		}
	)
	for range min(len(boxes), a.h.opt.Limits.Requests) {
		wg.Go(func() {
			for b := takes(); b != nil; b = takes() {
				if err := a.readBox(ctx, b, coords, out); err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				done++
				if opt.Progress != nil {
					opt.Progress(done, len(boxes))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return &Result{out, a.Type}, nil
}

// checkPoints wraps negative coordinates in place and returns how many points
// there are.
func (a *Array) checkPoints(coords [][]int64) (int, error) {
	invalid := func(dim int, msg string) error {
		return &InvalidSelectionError{a.path, &grid.Error{Dim: dim, Msg: msg}}
	}
	if len(coords) != len(a.Shape) || len(coords) == 0 {
		return 0, invalid(-1, "points need a list of coordinates for each dimension")
	}
	n := len(coords[0])
	lim := a.h.opt.Limits
	if size, err := bytesOf("selection", []int{n}, max(a.Type.Size, 24)); err != nil {
		return 0, err
	} else if size > lim.OutputBytes {
		return 0, &codec.LimitError{Limit: "OutputBytes", Max: lim.OutputBytes, Asked: size, What: "selection"}
	}
	for d, list := range coords {
		if len(list) != n {
			return 0, invalid(d, "the lists of coordinates are not of one length")
		}
		for i, c := range list {
			if c < 0 {
				c += a.Shape[d]
			}
			if c < 0 || c >= a.Shape[d] {
				return 0, invalid(d, "a coordinate is outside the array")
			}
			list[i] = c
		}
	}
	return n, nil
}

// box is the smallest box around the points that lie in one chunk.
type box struct {
	from, to []int64
	points   []int // their places in the result
}

// boxes groups the points by chunk.
func (a *Array) boxes(coords [][]int64, n int) ([]*box, error) {
	lim := a.h.opt.Limits
	byChunk := map[string]*box{}
	var list []*box
	key := make([]byte, 0, 64)
	at := make([]int64, len(coords))
	for i := range n {
		for d := range coords {
			at[d] = a.Grid.Find(d, coords[d][i])
		}
		key = a.Keys.Append(key[:0], at)
		b := byChunk[string(key)]
		if b == nil {
			if int64(len(list)) >= lim.Chunks {
				return nil, &codec.LimitError{Limit: "Chunks", Max: lim.Chunks, Asked: lim.Chunks + 1, What: "selection"}
			}
			b = &box{from: make([]int64, len(coords)), to: make([]int64, len(coords))}
			for d := range coords {
				b.from[d], b.to[d] = coords[d][i], coords[d][i]+1
			}
			byChunk[string(key)] = b
			list = append(list, b)
		}
		for d := range coords {
			b.from[d], b.to[d] = min(b.from[d], coords[d][i]), max(b.to[d], coords[d][i]+1)
		}
		b.points = append(b.points, i)
	}
	return list, nil
}

func (a *Array) readBox(ctx context.Context, b *box, coords [][]int64, out ndarray.Block) error {
	sel := make([]grid.Item, len(coords))
	for d := range sel {
		sel[d] = grid.Range(&b.from[d], &b.to[d], nil)
	}
	part, err := a.Read(ctx, sel, ReadOptions{})
	if err != nil {
		return err
	}
	strides := ndarray.Strides(part.Shape)
	for _, p := range b.points {
		i := 0
		for d := range coords {
			i += int(coords[d][p]-b.from[d]) * strides[d]
		}
		if out.Items != nil {
			out.Items[p] = part.Items[i]
			continue
		}
		copy(out.Data[p*out.Size:(p+1)*out.Size], part.Data[i*out.Size:])
	}
	return nil
}
