package zarr

import (
	"context"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
)

// WriteError reports that a write failed after its start, and lists the written chunks.
type WriteError = writer.Error

// ConflictError reports that a change was abandoned because other writers kept changing the same
// object.
type ConflictError = writer.ConflictError

// WriteOptions are the options of one write.
type WriteOptions struct {
	// Progress, if set, is called after each chunk with the number of finished chunks and the
	// total. Calls do not overlap.
	Progress func(done, total int)
	// SkipEmpty does not write chunks that hold only the fill value, and deletes stored ones, like
	// zarr-python's write_empty_chunks=False. Such a chunk is written nonetheless if other readers
	// would not read an absent one as these elements. An array without a fill value therefore keeps
	// all written chunks.
	SkipEmpty bool
	// Field, if not "", is the field of a struct to write; the others stay unchanged. The value has
	// the field's type.
	Field string

	// undefined is passed to writer.Options.
	undefined func(ctx context.Context, coords []int64) (bool, error)
}

// Set writes a value to a selection; nil selects everything, and short selections are padded with
// whole dimensions, as in [Array.Read]. If an element is selected several times, the last value
// wins. A value is one of these:
//
//   - An element, which fills the selection. It is a number of the array's type, a bool, a string,
//     bytes, a map[string]any of a struct's fields, or nil for a missing element.
//   - A slice of the array's type ([]int16, []float32, []bool, []complex64, []string, [][]byte)
//     with the selected elements in C order.
//   - A [Result], or an [ndarray.Block] of packed little-endian elements. Its shape is that of the
//     selection, or is broadcast to it by numpy's rules. A slice with another number of elements
//     counts as a block of one dimension.
//   - [*Elements], with the same rules, which need not be in memory.
//   - A [List] of one of the last two, with the rules of a slice.
//
// Set does not convert types: a value of another type is an [*InvalidValueError]. A single number
// must be a value of the type; floating-point types round it.
//
// Set reads, changes and writes a chunk that is only partly selected. Writes to one chunk are
// ordered within one Hierarchy, and across processes if the store is a [store.Locker]. Other errors
// are those of [Array.Read]. Once chunks may have been written, the error is a [*WriteError] with
// the cause.
func (a *Array) Set(ctx context.Context, sel []grid.Item, value any, opt WriteOptions) error {
	return a.set(ctx, sel, value, 0, opt)
}

// set is Set for an array that grows; grows is 1 plus the dimension.
func (a *Array) set(ctx context.Context, sel []grid.Item, value any, grows int, opt WriteOptions) error {
	axes, err := grid.Resolve(sel, a.Shape)
	if err != nil {
		return reader.SelectionError(a.path, err)
	}
	kept, lists := make([]bool, len(axes)), false
	for d, ax := range axes {
		kept[d], lists = !ax.Drop, lists || ax.List != nil
	}
	return a.write(value, grid.OutShape(axes), kept, lists, opt, func(e *writer.Engine, v writer.Values, opt writer.Options) error {
		opt.Grows = grows
		return e.Write(ctx, a.reader, axes, v, a.h.opt.Limits, opt)
	})
}

// SetPoints writes a value to single elements, like zarr-python's vindex. The coordinates have one
// list for each dimension, as in [Array.ReadPoints]. The value's shape has one dimension. Errors
// are those of [Array.Set].
func (a *Array) SetPoints(ctx context.Context, coords [][]int64, value any, opt WriteOptions) error {
	lists, err := a.reader.CheckPoints(coords)
	if err != nil {
		return err
	}
	return a.write(value, []int64{int64(len(lists[0]))}, []bool{true}, true, opt, func(e *writer.Engine, v writer.Values, opt writer.Options) error {
		return e.WritePoints(ctx, a.reader, lists, v, a.h.opt.Limits, opt)
	})
}

// SetMask writes a value to the elements at which a mask is true. The mask has the array's shape,
// in C order, and the value's shape has one dimension. Errors are those of [Array.Set].
func (a *Array) SetMask(ctx context.Context, mask []bool, value any, opt WriteOptions) error {
	coords, err := PointsOf(mask, a.Shape)
	if err != nil {
		return &InvalidSelectionError{Path: a.path, Err: err}
	}
	return a.SetPoints(ctx, coords, value, opt)
}

// PointsOf returns the coordinates at which a mask of a shape, in C order, is true, for
// [Array.ReadPoints] and [Array.SetPoints].
func PointsOf(mask []bool, shape []int64) ([][]int64, error) {
	if n, ok := product(shape); !ok || n != int64(len(mask)) || len(shape) == 0 {
		return nil, &grid.SelectionError{Dim: -1, Msg: "a mask of " + strconv.Itoa(len(mask)) + " elements for shape " + shapeText(shape)}
	}
	coords := make([][]int64, len(shape))
	for i, set := range mask {
		for d, n := int64(i), len(shape)-1; set && n >= 0; n-- {
			coords[n] = append(coords[n], d%shape[n])
			d /= shape[n]
		}
	}
	return coords, nil
}

// write converts the value, and writes it.
func (a *Array) write(value any, shape []int64, kept []bool, lists bool, opt WriteOptions, run func(*writer.Engine, writer.Values, writer.Options) error) error {
	if err := a.current(); err != nil {
		return err
	}
	if a.meta.Format == 1 {
		return &UnsupportedError{Path: a.path, Feature: "writing to an array of version 1, which can be migrated to version 2"}
	}
	e, err := a.h.writing(a.path)
	if err != nil {
		return err
	}
	of, t := writer.Options{Progress: opt.Progress, SkipEmpty: opt.SkipEmpty, Undefined: opt.undefined}, a.Type
	if opt.Field != "" {
		f := fieldOf(t, opt.Field)
		if f == nil {
			return &InvalidSelectionError{Path: a.path, Err: &grid.SelectionError{Dim: -1, Msg: "no field " + strconv.Quote(opt.Field) + " in " + t.Name}}
		}
		t, of.Field = f.Type, writer.Field{Offset: f.Offset, Size: f.Type.Size}
	}
	values, err := valuesFor(value, t, shape, kept, lists)
	if err != nil {
		return a.invalidValue(err)
	}
	return guard.Do(func() error { return run(e, values, of) })
}

func fieldOf(t *dtype.Type, name string) *dtype.Field {
	if t.Kind != dtype.Struct {
		return nil
	}
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

// writing returns the hierarchy's writing engine, and creates it at the first call.
func (h *Hierarchy) writing(path string) (*writer.Engine, error) {
	if h.engine.Capabilities().Writer == nil {
		return nil, &UnsupportedError{Path: path, Feature: "writing to this store"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.writer == nil {
		h.writer = writer.NewEngine(h.engine, h.opt.Limits.Requests)
	}
	return h.writer, nil
}

// along selects a range of one dimension.
func along(dim int, from, to int64) []grid.Item {
	items := make([]grid.Item, dim+1)
	items[dim] = grid.Range(&from, &to, nil)
	return items
}

// invalidValue adds the array's path to an error about its values.
func (a *Array) invalidValue(err error) error {
	var invalid *InvalidValueError
	if errtype.As(err, &invalid) {
		invalid.Path = a.path
	}
	return err
}
