package rpc

import (
	"zarr-wasm/zarr/ndarray"
)

// Memory is an ArrayBuffer or a SharedArrayBuffer: bytes that JavaScript holds
// and that enter Go's memory only where they are read.
type Memory interface {
	Len() int
	// Read copies the first len(dst) bytes to dst.
	Read(dst []byte)
	// Put copies packed elements to their place.
	Put(p Place, src []byte)
}

// Ref is a Memory that a message names and does not hand over.
type Ref struct{ Memory }

// Lent are bytes that are copied into a buffer of JavaScript's that has been used
// before.
type Lent []byte

// Place says where packed elements belong in a Memory: runs of bytes that are
// contiguous there, Counts of them, Strides bytes apart.
type Place struct {
	Offset  int
	Run     int
	Counts  []int
	Strides []int
}

// newPlace is the place of a region that a layout without lists describes.
func newPlace(l ndarray.Layout, shape []int, size int) Place {
	p := Place{Offset: l.Offset * size, Run: size}
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

// object is the place as a message has it. The innermost dimension comes first.
func (p Place) object(m Memory) Object {
	var o Object
	o.add("memory", Ref{m})
	p.AddTo(&o)
	return o
}

// AddTo adds the place's members to an object.
func (p Place) AddTo(o *Object) {
	o.addInt("offset", p.Offset)
	o.addInt("run", p.Run)
	o.addInts("counts", p.Counts)
	o.addInts("strides", p.Strides)
}

func placeOf(o Object) Place {
	return Place{o.number("offset"), o.number("run"), o.ints("counts"), o.ints("strides")}
}

// packed returns the region's elements one after the other: a part of the block
// where they lie so, else a copy in memory that take gives.
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
