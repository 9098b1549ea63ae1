package reader

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// chunk is a chunk or an inner chunk, where its bytes lie, and what is wanted of it.
type chunk struct {
	plan   *codec.Plan
	shape  []int
	coords []int64 // of the chunk of the grid that it is, or is in

	in             *object.Reader
	name           string          // of the object; "" as long as it was not needed
	offset, length int64           // of its bytes there; a negative length is all of the object
	index          *index          // of the shard that it is in; nil for a chunk of the grid
	next           *store.Location // where else its bytes may lie
	// unpack, if set, makes the chunk's bytes of those that lie there: see store.Location.
	unpack func(ctx context.Context, stored []byte, most int64) ([]byte, error)

	projections []*projection // what is wanted, of each dimension
	points      *points       // in their place, for points
}

func (c *chunk) at() extentID { return extentID{c.in.Source, c.name, c.offset} }

func (c *chunk) id(a *Array) chunkID { return chunkID{a, c.at(), c.index} }

// extent is the range of the object where the chunk's bytes lie, of one that has a length.
func (c *chunk) extent() store.ByteRange { return store.ByteRange{Offset: c.offset, Length: c.length} }

// innermost counts the chunks without inner chunks that are touched.
func (c *chunk) innermost() int {
	const all = 1 << 30 // the read has so many at most
	if c.points != nil {
		return c.points.innermost(c.plan, all)
	}
	n := 1
	for d, p := range c.projections {
		n *= p.innermost(d, c.plan, all)
	}
	return n
}

// worker is what one goroutine of a read has for itself.
type worker struct {
	r     *read
	env   *codec.Env
	shape []int // of the region that is wanted of the chunk
	in    ndarray.Layout
	out   ndarray.Layout
	want  []codec.Range
	// strides is room for those of a block, and current for a chunk that is done at once.
	strides []int
	current chunk
	keys    []string // of a batch
}

func newWorker(ctx context.Context, r *read) *worker {
	n := len(r.a.Shape)
	layout := func() ndarray.Layout {
		return ndarray.Layout{Strides: make([]int, n), Lists: make([][]int64, n)}
	}
	return &worker{
		r: r, env: codec.NewEnv(ctx, r.a.engine.opt.Limits),
		shape: make([]int, n), in: layout(), out: layout(), want: make([]codec.Range, n), strides: make([]int, n),
		current: chunk{coords: make([]int64, n), length: store.ToEnd, projections: make([]*projection, n)},
	}
}

// setCurrent makes the i-th touched chunk the worker's current one.
func (w *worker) setCurrent(i int) error {
	r, a, c := w.r, w.r.a, &w.current
	c.in, c.name, c.next = a.engine.plain, "", nil
	if r.pointChunks != nil {
		copy(c.coords, r.pointChunks[i].coords)
		c.points = &r.pointChunks[i].points
	} else {
		for d := len(c.projections) - 1; d >= 0; d-- {
			all := r.projections[d]
			c.projections[d] = &all[i%len(all)]
			i /= len(all)
			c.coords[d] = c.projections[d].chunk
		}
	}
	var err error
	if c.plan, c.shape = a.plan, a.nominal; c.plan == nil {
		c.plan, c.shape, err = a.planFor(c.coords)
	}
	return err
}

// lasting returns a copy of the current chunk that others can work on when the worker has gone on.
func (w *worker) lasting() *chunk {
	c := w.current
	c.coords, c.projections = slices.Clone(c.coords), slices.Clone(c.projections)
	return &c
}

// chunk brings the i-th touched chunk's elements to their places in the output.
func (w *worker) chunk(i int) error {
	a, c := w.r.a, &w.current
	if err := w.setCurrent(i); err != nil {
		return err
	}
	shard := c.in.Ranges() && c.plan.Contents() != nil
	if shard || w.r.keep {
		c = w.lasting()
		c.name = a.chunkKey(c.coords)
	}
	if shard {
		return w.shard(c)
	}
	return w.whole(c, func(ctx context.Context, fresh bool) (store.Extent, error) { return a.fetch(ctx, c, fresh) })
}

// whole brings a chunk that is all of an object to the output, or only what is wanted of it where that is
// much less.
func (w *worker) whole(c *chunk, get getFunc) error {
	if ok, err := w.partialRows(c); ok || err != nil {
		return err
	}
	return w.decodeChunk(c, get)
}

// getFunc returns a chunk's bytes, or errAbsent. Fresh ones are asked for past all caches.
type getFunc func(ctx context.Context, fresh bool) (store.Extent, error)

// errAbsent says that there is no chunk: it is the fill value.
var errAbsent = errors.New("no such chunk")

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// aim sets where the elements of a chunk belong.
func (w *worker) aim(c *chunk) {
	if c.points != nil {
		return // with those of the chunk: see aimAtPoints
	}
	for d, p := range c.projections {
		w.shape[d] = p.out.count
	}
	setStrides(w.strides, w.r.out.Shape)
	place(&w.out, w.strides, c.projections, func(p *projection) *positions { return &p.out })
}

// aimFrom sets where the elements of a chunk lie in a block with these strides.
func (w *worker) aimFrom(c *chunk, strides []int) {
	if c.points != nil {
		w.aimAtPoints(c.points, strides)
		return
	}
	place(&w.in, strides, c.projections, func(p *projection) *positions { return &p.in })
}

// copy brings the elements of a chunk to the output.
func (w *worker) copy(c *chunk, stored codec.Stored) error {
	w.aim(c)
	if stored.Strides == nil {
		setStrides(w.strides, stored.Shape)
		stored.Strides = w.strides
	}
	w.aimFrom(c, stored.Strides)
	if stored.Items != nil {
		return w.putItems(stored.Block)
	}
	return w.put(stored)
}

// putItems is put for elements of variable length. What they refer to is part of the result, and bounded as such.
func (w *worker) putItems(from ndarray.Block) error {
	r, in := w.r, w.in
	region := ndarray.Block{Shape: w.shape}
	if n := region.Len(); n < len(from.Items) {
		// Copied, they do not keep the rest of the chunk.
		region.Items = make([][]byte, n)
		dense := ndarray.Layout{Strides: ndarray.Strides(w.shape)}
		if err := ndarray.Copy(region, dense, from, in, w.shape); err != nil {
			return err
		}
		for i, item := range region.Items {
			region.Items[i] = slices.Clone(item)
		}
		from, in = region, dense
	}
	if err := r.count(from.Items); err != nil {
		return err
	}
	return ndarray.Copy(r.out, w.out, from, in, w.shape)
}

// count adds what elements of variable length refer to, which is a part of the result.
func (r *read) count(items [][]byte) error {
	r.mu.Lock()
	for _, item := range items {
		r.text += int64(len(item))
	}
	text := r.text
	r.mu.Unlock()
	return codec.CheckLimit("OutputBytes", r.a.engine.opt.Limits.OutputBytes, text, "elements of variable length")
}

// copied is copy of a chunk that is done with that.
func (w *worker) copied(c *chunk, stored codec.Stored) error {
	err := w.copy(c, stored)
	if err == nil {
		w.done(c, w.counts(c))
	}
	return err
}

// inPlace is the size of the chunks from which on it is better to decode them where they
// belong than to keep them.
const inPlace = 4 << 20

// decodeChunk brings a chunk that holds no other chunks to the output. Its bytes are those
// that get returns. Bytes that do not decode are asked for once more.
func (w *worker) decodeChunk(c *chunk, get getFunc) error {
	r, a := w.r, w.r.a
	w.aim(c)
	_, n, whole := w.target(c)
	if r.keep && c.in != nil {
		var block decoded
		var err error
		if whole && n*r.out.Size >= inPlace {
			block, _ = a.engine.opt.Caches.Chunks.Get(c.id(a))
		} else if block, err = r.decoded(w.env.Ctx, c, get); err != nil {
			return w.absent(c, err)
		}
		if block.Shape != nil {
			if err := r.pin(c.in, c.name, block.version); err != nil {
				return err
			}
			return w.copied(c, codec.Stored{Block: block.Block})
		}
	}
	return w.absent(c, r.twice(w.env.Ctx, c, get, func(e store.Extent) error {
		err := w.decode(c, e.Bytes)
		if err == nil {
			a.reuse(c, e.Bytes)
		}
		return err
	}))
}

// mayLack tells whether an object that is absent means that the chunk was never written. An extent of an archive lies in an
// object that was seen: it is a chunk that cannot be read, unless it may lie elsewhere.
func (c *chunk) mayLack() bool { return c.length < 0 || c.next != nil }

// absent handles the error of a chunk that is not there: its bytes may lie elsewhere, else it is the fill value.
func (w *worker) absent(c *chunk, err error) error {
	if !errors.Is(err, errAbsent) {
		return err
	}
	if c.next != nil {
		return w.start(c, c.next)
	}
	return w.fill(c)
}

// twice has the bytes that get returns decoded, and where they do not decode those that it returns past all caches.
// Nothing is kept of an object with bytes that do not decode.
func (r *read) twice(ctx context.Context, c *chunk, get getFunc, decode func(store.Extent) error) error {
	a := r.a
	for fresh := c.in != nil && c.name != "" && r.isFresh(c.in, c.name); ; fresh = true {
		e, err := get(ctx, fresh)
		if err == nil {
			err = decode(e)
		}
		var damaged *CodecPipelineError
		switch {
		case !errors.As(err, &damaged):
			return err
		case !fresh && !a.engine.opt.Objects.Memory:
			continue
		case c.in == nil || c.name == "":
			a.engine.Forget(ctx, a.keyOf(c))
			return err
		case c.length >= 0:
			// What told where it lies may be what is wrong.
			return r.suspect(c, err)
		}
		a.engine.forget(c.in, c.name)
		return err
	}
}

// decode decodes a chunk, and brings what is wanted of it to its place, which the worker is aimed at.
func (w *worker) decode(c *chunk, src []byte) error {
	r, a := w.r, w.r.a
	if err := c.plan.Admit(len(src)); err != nil {
		return chunkError(a.Path, a.keyOf(c), err)
	}
	mark := w.env.Mark()
	defer w.env.Release(mark)
	var err error
	from, n, whole := w.target(c)
	stored, ok := c.plan.View(src)
	if ok {
		return w.copied(c, stored)
	}
	if r.to != nil {
		setStrides(w.strides, c.shape)
		w.aimFrom(c, w.strides)
		err = r.to.Decode(w.env, codec.Job{Plan: c.plan, Src: src, Want: w.wanted(c), In: w.in, Out: w.out, Shape: w.shape})
	} else {
		if whole && a.Type.Variable() {
			stored.Block = ndarray.Block{Shape: c.shape, Items: r.out.Items[from : from+n]}
		} else if whole {
			stored.Block = ndarray.Block{Shape: c.shape, Size: r.out.Size, Data: r.out.Data[from*r.out.Size : (from+n)*r.out.Size]}
		} else {
			stored.Block = w.env.Block(codec.Array{Shape: c.shape, Type: a.Type})
		}
		err = a.decode(w.env, c.plan, stored.Block, src, w.wanted(c))
	}
	if err != nil {
		return chunkError(a.Path, a.keyOf(c), err)
	}
	if r.to == nil && !whole {
		return w.copied(c, stored)
	}
	if err := r.count(stored.Items); err != nil {
		return err
	}
	w.done(c, w.counts(c))
	return nil
}

// counts is for how many chunks a decoded one counts: a shard that cannot be read in part for those in it.
func (w *worker) counts(c *chunk) int {
	if c.plan.Contents() == nil || !w.r.a.engine.ranges() {
		return 1
	}
	return c.innermost()
}

// reuse gives a chunk's bytes, of which nothing is needed any more, back to a source that can use their memory
// again, if no one else has them.
func (a *Array) reuse(c *chunk, src []byte) {
	// Elements of variable length refer to it, and a cache to all but what a source in memory has whole.
	if a.Type.Variable() || c.length >= 0 || !a.engine.opt.Objects.Memory {
		return
	}
	c.in.Reuse(src)
}

// decoded returns a decoded chunk that all share, or errAbsent.
func (r *read) decoded(ctx context.Context, c *chunk, get getFunc) (decoded, error) {
	a := r.a
	return a.engine.opt.Caches.Chunks.Do(ctx, c.id(a), func(ctx context.Context) (decoded, int64, error) {
		var b decoded
		err := r.twice(ctx, c, get, func(e store.Extent) error {
			if err := c.plan.Admit(len(e.Bytes)); err != nil {
				return chunkError(a.Path, a.keyOf(c), err)
			}
			b = decoded{ndarray.New(c.shape, a.Type.Size, a.Type.Variable()), e.Version}
			env := a.engine.env(ctx)
			if err := a.decode(env, c.plan, b.Block, e.Bytes, nil); err != nil {
				return chunkError(a.Path, a.keyOf(c), err)
			}
			if !a.Type.Variable() {
				a.engine.release(env) // elements of variable length refer to its memory
				a.reuse(c, e.Bytes)
			}
			return nil
		})
		if err != nil {
			return decoded{}, 0, err
		}
		return b, sizeOf(b.Block), nil
	})
}

// keyOf is the key of a chunk, or of the shard that it is in, for messages.
func (a *Array) keyOf(c *chunk) string { return a.chunkKey(c.coords) }

// wanted is the box of the chunk that holds all elements of the selection, nil
// for all of the chunk.
func (w *worker) wanted(c *chunk) []codec.Range {
	if c.points != nil {
		c.points.bounds(w.want)
		return w.want
	}
	all := true
	for d := range c.projections {
		r := c.projections[d].in.bounds()
		w.want[d] = r
		all = all && r.From == 0 && r.To == c.shape[d]
	}
	if all {
		return nil
	}
	return w.want
}

// place sets a layout to the positions of the projections in a block of these strides.
func place(l *ndarray.Layout, strides []int, all []*projection, side func(*projection) *positions) {
	l.Offset = 0
	for d, stride := range strides {
		p := side(all[d])
		if l.Lists[d] = p.list; p.list != nil {
			l.Strides[d] = stride
		} else {
			l.Offset += p.start * stride
			l.Strides[d] = p.step * stride
		}
	}
}

// setStrides sets the strides of a block in C order.
func setStrides(strides, shape []int) {
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = n
		n *= shape[d]
	}
}

// target returns which elements of the output are the whole chunk, if there are
// such: then the chunk is decoded where it belongs.
func (w *worker) target(c *chunk) (from, n int, ok bool) {
	out, shape := w.r.out, c.shape
	if c.points != nil {
		return 0, 0, false
	}
	inner := true // all dimensions so far span the output's whole dimension
	n = 1
	for d := len(shape) - 1; d >= 0; d-- {
		in, to := &c.projections[d].in, &c.projections[d].out
		if in.list != nil || to.list != nil || in.start != 0 || in.count != shape[d] || shape[d] > 1 && (in.step != 1 || to.step != 1) {
			return 0, 0, false
		}
		if !inner && shape[d] != 1 {
			return 0, 0, false
		}
		inner = inner && shape[d] == out.Shape[d]
		n *= shape[d]
	}
	return w.out.Offset, n, true
}

// fill sets what is wanted of a chunk to the fill value.
func (w *worker) fill(c *chunk) error {
	w.aim(c)
	if c.points != nil {
		w.aimAtPoints(c.points, ndarray.Strides(c.shape))
	}
	var err error
	if r := w.r; r.to != nil {
		err = r.to.Fill(w.out, w.shape, r.a.Fill)
	} else {
		err = ndarray.Fill(r.out, w.out, w.shape, r.a.Fill)
	}
	if err == nil {
		w.done(c, w.counts(c))
	}
	return err
}
