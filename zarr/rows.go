package zarr

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"zarr-wasm/store"
	"zarr-wasm/store/cache"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/ndarray"
)

// maxRows is how many ranges a chunk is read by at most before they are merged.
const maxRows = 4096

// rows reads of a chunk that nothing has encoded only what is wanted, if that is much less
// than all. It is false when the chunk is to be read as a whole.
//
// Who comes again for another part of the same chunk gets all of it, where it can be
// kept: one request more, and then none.
func (w *worker) rows(p *piece) (bool, error) {
	a, h := w.r.a, w.r.a.h
	swap, packed := p.plan.Packed()
	if !h.ranges || p.length >= 0 || a.Type.Size == 0 {
		return false, nil
	}
	if !packed {
		return w.blocks(p)
	}
	total := int64(p.plan.Array().Bytes())
	spare := h.store.Spare()
	if total <= spare {
		return false, nil
	}
	want := w.wanted(p)
	if want == nil {
		return false, nil
	}
	if p.key = a.chunkKey(p.coords); total <= h.store.Budget()/4 && h.store.Known(p.key) {
		return false, nil
	}
	box, ranges := rowsOf(want, p.shape, a.Type.Size)
	if ranges == nil || total-int64(box.Len()*box.Size) <= spare {
		return false, nil
	}
	reads := h.store.Plan(p.key, ranges)
	asked := int64(0)
	for _, r := range reads {
		asked += r.Size()
	}
	if asked > total/2 {
		for _, r := range reads {
			r.Close()
		}
		return false, nil
	}
	box.Data = make([]byte, box.Len()*box.Size)
	row := int(ranges[0].Length)
	err := gather(w.env.Ctx, reads, ranges, func(part store.Part) error {
		if part.Size < 0 {
			return nil
		}
		return p.plan.Admit(int(part.Size))
	}, func(i int, src []byte) { copy(box.Data[i*row:], src) })
	if err != nil {
		return a.partly(p, err)
	}
	moved := piece{pick: make([]*span, len(p.pick))}
	for d, s := range p.pick {
		in := s.in.moved(-want[d].From)
		moved.pick[d] = &span{s.chunk, in, s.out}
	}
	return true, w.copied(&moved, codec.Stored{Block: box, Swap: swap})
}

// partly says what becomes of a chunk of which a part could not be read: the chunk as a whole may tell what
// is the matter.
func (a *Array) partly(p *piece, err error) (bool, error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrRange) {
		return false, nil
	}
	return true, chunkError(a.path, p.key, err)
}

// gather waits for reads, all at once. It looks at each part that comes, and takes the bytes of the ranges in it. The
// error is the first by the order of the reads.
func gather(ctx context.Context, reads []*cache.Read, ranges []store.ByteRange, look func(store.Part) error, take func(i int, src []byte)) error {
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for k, r := range reads {
		wg.Go(func() {
			part, err := r.Wait(ctx)
			if err == nil {
				err = look(part)
			}
			for _, i := range r.Ranges {
				src, ok := part.Slice(ranges[i])
				if err == nil && !ok {
					err = store.ErrRange
				}
				take(i, src)
			}
			errs[k] = err
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// moved is the positions, each n further.
func (l line) moved(n int) line {
	if l.list == nil {
		l.start += n
		return l
	}
	list := make([]int, len(l.list))
	for i, at := range l.list {
		list[i] = at + n
	}
	l.list = list
	return l
}

// rowsOf is the box of a chunk of that shape, and the byte ranges of its rows, which are of
// one length; nil when there are too many.
func rowsOf(want []codec.Range, shape []int, size int) (ndarray.Block, []store.ByteRange) {
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
		if count *= n; count > maxRows {
			return box, nil
		}
	}
	strides := ndarray.Strides(shape)
	ranges := make([]store.ByteRange, count)
	for i := range ranges {
		rest, offset := i, 0
		for d := k - 1; d >= 0; d-- {
			offset += (want[d].From + rest%box.Shape[d]) * strides[d]
			rest /= box.Shape[d]
		}
		for d := k; d < len(shape); d++ {
			offset += want[d].From * strides[d]
		}
		ranges[i] = store.ByteRange{Offset: int64(offset * size), Length: int64(row * size)}
	}
	return box, ranges
}
