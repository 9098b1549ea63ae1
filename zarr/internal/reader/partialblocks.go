package reader

import "github.com/zarr-wasm/zarr-wasm/store"

// headBytes is how much of a chunk is read to locate its blocks: enough for one or two thousand.
const headBytes = 8 << 10

// partialBlocks reads only the selected blocks of a compressed chunk (blosc), if they are much less
// than the chunk. This takes two round trips, so it pays only for large chunks. It returns false if
// the chunk must be read as a whole.
//
// As with rows, a second read of the same chunk reads all of it, if the cache can hold it.
func (w *worker) partialBlocks(c *chunk) (bool, error) {
	a, lim := w.r.a, w.r.a.engine.opt.Limits
	if !c.codecs.PartiallyReadable() || c.length >= 0 {
		return false, nil
	}
	total, waste := int64(c.codecs.Array().Bytes()), c.in.Waste()
	want := w.place.selectedRegion(c)
	if want == nil || total/8 <= waste {
		return false, nil
	}
	wanted := int64(a.Type.Size)
	for _, r := range want {
		wanted *= int64(r.To - r.From)
	}
	if wanted > total/4 || total <= c.in.Budget()/4 && c.in.Known(c.name) || w.r.isFresh(c.in, c.name) {
		return false, nil
	}
	ctx := w.env.Ctx
	head, err := c.in.Read(ctx, c.name, store.Ask{Range: &store.ByteRange{Length: headBytes}, MaxBytes: c.maxBytes})
	if err == nil {
		err = w.r.pin(c.in, c.name, head.Version)
	}
	if err != nil {
		return a.partly(c, err)
	}
	first, ok := head.Slice(store.ByteRange{Length: headBytes})
	if !ok || head.Whole() {
		return false, nil
	}
	needs, length, ok := c.codecs.EncodedRanges(first, want)
	if !ok || len(needs) > maxRanges || int64(length) > lim.EncodedBytes || head.Size >= 0 && head.Size < int64(length) {
		return false, nil
	}
	ranges := make([]store.ByteRange, len(needs))
	for i, r := range needs {
		ranges[i] = store.ByteRange{Offset: int64(r.From), Length: int64(r.To - r.From)}
	}
	requests := c.in.Reads(c.name, ranges, store.Ask{MaxBytes: c.maxBytes})
	asked := int64(0)
	for _, r := range requests {
		asked += r.Size()
	}
	if int64(length)-asked <= waste {
		closeAll(requests)
		return false, nil
	}
	src := make([]byte, length)
	copy(src, first)
	if err := gather(ctx, requests, ranges, func(e store.Extent) error { return w.r.pin(c.in, c.name, e.Version) },
		func(i int, b []byte) { copy(src[ranges[i].Offset:], b) }); err != nil {
		return a.partly(c, err)
	}
	w.place.aim(c)
	if err := w.decode(c, src); err != nil {
		return false, nil // reading the whole chunk again reports the cause
	}
	return true, nil
}
