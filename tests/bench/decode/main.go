//go:build js && wasm

// Command decode exposes the decoders to the benchmark. Its exported functions work on buffers in
// the wasm's own memory, and JavaScript calls them without copies and messages. It is built for the
// benchmark only.
//
// An exported function must not wait for JavaScript: the caller puts all data into memory first.
package main

import (
	"context"
	"unsafe"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// state is shared by the exported functions; wasm has one thread.
var state struct {
	buffers [][]byte
	plans   []*codec.Plan
	env     *codec.Env
	objects map[string][]byte
	arrays  []*zarr.Array
	result  *zarr.Result
	message []byte
}

func main() {
	state.env = codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
	select {}
}

// slice returns memory that JavaScript names by its address.
func slice(at unsafe.Pointer, n int32) []byte { return unsafe.Slice((*byte)(at), n) }

// fail keeps an error for message.
func fail(err error) int32 {
	state.message = []byte(err.Error())
	return -1
}

// alloc takes memory that stays where it is.
//
//go:wasmexport alloc
func alloc(n int32) unsafe.Pointer {
	b := make([]byte, n)
	state.buffers = append(state.buffers, b)
	return unsafe.Pointer(unsafe.SliceData(b))
}

// free frees everything from alloc, and drops the objects and arrays.
//
//go:wasmexport free
func free() {
	state.buffers, state.objects, state.arrays, state.plans, state.result = nil, nil, nil, nil, nil
}

// message returns the address of the last error's text; messageLen is its length.
//
//go:wasmexport message
func message() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(state.message)) }

//go:wasmexport messageLen
func messageLen() int32 { return int32(len(state.message)) }

// plan returns the number of the chain of codecs that a metadata document asks for, -1
// where there is an error.
//
//go:wasmexport plan
func plan(doc unsafe.Pointer, n, format int32) int32 {
	name := "zarr.json"
	if format == 2 {
		name = ".zarray"
	}
	node, err := meta.Parse([]meta.Document{{Name: name, Bytes: slice(doc, n)}}, meta.Options{})
	if err != nil {
		return fail(err)
	}
	a := node.Array
	about := codec.Array{Type: a.Type, Fill: a.Fill}
	for _, n := range a.Grid.ChunkShapes() {
		about.Shape = append(about.Shape, int(n))
	}
	limits := codec.Limits{}.WithDefaults()
	p, err := codecs.Default().Pipeline(a.Codecs, codec.Build{Format: int(format), Array: about, Limits: limits})
	if err != nil {
		return fail(err)
	}
	made, err := p.Plan(about)
	if err != nil {
		return fail(err)
	}
	state.plans = append(state.plans, made)
	return int32(len(state.plans) - 1)
}

// decode decodes one chunk into memory of the chunk's size; 0 is success.
//
//go:wasmexport decode
func decode(plan int32, dst unsafe.Pointer, dstLen int32, src unsafe.Pointer, srcLen int32) int32 {
	p := state.plans[plan]
	a := p.Array()
	if int(dstLen) != a.Bytes() {
		return -2
	}
	out := ndarray.Block{Shape: a.Shape, Size: a.Type.Size, Data: slice(dst, dstLen)}
	if err := p.Decode(state.env, out, slice(src, srcLen), nil); err != nil {
		return fail(err)
	}
	return 0
}

// object stores an object under a key, without copying its bytes.
//
//go:wasmexport object
func object(key unsafe.Pointer, keyLen int32, data unsafe.Pointer, n int32) {
	if state.objects == nil {
		state.objects = map[string][]byte{}
	}
	state.objects[string(slice(key, keyLen))] = slice(data, n)
}

// open opens the array that consists of the objects, and drops them.
//
//go:wasmexport open
func open() int32 {
	h := zarr.New(memstore.New(state.objects), codecs.Default(), zarr.Options{})
	state.objects = nil
	a, err := h.OpenArray(context.Background(), "")
	if err != nil {
		return fail(err)
	}
	state.arrays = append(state.arrays, a)
	return int32(len(state.arrays) - 1)
}

// read reads every step-th element along each dimension of an array and returns the result's
// address; resultLen is its length. The result is valid until the next read.
//
//go:wasmexport read
func read(array, step int32) unsafe.Pointer {
	a := state.arrays[array]
	sel := make([]grid.Item, len(a.Shape))
	for i := range sel {
		by := int64(step)
		sel[i] = grid.Range(nil, nil, &by)
	}
	var err error
	if state.result, err = a.Read(context.Background(), sel, zarr.ReadOptions{}); err != nil {
		fail(err)
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(state.result.Data))
}

//go:wasmexport resultLen
func resultLen() int32 { return int32(len(state.result.Data)) }
