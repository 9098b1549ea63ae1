package changes

import (
	"context"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// resize changes the shape of an array.
func (s *Session) resize(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.Array(msg)
	if err != nil {
		return nil, err
	}
	shape, err := wire.Integers(msg.Any(wire.AnyName(wire.ResizeShape)))
	if err != nil {
		return nil, &zarr.InvalidSelectionError{Path: a.Path(), Err: err}
	}
	if err := dispatch.CheckLengths(a.Path(), shape); err != nil {
		return nil, err
	}
	resized, err := a.Resize(ctx, shape...)
	if err != nil {
		return nil, err
	}
	return s.Hold(msg, resized)
}

// attributes changes the attributes of a node.
func (s *Session) attributes(ctx context.Context, msg wire.Object) (any, error) {
	n, err := s.Node(msg)
	if err != nil {
		return nil, err
	}
	attrs, err := s.object(n.Path(), "attributes", msg.Text(wire.AttributesObject))
	if err != nil {
		return nil, err
	}
	switch how := msg.Text(wire.AttributesHow); how {
	case "set":
		n, err = zarr.SetAttributes(ctx, n, membersOf(attrs))
	case "update":
		n, err = zarr.UpdateAttributes(ctx, n, membersOf(attrs))
	case "delete":
		var names []string
		for _, v := range msg.List(wire.AttributesNames) {
			name, _ := v.(string)
			names = append(names, name)
		}
		n, err = zarr.DeleteAttributes(ctx, n, names...)
	default:
		err = &wire.EngineError{Msg: "unknown way to change attributes: " + strconv.Quote(how)}
	}
	if err != nil {
		return nil, err
	}
	return s.Hold(msg, n)
}

// membersOf returns the members of an object, unconverted.
func membersOf(o json.Value) map[string]any {
	m := make(map[string]any, o.Len())
	for _, member := range o.Members() {
		m[member.Name] = member.Value
	}
	return m
}

// delete deletes a node, and all nodes below it.
func (s *Session) delete(ctx context.Context, msg wire.Object) (any, error) {
	h, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	return nil, h.Delete(ctx, msg.Text(wire.DeletePath))
}

// move moves a node to another path.
func (s *Session) move(ctx context.Context, msg wire.Object) (any, error) {
	h, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	return nil, h.Move(ctx, msg.Text(wire.MovePath), msg.Text(wire.MoveTo))
}

// consolidate writes the consolidated metadata of a group.
func (s *Session) consolidate(ctx context.Context, msg wire.Object) (any, error) {
	h, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	g, err := h.ConsolidateMetadata(ctx, msg.Text(wire.ConsolidatePath))
	if err != nil {
		return nil, err
	}
	return s.Hold(msg, g)
}

// migrate rewrites metadata in another version.
func (s *Session) migrate(ctx context.Context, msg wire.Object) (any, error) {
	h, err := s.Hierarchy(msg, wire.AboutStore)
	if err != nil {
		return nil, err
	}
	path, format := msg.Text(wire.MigratePath), msg.Int(wire.MigrateFormat)
	if _, err := h.Migrate(ctx, path, format); err != nil {
		return nil, err
	}
	n, err := h.Open(ctx, path, zarr.OpenOptions{Format: format, Fresh: true})
	if err != nil {
		return nil, err
	}
	return s.Hold(msg, n)
}
