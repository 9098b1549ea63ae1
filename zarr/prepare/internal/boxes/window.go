package boxes

import (
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// window is a part of a block as the output of a read, which has no memory of its own then.
type window struct {
	block   ndarray.Block
	at      ndarray.Layout // of the part in the block
	strides []int          // of the part alone
}

// of returns the window as an output of its shape.
func (w *window) of([]int, int, int) (zarr.Output, error) { return w, nil }

// in returns the places in the block of elements of the part. The read has no steps and lists.
func (w *window) in(out ndarray.Layout) ndarray.Layout {
	to := ndarray.Layout{Offset: w.at.Offset, Strides: w.at.Strides}
	rest := out.Offset
	for d, n := range w.strides {
		to.Offset += rest / n * w.at.Strides[d]
		rest %= n
	}
	return to
}

// Decode implements [zarr.Output]. A chunk whose elements follow each other in the block is decoded
// there.
func (w *window) Decode(env *codec.Env, job codec.Job) error {
	to, chunk := w.in(job.Out), job.Plan.Array()
	if n := dense(to, job.Shape); n == chunk.Len() {
		size := w.block.Size
		return job.Plan.Decode(env, ndarray.Block{Shape: chunk.Shape, Size: size, Data: w.block.Data[to.Offset*size : (to.Offset+n)*size]}, job.Src, job.Want)
	}
	b := env.Block(chunk)
	if err := job.Plan.Decode(env, b, job.Src, job.Want); err != nil {
		return err
	}
	return ndarray.Copy(w.block, to, b, job.In, job.Shape)
}

// dense returns the number of elements of a region if they follow each other, in C order; else 0.
func dense(at ndarray.Layout, shape []int) int {
	n := 1
	for d := len(shape) - 1; d >= 0; d-- {
		if shape[d] > 1 && at.Strides[d] != n {
			return 0
		}
		n *= shape[d]
	}
	return n
}

// Put implements [zarr.Output].
func (w *window) Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	return ndarray.Copy(w.block, w.in(out), src, in, shape)
}

// Fill implements [zarr.Output].
func (w *window) Fill(out ndarray.Layout, shape []int, value []byte) error {
	return ndarray.Fill(w.block, w.in(out), shape, value)
}
