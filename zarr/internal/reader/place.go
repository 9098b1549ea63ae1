package reader

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/plan"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// placement copies elements of chunks to their places in the result of a read. It serves one
// goroutine and is aimed at one chunk at a time.
type placement struct {
	r *read
	plan.Layout
	region  []codec.Range // the selected region of the chunk
	strides []int         // scratch for the strides of a block
}

func newPlacement(r *read) placement {
	n := len(r.a.Shape)
	return placement{r: r, Layout: plan.NewLayout(n), region: make([]codec.Range, n), strides: make([]int, n)}
}

// aim sets the places of a chunk's elements in the result.
func (p *placement) aim(c *chunk) {
	strides := p.strides[:len(p.r.out.Shape)] // points have fewer dimensions than the array
	setStrides(strides, p.r.out.Shape)
	p.SetOut(&c.Chunk, strides)
}

// setStrides sets the strides of a block in C order.
func setStrides(strides, shape []int) {
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = n
		n *= shape[d]
	}
}

// selectedRegion returns the region of the chunk that holds all selected elements; nil means all of
// the chunk.
func (p *placement) selectedRegion(c *chunk) []codec.Range {
	if c.Region(p.region, c.shape) {
		return p.region
	}
	return nil
}

// target returns the run of the output that the whole chunk fills, if there is one. The chunk is
// then decoded in place.
func (p *placement) target(c *chunk) (from, n int, ok bool) {
	n, ok = c.IsRun(c.shape, p.r.out.Shape)
	return p.Out.Offset, n, ok
}

// copy copies the elements of a chunk to the output.
func (p *placement) copy(env *codec.Env, c *chunk, stored codec.Stored) error {
	p.aim(c)
	if stored.Strides == nil {
		setStrides(p.strides, stored.Shape)
		stored.Strides = p.strides
	}
	p.SetIn(&c.Chunk, stored.Strides)
	if stored.Items != nil {
		return p.putItems(stored.Block)
	}
	return p.put(env, stored)
}

// put copies the region from a block to the output.
func (p *placement) put(env *codec.Env, from codec.Stored) error {
	r, src, in := p.r, from.Block, p.In
	if r.to == nil {
		return ndarray.CopySwapped(r.out, p.Out, src, in, p.Shape, from.Swap)
	}
	if from.Swap > 1 {
		mark := env.Mark()
		defer env.Release(mark)
		src = env.Block(codec.Array{Shape: p.Shape, Type: r.a.Type})
		in = ndarray.Layout{Strides: ndarray.Strides(p.Shape)}
		if err := ndarray.CopySwapped(src, in, from.Block, p.In, p.Shape, from.Swap); err != nil {
			return err
		}
	}
	return r.to.Put(p.Out, src, in, p.Shape)
}

// putItems is put for elements of variable length. The bytes of these elements count as part of the
// result, and are limited accordingly.
func (p *placement) putItems(from ndarray.Block) error {
	r, in := p.r, p.In
	region := ndarray.Block{Shape: p.Shape}
	if n := region.Len(); n < len(from.Items) {
		// Copies do not keep the rest of the chunk in memory.
		region.Items = make([][]byte, n)
		dense := ndarray.Layout{Strides: ndarray.Strides(p.Shape)}
		if err := ndarray.Copy(region, dense, from, in, p.Shape); err != nil {
			return err
		}
		for i, item := range region.Items {
			if r.to == nil {
				region.Items[i] = slices.Clone(item)
			}
		}
		from, in = region, dense
	}
	if err := r.count(from.Items); err != nil {
		return err
	}
	if r.to != nil {
		return r.to.Put(p.Out, from, in, p.Shape)
	}
	return ndarray.Copy(r.out, p.Out, from, in, p.Shape)
}

// fill sets the region of a chunk in the output to the fill value.
func (p *placement) fill(c *chunk) error {
	p.aim(c)
	if r := p.r; r.to != nil {
		return r.to.Fill(p.Out, p.Shape, r.a.Fill)
	}
	return ndarray.Fill(p.r.out, p.Out, p.Shape, p.r.a.Fill)
}

// partial returns the partial result of a chunk. It reports false if the chunk is scattered.
func (p *placement) partial(c *chunk) (box Partial, ok bool) {
	start, shape, ok := c.Box()
	if !ok {
		return box, false
	}
	r := p.r
	box = Partial{r: r, from: ndarray.Layout{Offset: p.Out.Offset, Strides: slices.Clone(p.Out.Strides)}, full: shape}
	for d := range shape {
		if r.axes == nil || !r.axes[d].Drop {
			box.Start = append(box.Start, start[d])
			box.Shape = append(box.Shape, shape[d])
		}
	}
	return box, true
}
