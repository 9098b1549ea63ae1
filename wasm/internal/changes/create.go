package changes

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// create makes an array or a group.
func (s *Session) create(ctx context.Context, msg wire.Object) (any, error) {
	h, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	path := msg.Text(wire.CreatePath)
	spec, err := s.object(path, "specification", msg.Text(wire.CreateSpec))
	if err != nil {
		return nil, err
	}
	require := msg.Flag(wire.CreateRequire)
	var n zarr.Node
	if msg.Text(wire.CreateKind) == "group" {
		make := h.CreateGroup
		if require {
			make = h.RequireGroup
		}
		of, err := groupSpec(path, spec)
		if err != nil {
			return nil, err
		}
		g, err := make(ctx, path, of)
		if err != nil {
			return nil, err
		}
		n = g
	} else {
		make := h.Create
		if require {
			make = h.RequireArray
		}
		of, err := arraySpec(path, spec)
		if err != nil {
			return nil, err
		}
		a, err := make(ctx, path, of)
		if err != nil {
			return nil, err
		}
		n = a
	}
	return s.Hold(msg, n)
}
