package zarr

import "zarr-wasm/store"

// headBytes is how much of a chunk is read to learn where its blocks lie: a thousand of them, or two.
const headBytes = 8 << 10

// blocks reads of a chunk of compressed blocks (blosc) only those that are wanted, if that is much less than all. That
// takes two round trips, so it is for large chunks. It is false when the chunk is to be read as a whole.
//
// As with rows, who comes again for the same chunk gets all of it, where it can be kept.
func (w *worker) blocks(p *piece) (bool, error) {
	a, h := w.r.a, w.r.a.h
	if !p.plan.Sparse() {
		return false, nil
	}
	total, spare := int64(p.plan.Array().Bytes()), h.store.Spare()
	want := w.wanted(p)
	if want == nil || total/8 <= spare {
		return false, nil
	}
	wanted := int64(a.Type.Size)
	for _, r := range want {
		wanted *= int64(r.To - r.From)
	}
	if p.key = a.chunkKey(p.coords); wanted > total/4 || total <= h.store.Budget()/4 && h.store.Known(p.key) {
		return false, nil
	}
	ctx := w.env.Ctx
	head, err := h.store.GetPart(ctx, p.key, &store.ByteRange{Length: headBytes}, store.Hint{})
	if err != nil {
		return a.partly(p, err)
	}
	first, ok := head.Slice(store.ByteRange{Length: headBytes})
	if !ok || head.Whole() {
		return false, nil
	}
	needs, length, ok := p.plan.Needs(first, want)
	if !ok || len(needs) > maxRows || int64(length) > h.opt.Limits.EncodedBytes || head.Size >= 0 && head.Size < int64(length) {
		return false, nil
	}
	ranges := make([]store.ByteRange, len(needs))
	for i, r := range needs {
		ranges[i] = store.ByteRange{Offset: int64(r.From), Length: int64(r.To - r.From)}
	}
	reads := h.store.Plan(p.key, ranges)
	asked := int64(0)
	for _, r := range reads {
		asked += r.Size()
	}
	if int64(length)-asked <= spare {
		for _, r := range reads {
			r.Close()
		}
		return false, nil
	}
	src := make([]byte, length)
	copy(src, first)
	same := index{of: store.Part{Size: head.Size, ETag: head.ETag}}
	if err := gather(ctx, reads, ranges, func(part store.Part) error {
		if same.changed(part) {
			return store.ErrRange // of another object
		}
		return nil
	}, func(i int, b []byte) { copy(src[ranges[i].Offset:], b) }); err != nil {
		return a.partly(p, err)
	}
	w.aim(p)
	return true, w.decode(p, src)
}
