package offload

import (
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// newPlace returns the place of a region in a layout without lists.
func newPlace(l ndarray.Layout, shape []int, size int) wire.Place {
	p := wire.Place{Offset: l.Offset * size, Run: size}
	for d := len(shape) - 1; d >= 0; d-- {
		stride, n := l.Strides[d]*size, len(p.Counts)
		switch {
		case shape[d] == 1:
		case n == 0 && stride == p.Run:
			p.Run *= shape[d]
		case n > 0 && stride == p.Strides[n-1]*p.Counts[n-1]:
			p.Counts[n-1] *= shape[d]
		default:
			p.Counts = append(p.Counts, shape[d])
			p.Strides = append(p.Strides, stride)
		}
	}
	return p
}

// placeIn returns a place in a memory as a message. The innermost dimension comes first.
func placeIn(m wire.Memory, p wire.Place) wire.Object {
	var o wire.Object
	o.AddMemory(wire.PlaceMemory, wire.Ref{Memory: m})
	p.AddTo(&o)
	return o
}

// packed returns a region's elements contiguously: part of the block if possible, else a copy in
// memory from take.
func packed(b ndarray.Block, in ndarray.Layout, shape []int, take func(int) []byte) ([]byte, error) {
	n := 1
	dense := true
	for d := len(shape) - 1; d >= 0; d-- {
		dense = dense && (in.Lists == nil || in.Lists[d] == nil) && (shape[d] == 1 || in.Strides[d] == n)
		n *= shape[d]
	}
	if dense {
		from, end := in.Offset*b.Size, (in.Offset+n)*b.Size
		if from < 0 || end > len(b.Data) {
			return nil, ndarray.ErrBounds
		}
		return b.Data[from:end], nil
	}
	out := ndarray.Block{Shape: shape, Size: b.Size, Data: take(n * b.Size)}
	return out.Data, ndarray.Copy(out, ndarray.Layout{Strides: ndarray.Strides(shape)}, b, in, shape)
}
