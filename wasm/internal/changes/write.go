package changes

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// write writes elements of an array.
func (s *Session) write(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.Array(msg)
	if err != nil {
		return nil, err
	}
	opt, end := s.options(msg)
	opt.Field = msg.Text(wire.TargetField)
	t := a.Type
	if opt.Field != "" {
		t = fieldType(t, opt.Field)
	}
	values, err := valuesOf(a.Path(), msg.Object(wire.WriteValues), t)
	if err != nil {
		return nil, err
	}
	err = s.target(ctx, msg, a, values, opt)
	if failed := end(); err == nil {
		err = failed
	}
	return nil, err
}

// target writes values to the part of an array that a message selects.
func (s *Session) target(ctx context.Context, msg wire.Object, a *zarr.Array, values any, opt zarr.WriteOptions) error {
	if mask := msg.Bytes(wire.TargetMask); mask != nil {
		set := make([]bool, len(mask))
		for i, b := range mask {
			set[i] = b != 0
		}
		return a.SetMask(ctx, set, values, opt)
	}
	if points := msg.List(wire.TargetPoints); points != nil {
		coords, err := dispatch.Points(a.Path(), points)
		if err != nil {
			return err
		}
		return a.SetPoints(ctx, coords, values, opt)
	}
	sel, err := dispatch.Selection(a.Path(), msg.List(wire.TargetSelection))
	if err != nil {
		return err
	}
	return a.Set(ctx, sel, values, opt)
}

// options reads the write options of a message. end stops the progress messages.
func (s *Session) options(msg wire.Object) (opt zarr.WriteOptions, end func() error) {
	opt.SkipEmpty = msg.Flag(wire.WriteSkipEmpty)
	if !msg.Flag(wire.WriteProgress) {
		return opt, func() error { return nil }
	}
	opt.Progress, end = s.Progress(msg)
	return opt, end
}

// fieldType returns the type of a field. For an unknown field it returns the struct's, and the
// write fails with the field's name.
func fieldType(t *dtype.Type, name string) *dtype.Type {
	for _, f := range t.Fields {
		if f.Name == name {
			return f.Type
		}
	}
	return t
}

// appendTo appends elements to an array.
func (s *Session) appendTo(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.Array(msg)
	if err != nil {
		return nil, err
	}
	values, err := valuesOf(a.Path(), msg.Object(wire.WriteValues), a.Type)
	if err != nil {
		return nil, err
	}
	if err := checkLonger(a, msg.Object(wire.WriteValues), msg.Int(wire.AppendDimension)); err != nil {
		return nil, err
	}
	opt, end := s.options(msg)
	longer, err := a.Append(ctx, values, msg.Int(wire.AppendDimension), opt)
	if failed := end(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return s.Hold(msg, longer)
}

// checkLonger refuses to append values that would make an array longer than JavaScript can count.
// Append itself checks the rest.
func checkLonger(a *zarr.Array, values wire.Object, dim int) error {
	shape := values.Ints(wire.ValuesShape)
	if dim < 0 {
		dim += len(a.Shape)
	}
	if dim < 0 || dim >= len(a.Shape) {
		return nil
	}
	var more int64
	switch {
	case values.Flag(wire.ValuesList) && len(shape) == 1:
		more = int64(shape[0]) // in rows of one element at least
		for d, n := range a.Shape {
			if d != dim {
				more /= max(n, 1)
			}
		}
	case len(shape) == len(a.Shape):
		more = int64(shape[dim])
	}
	return dispatch.CheckLengths(a.Path(), []int64{a.Shape[dim] + more})
}
