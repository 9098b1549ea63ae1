package offload

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Output is a read's result in JavaScript's memory.
type Output struct {
	h      *Helpers
	memory wire.Memory
	size   int
	shared bool
}

// Output returns a result with elements of size bytes, in zeroed memory of the right size. Helpers
// can write to shared memory.
func (h *Helpers) Output(memory wire.Memory, size int, shared bool) *Output {
	return &Output{h: h, memory: memory, size: size, shared: shared}
}

// Decode implements reader.Output.
func (o *Output) Decode(env *codec.Env, of codec.Job) error {
	here := func() error {
		// All reads share the memory of decoded chunks, so only one is decoded at a time.
		e := o.h.env(env.Ctx)
		defer o.h.takeBack(e)
		b := e.Block(of.Plan.Array())
		if err := of.Plan.Decode(e, b, of.Src, of.Want); err != nil {
			return err
		}
		return o.put(e, of.Out, b, of.In, of.Shape)
	}
	if lists(of.In) || lists(of.Out) || !o.h.worth(of.Plan, o.shared) {
		return here()
	}
	return o.h.run(env.Ctx, &job{}, of, placeIn(o.memory, newPlace(of.Out, of.Shape, o.size)), here)
}

// Put implements zarr.Output.
func (o *Output) Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	e := o.h.env(context.Background())
	defer o.h.takeBack(e)
	return o.put(e, out, src, in, shape)
}

func (o *Output) put(e *codec.Env, out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	data, err := packed(src, in, shape, e.Buffer)
	if err == nil {
		o.memory.Put(newPlace(out, shape, o.size), data)
	}
	return err
}

// Fill implements zarr.Output. New memory holds zeros already.
func (o *Output) Fill(out ndarray.Layout, shape []int, value []byte) error {
	zero := true
	for _, b := range value {
		zero = zero && b == 0
	}
	if zero {
		return nil
	}
	e := o.h.env(context.Background())
	defer o.h.takeBack(e)
	b := ndarray.Block{Shape: shape, Size: o.size}
	b.Data = e.Buffer(b.Len() * o.size)
	dense := ndarray.Layout{Strides: ndarray.Strides(shape)}
	if err := ndarray.Fill(b, dense, shape, value); err != nil {
		return err
	}
	return o.put(e, out, b, dense, shape)
}

func lists(l ndarray.Layout) bool {
	for _, list := range l.Lists {
		if list != nil {
			return true
		}
	}
	return false
}
