package reader

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// placement brings elements of chunks to their places in the result of a read. It is for one goroutine, and
// aimed at one chunk at a time.
type placement struct {
	r     *read
	shape []int // of the region that is wanted of the chunk
	in    ndarray.Layout
	out   ndarray.Layout
	want  []codec.Range
	// strides is room for those of a block.
	strides []int
}

func newPlacement(r *read) placement {
	n := len(r.a.Shape)
	layout := func() ndarray.Layout {
		return ndarray.Layout{Strides: make([]int, n), Lists: make([][]int64, n)}
	}
	return placement{r: r, shape: make([]int, n), in: layout(), out: layout(), want: make([]codec.Range, n), strides: make([]int, n)}
}

// aim sets where the elements of a chunk belong.
func (p *placement) aim(c *chunk) {
	if c.points != nil {
		return // with those of the chunk: see aimAtPoints
	}
	for d, s := range c.projections {
		p.shape[d] = s.out.count
	}
	setStrides(p.strides, p.r.out.Shape)
	layOut(&p.out, p.strides, c.projections, func(s *projection) *positions { return &s.out })
}

// aimFrom sets where the elements of a chunk lie in a block with these strides.
func (p *placement) aimFrom(c *chunk, strides []int) {
	if c.points != nil {
		p.aimAtPoints(c.points, strides)
		return
	}
	layOut(&p.in, strides, c.projections, func(s *projection) *positions { return &s.in })
}

// aimAtPoints sets the layouts to points of a block with these strides and to their places in the result: lists of one
// dimension, whatever the array has.
func (p *placement) aimAtPoints(all *points, strides []int) {
	from, to := make([]int64, len(all.which)), make([]int64, len(all.which))
	for i, at := range all.which {
		to[i] = int64(at)
		for d, stride := range strides {
			from[i] += int64(all.at(d, i) * stride)
		}
	}
	p.shape = append(p.shape[:0], len(all.which))
	p.in = ndarray.Layout{Strides: []int{1}, Lists: [][]int64{from}}
	p.out = ndarray.Layout{Strides: []int{1}, Lists: [][]int64{to}}
}

// layOut sets a layout to the positions of the projections in a block of these strides.
func layOut(l *ndarray.Layout, strides []int, all []*projection, side func(*projection) *positions) {
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

// wanted is the box of the chunk that holds all elements of the selection, nil for all of the chunk.
func (p *placement) wanted(c *chunk) []codec.Range {
	if c.points != nil {
		c.points.bounds(p.want)
		return p.want
	}
	all := true
	for d := range c.projections {
		r := c.projections[d].in.bounds()
		p.want[d] = r
		all = all && r.From == 0 && r.To == c.shape[d]
	}
	if all {
		return nil
	}
	return p.want
}

// target returns which elements of the output are the whole chunk, if there are such: then the chunk is decoded
// where it belongs.
func (p *placement) target(c *chunk) (from, n int, ok bool) {
	out, shape := p.r.out, c.shape
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
	return p.out.Offset, n, true
}

// copy brings the elements of a chunk to the output.
func (p *placement) copy(env *codec.Env, c *chunk, stored codec.Stored) error {
	p.aim(c)
	if stored.Strides == nil {
		setStrides(p.strides, stored.Shape)
		stored.Strides = p.strides
	}
	p.aimFrom(c, stored.Strides)
	if stored.Items != nil {
		return p.putItems(stored.Block)
	}
	return p.put(env, stored)
}

// put brings the region from a block to the output.
func (p *placement) put(env *codec.Env, from codec.Stored) error {
	r, src, in := p.r, from.Block, p.in
	if r.to == nil {
		return ndarray.CopySwapped(r.out, p.out, src, in, p.shape, from.Swap)
	}
	if from.Swap > 1 {
		mark := env.Mark()
		defer env.Release(mark)
		src = env.Block(codec.Array{Shape: p.shape, Type: r.a.Type})
		in = ndarray.Layout{Strides: ndarray.Strides(p.shape)}
		if err := ndarray.CopySwapped(src, in, from.Block, p.in, p.shape, from.Swap); err != nil {
			return err
		}
	}
	return r.to.Put(p.out, src, in, p.shape)
}

// putItems is put for elements of variable length. The bytes that they refer to are part of the result, and bounded
// as such.
func (p *placement) putItems(from ndarray.Block) error {
	r, in := p.r, p.in
	region := ndarray.Block{Shape: p.shape}
	if n := region.Len(); n < len(from.Items) {
		// Copied, they do not keep the rest of the chunk.
		region.Items = make([][]byte, n)
		dense := ndarray.Layout{Strides: ndarray.Strides(p.shape)}
		if err := ndarray.Copy(region, dense, from, in, p.shape); err != nil {
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
	return ndarray.Copy(r.out, p.out, from, in, p.shape)
}

// fill sets the region of a chunk in the output to the fill value.
func (p *placement) fill(c *chunk) error {
	p.aim(c)
	if c.points != nil {
		p.aimAtPoints(c.points, ndarray.Strides(c.shape))
	}
	if r := p.r; r.to != nil {
		return r.to.Fill(p.out, p.shape, r.a.Fill)
	}
	return ndarray.Fill(p.r.out, p.out, p.shape, p.r.a.Fill)
}

// partial returns the box of the result that a chunk is, with its place in the output. There is none of a chunk
// that is scattered.
func (p *placement) partial(c *chunk) (box Partial, ok bool) {
	r := p.r
	box = Partial{r: r, from: ndarray.Layout{Offset: p.out.Offset}}
	for d, s := range c.projections {
		if s.out.list != nil || s.out.step != 1 && s.out.count > 1 {
			return box, false
		}
		box.full = append(box.full, s.out.count)
		box.from.Strides = append(box.from.Strides, p.out.Strides[d])
		if !r.axes[d].Drop {
			box.Start = append(box.Start, s.out.start)
			box.Shape = append(box.Shape, s.out.count)
		}
	}
	return box, true
}
