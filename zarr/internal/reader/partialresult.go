package reader

import "github.com/zarr-wasm/zarr-wasm/zarr/ndarray"

// Partial is a box of an unfinished result whose elements are complete.
type Partial struct {
	Start, Shape []int // in the dimensions of the result
	r            *read
	from         ndarray.Layout
	full         []int // the shape including dropped dimensions
}

// Copy copies the box's elements. The result must be in Go's memory.
func (p Partial) Copy() (*Result, error) {
	out := p.r.out
	b := ndarray.New(p.full, out.Size, p.r.a.Type.Variable())
	if err := ndarray.Copy(b, ndarray.Layout{Strides: ndarray.Strides(p.full)}, out, p.from, p.full); err != nil {
		return nil, err
	}
	b.Shape = p.Shape
	return &Result{Block: b, Type: p.r.a.Type}, nil
}
