package reader

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// maxRanges is the largest number of ranges of one chunk, before they are merged.
const maxRanges = 4096

// isPartial reports whether a read may fetch only the selected rows of a chunk.
func (r *read) isPartial(c *chunk) bool {
	_, packed := c.codecs.Raw()
	return packed && c.index == nil && int64(c.codecs.Array().Bytes()) > c.in.Waste()
}

// partialRows reads only the selected part of an uncompressed chunk, if that is much less than the
// chunk. It returns false if the chunk must be read as a whole.
//
// A second read of another part of the same chunk reads all of it, if the cache can hold it. This
// costs one request more, and later reads need none.
func (w *worker) partialRows(c *chunk) (bool, error) {
	a := w.r.a
	swap, packed := c.codecs.Raw()
	if c.index != nil || c.in == nil || !c.apart() || a.Type.Size == 0 {
		return false, nil
	}
	if !packed {
		return w.partialBlocks(c)
	}
	total := int64(c.codecs.Array().Bytes())
	waste := c.in.Waste()
	if total <= waste || c.length >= 0 && c.length != total {
		return false, nil
	}
	want := w.place.selectedRegion(c)
	if want == nil {
		return false, nil
	}
	if total <= c.in.Budget()/4 && c.in.Known(c.name) || w.r.isFresh(c.in, c.name) {
		return false, nil
	}
	box, ranges := rowsOf(want, c.shape, a.Type.Size, c.offset)
	if ranges == nil || total-int64(box.Len()*box.Size) <= waste {
		return false, nil
	}
	requests := c.in.Reads(c.name, ranges, store.Ask{MaxBytes: c.maxBytes})
	asked := int64(0)
	for _, r := range requests {
		asked += r.Size()
	}
	if asked > total/2 {
		closeAll(requests)
		return false, nil
	}
	box.Data = make([]byte, box.Len()*box.Size)
	row := int(ranges[0].Length)
	err := gather(w.env.Ctx, requests, ranges, func(e store.Extent) error {
		if e.Size >= 0 && c.length < 0 {
			if err := c.codecs.CheckEncodedSize(e.Size); err != nil {
				return err
			}
		}
		return w.r.pin(c.in, c.name, e.Version)
	}, func(i int, src []byte) { copy(box.Data[i*row:], src) })
	if err != nil {
		return a.partly(c, err)
	}
	moved := chunk{Chunk: c.Within(want), codecs: c.codecs}
	return true, w.copied(&moved, codec.Stored{Block: box, Swap: swap})
}

func closeAll(requests []*object.Read) {
	for _, r := range requests {
		r.Close()
	}
}

// partly handles an error of reading part of a chunk. It returns false if reading the whole chunk
// may report the cause.
func (a *Array) partly(c *chunk, err error) (bool, error) {
	if isAbsent(err) || errors.Is(err, store.ErrRange) {
		return false, nil
	}
	return true, chunkError(a.Path, a.keyOf(c), err)
}

// gather waits for all requests concurrently. It checks each extent and takes the bytes of the
// ranges in it. It returns the first error in the order of the requests.
func gather(ctx context.Context, requests []*object.Read, ranges []store.ByteRange, check func(store.Extent) error, take func(i int, src []byte)) error {
	errs := make([]error, len(requests))
	g, ctx := guard.NewGroup(ctx)
	for k, r := range requests {
		g.Go(func() error {
			e, err := r.Wait(ctx)
			if err == nil {
				err = check(e)
			}
			for _, i := range r.Ranges {
				src, ok := e.Slice(ranges[i])
				if err == nil && !ok {
					err = store.ErrRange
				}
				take(i, src)
			}
			errs[k] = err
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns the box of a chunk of that shape, and the byte ranges of its rows. All rows have
// the same length, and the chunk begins at the offset of its object. The ranges are nil if there
// are too many.
func rowsOf(want []codec.Range, shape []int, size int, offset int64) (ndarray.Block, []store.ByteRange) {
	box := ndarray.Block{Shape: make([]int, len(want)), Size: size}
	for d, r := range want {
		box.Shape[d] = r.To - r.From
	}
	// The dimensions from k on are one run of memory.
	k := len(shape) - 1
	row, stride := box.Shape[k], shape[k]
	for ; k > 0 && row == stride; k-- {
		row *= box.Shape[k-1]
		stride *= shape[k-1]
	}
	count := 1
	for _, n := range box.Shape[:k] {
		if count *= n; count > maxRanges {
			return box, nil
		}
	}
	strides := ndarray.Strides(shape)
	ranges := make([]store.ByteRange, count)
	for i := range ranges {
		rest, at := i, 0
		for d := k - 1; d >= 0; d-- {
			at += (want[d].From + rest%box.Shape[d]) * strides[d]
			rest /= box.Shape[d]
		}
		for d := k; d < len(shape); d++ {
			at += want[d].From * strides[d]
		}
		ranges[i] = store.ByteRange{Offset: offset + int64(at*size), Length: int64(row * size)}
	}
	return box, ranges
}
