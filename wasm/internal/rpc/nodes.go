package rpc

import (
	"context"
	"errors"
	"strconv"

	"zarr-wasm/store"
	"zarr-wasm/zarr"
)

// handle is a node that the page has, by the number that it was given.
type handle struct {
	zarr.Node
	store *opened
}

// hold gives a node a handle, and describes it.
func (s *Session) hold(n zarr.Node, st *opened) Object {
	s.mu.Lock()
	s.lastNode++
	number := s.lastNode
	s.nodes[number] = handle{n, st}
	s.mu.Unlock()
	o := describeNode(n)
	o.addInt("handle", number)
	o.addText("hash", hashText(n.Hash()))
	return o
}

// hashText is how a hash crosses: JavaScript's numbers do not hold it.
func hashText(hash uint64) string { return strconv.FormatUint(hash, 16) }

// release lets go of nodes that the page no longer has.
func (s *Session) release(msg Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range msg.ints("nodes") {
		delete(s.nodes, n)
	}
}

// open opens a node. With a hash it is one that the page has, and this instance has not: it
// must be of the same documents. A node that is gone is a changed one.
func (s *Session) open(ctx context.Context, msg Object) (any, error) {
	st, err := s.opened(msg)
	if err != nil {
		return nil, err
	}
	consolidated, set := msg.Get("consolidated").(bool)
	n, err := st.Open(ctx, msg.text("path"), zarr.OpenOptions{
		Kind: msg.text("kind"), Format: msg.number("format"), Fresh: set && !consolidated,
	})
	hash := msg.text("hash")
	var gone *zarr.NotFoundError
	switch {
	case hash != "" && (errors.As(err, &gone) || err == nil && hash != hashText(n.Hash())):
		return nil, &zarr.MetadataChangedError{Path: msg.text("path")}
	case err != nil:
		return nil, err
	}
	return s.hold(n, st), nil
}

// node returns the node whose handle a message names.
func (s *Session) node(msg Object) (handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.nodes[msg.number("node")]; ok {
		return h, nil
	}
	return handle{}, &engineError{"no node of that handle"}
}

// array returns the array whose handle a message names.
func (s *Session) array(msg Object) (*zarr.Array, error) {
	h, err := s.node(msg)
	if err != nil {
		return nil, err
	}
	a, ok := h.Node.(*zarr.Array)
	if !ok {
		return nil, &engineError{"the node is not an array"}
	}
	return a, nil
}

func (s *Session) members(ctx context.Context, msg Object) (any, error) {
	h, err := s.node(msg)
	if err != nil {
		return nil, err
	}
	g, ok := h.Node.(*zarr.Group)
	if !ok {
		return nil, &engineError{"the node is not a group"}
	}
	members, err := g.Members(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(members))
	for i, m := range members {
		o := Object{{"name", m.Name}, {"path", store.Join(g.Path(), m.Name)}, {"kind", m.Kind}}
		if m.Node != nil {
			o = append(o, Field{"node", s.hold(m.Node, h.store)})
		}
		if m.Err != nil {
			o = append(o, Field{"error", describeError(m.Err)})
		}
		list[i] = o
	}
	return list, nil
}
