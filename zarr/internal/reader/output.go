package reader

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Output is memory that a read fills where that is not Go's: its elements lie
// there in C order, packed. Calls may overlap where they write to different
// elements.
type Output interface {
	// Decode decodes a chunk and puts the region that the job names.
	Decode(env *codec.Env, job codec.Job) error
	// Put is [ndarray.Copy] to the output.
	Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error
	// Fill is [ndarray.Fill] of the output.
	Fill(out ndarray.Layout, shape []int, value []byte) error
}

// put brings the region that a worker is aimed at from a block to the output.
func (w *worker) put(from codec.Stored) error {
	r, src, in := w.r, from.Block, w.in
	if r.to == nil {
		return ndarray.CopySwapped(r.out, w.out, src, in, w.shape, from.Swap)
	}
	if from.Swap > 1 {
		mark := w.env.Mark()
		defer w.env.Release(mark)
		src = w.env.Block(codec.Array{Shape: w.shape, Type: r.a.Type})
		in = ndarray.Layout{Strides: ndarray.Strides(w.shape)}
		if err := ndarray.CopySwapped(src, in, from.Block, w.in, w.shape, from.Swap); err != nil {
			return err
		}
	}
	return r.to.Put(w.out, src, in, w.shape)
}

// takeOutput takes the memory for the result: Go's, unless the caller has some.
func (r *read) takeOutput(shape []int) error {
	t := r.a.Type
	if r.opt.Output != nil && t.Size > 0 && r.total > 0 {
		chunk := t.Size
		var scattered bool
		scattered = r.pointChunks != nil
		for d := range r.projections {
			chunk *= r.projections[d][0].in.count
			for i := range r.projections[d] {
				scattered = scattered || r.projections[d][i].out.list != nil
			}
		}
		if chunk = min(chunk, r.chunkBytes); scattered {
			chunk = 0
		}
		var err error
		if r.to, err = r.opt.Output(shape, t.Size, chunk); err != nil {
			return err
		}
	}
	if r.to != nil {
		r.out = ndarray.Block{Shape: shape, Size: t.Size}
		return nil
	}
	r.out = ndarray.New(shape, t.Size, t.Variable())
	return nil
}
