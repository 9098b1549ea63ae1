package reader

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Output is memory that a read fills where that is not Go's: its elements lie
// there in C order, packed. Calls may overlap if they write to different
// elements.
type Output interface {
	// Decode decodes a chunk and stores the job's region.
	Decode(env *codec.Env, job codec.Job) error
	// Put is [ndarray.Copy] to the output.
	Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error
	// Fill is [ndarray.Fill] of the output.
	Fill(out ndarray.Layout, shape []int, value []byte) error
}

// takeOutput allocates the result: the caller's memory if it offers some, else Go's.
func (r *read) takeOutput(shape []int) error {
	t := r.a.Type
	if r.opt.Output != nil && t.Size > 0 && r.plan.Total() > 0 {
		chunk := min(t.Size*r.plan.First(), r.chunkBytes)
		if r.plan.Scattered() {
			chunk = 0
		}
		var err error
		if r.to, err = r.opt.Output(shape, t.Size, chunk); err != nil {
			return err
		}
	}
	if r.opt.Items != nil && t.Variable() && r.plan.Total() > 0 {
		r.to = r.opt.Items(shape)
	}
	if r.to != nil {
		r.out = ndarray.Block{Shape: shape, Size: t.Size}
		return nil
	}
	r.out = ndarray.New(shape, t.Size, t.Variable())
	return nil
}
