package changes

import (
	"errors"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// describe returns an error as a message.
func (s *Session) describe(err error) wire.Object {
	var (
		write    *zarr.WriteError
		exists   *zarr.ExistsError
		invalid  *zarr.InvalidValueError
		conflict *zarr.ConflictError
	)
	switch {
	case errors.As(err, &invalid):
		o := named("InvalidValueError", "INVALID_VALUE", err)
		o.AddText(wire.ErrorPath, invalid.Path)
		written(&o, err)
		return o
	case errors.As(err, &write):
		cause := s.describe(write.Err)
		o := named("WriteError", "WRITE", err)
		o.AddText(wire.ErrorPath, write.Path)
		written(&o, err)
		if n, thrown := cause.Number(wire.ErrorThrown); thrown {
			o.AddNumber(wire.ErrorThrown, n)
		}
		o.AddObject(wire.ErrorCause, cause)
		return o
	case errors.As(err, &conflict):
		o := named("ConflictError", "CONFLICT", err)
		o.AddText(wire.ErrorKey, conflict.Key)
		o.AddObject(wire.ErrorCause, s.Describe(conflict.Err))
		return o
	case errors.As(err, &exists):
		o := named("ExistsError", "EXISTS", err)
		o.AddText(wire.ErrorPath, exists.Path)
		o.AddText(wire.ErrorFound, exists.Found)
		return o
	}
	return s.Describe(err)
}

func named(name, code string, err error) wire.Object {
	var o wire.Object
	o.AddText(wire.ErrorName, name)
	o.AddText(wire.ErrorCode, code)
	o.AddText(wire.ErrorMessage, err.Error())
	return o
}

// written adds the keys of the chunks that a failed write has written.
func written(o *wire.Object, err error) {
	var write *zarr.WriteError
	if !errors.As(err, &write) {
		return
	}
	keys := make([]any, len(write.Written))
	for i, key := range write.Written {
		keys[i] = key
	}
	o.AddList(wire.ErrorWritten, keys)
}
