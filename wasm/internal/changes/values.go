package changes

import (
	"encoding/binary"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// atOnce bounds the bytes of values that are copied into Go's memory before writing. With more,
// each chunk copies its own.
const atOnce = 1 << 20

// Gatherer is a Memory that can be read in parts.
type Gatherer interface {
	wire.Memory
	// Gather copies packed runs of bytes to dst. counts and strides repeat them, with the innermost
	// dimension first.
	Gather(dst []byte, from, run int, counts, strides []int)
}

// valuesOf converts a message's values to those that a write takes.
func valuesOf(path string, o wire.Object, t *dtype.Type) (any, error) {
	values, err := elementsOf(path, o, t)
	if err == nil && o.Flag(wire.ValuesList) {
		return zarr.List{Elements: values}, nil
	}
	return values, err
}

// elementsOf is valuesOf for values with a shape.
func elementsOf(path string, o wire.Object, t *dtype.Type) (any, error) {
	invalid := func(msg string) error { return &zarr.InvalidValueError{Path: path, Msg: msg} }
	m := o.Memory(wire.ValuesBuffer)
	if m == nil {
		return nil, invalid("no buffer")
	}
	shape := o.Ints(wire.ValuesShape)
	if t.Variable() {
		items, err := itemsOf(m, o)
		if err != "" {
			return nil, invalid(err)
		}
		return ndarray.Block{Shape: shape, Items: items}, nil
	}
	if g, ok := m.(Gatherer); ok && m.Len() > atOnce {
		return &zarr.Elements{Shape: shape, Bytes: m.Len(), Gather: func(dst []byte, size int, from ndarray.Layout, shape []int) error {
			return gather(g, dst, size, from, shape)
		}}, nil
	}
	data := make([]byte, m.Len())
	m.Read(data)
	return ndarray.Block{Shape: shape, Size: t.Size, Data: data}, nil
}

// gather copies the elements of a region in the memory to dst.
func gather(m Gatherer, dst []byte, size int, from ndarray.Layout, shape []int) error {
	if len(dst) == 0 {
		return nil
	}
	first, last, run := from.Offset, from.Offset, size
	var counts, strides []int
	for d := len(shape) - 1; d >= 0; d-- {
		stride, n := from.Strides[d], len(counts)
		if reach := stride * (shape[d] - 1); reach < 0 {
			first += reach
		} else {
			last += reach
		}
		switch {
		case shape[d] == 1:
		case n == 0 && stride*size == run:
			run *= shape[d]
		case n > 0 && stride*size == strides[n-1]*counts[n-1]:
			counts[n-1] *= shape[d]
		default:
			counts, strides = append(counts, shape[d]), append(strides, stride*size)
		}
	}
	if first < 0 || (last+1)*size > m.Len() {
		return ndarray.ErrBounds
	}
	m.Gather(dst, from.Offset*size, run, counts, strides)
	return nil
}

// itemsOf returns elements of variable length, or an explanation of their fault.
func itemsOf(m wire.Memory, o wire.Object) (items [][]byte, wrong string) {
	read := func(m wire.Memory) []byte {
		if m == nil {
			return nil
		}
		b := make([]byte, m.Len())
		m.Read(b)
		return b
	}
	data, offsets, missing := read(m), read(o.Memory(wire.ValuesOffsets)), read(o.Memory(wire.ValuesMissing))
	n := len(offsets)/4 - 1
	if n < 0 || len(offsets)%4 != 0 || missing != nil && len(missing) != n {
		return nil, strconv.Itoa(len(offsets)) + " bytes of offsets, " + strconv.Itoa(len(missing)) + " of what is missing"
	}
	items = make([][]byte, n)
	for i := range items {
		from, to := binary.LittleEndian.Uint32(offsets[4*i:]), binary.LittleEndian.Uint32(offsets[4*i+4:])
		if from > to || uint64(to) > uint64(len(data)) {
			return nil, "offsets that are outside of the bytes"
		}
		if missing == nil || missing[i] == 0 {
			items[i] = data[from:to:to]
		}
	}
	return items, ""
}
