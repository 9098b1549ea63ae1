package dispatch

import (
	"context"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// handle is a node that the page refers to by a number.
type handle struct {
	zarr.Node
	store *opened
}

// hold describes a node, and assigns a handle to it.
func (s *Session) hold(n zarr.Node, st *opened) (wire.Object, error) {
	o, err := describeNode(n)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.lastNode++
	number := s.lastNode
	s.nodes[number] = handle{n, st}
	s.mu.Unlock()
	o.AddInt(wire.NodeHandle, number)
	return o, nil
}

// hashText formats a hash as text, because JavaScript's numbers cannot hold it.
func hashText(hash uint64) string { return strconv.FormatUint(hash, 16) }

// release removes handles that the page no longer uses.
func (s *Session) release(msg wire.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range msg.Ints(wire.ReleaseNodes) {
		delete(s.nodes, n)
	}
}

// open opens a node. With a hash, the page has the node but this instance does not: its documents
// must have that hash. A missing node counts as changed.
func (s *Session) open(ctx context.Context, msg wire.Object) (any, error) {
	st, err := s.opened(msg)
	if err != nil {
		return nil, err
	}
	consolidated, set := msg.FlagIf(wire.OpenConsolidated)
	n, err := st.Open(ctx, msg.Text(wire.OpenPath), zarr.OpenOptions{
		Kind: msg.Text(wire.OpenKind), Format: msg.Int(wire.OpenFormat), Fresh: set && !consolidated,
		Sparing: msg.Flag(wire.OpenSparing), Bare: msg.Flag(wire.OpenBare),
	})
	hash := msg.Text(wire.OpenHash)
	var gone *zarr.NotFoundError
	switch {
	case hash != "" && (errtype.As(err, &gone) || err == nil && hash != hashText(n.Hash())):
		return nil, &zarr.MetadataChangedError{Path: msg.Text(wire.OpenPath)}
	case err != nil:
		return nil, err
	}
	return s.hold(n, st)
}

// known opens nodes without requests. A node that is not known, or that cannot be described, is
// nil.
func (s *Session) known(msg wire.Object) (any, error) {
	st, err := s.opened(msg)
	if err != nil {
		return nil, err
	}
	list := new(wire.List)
	for _, item := range msg.List(wire.KnownPaths) {
		var node any
		path, _ := item.(string)
		if n, ok := st.Known(path); ok {
			if o, err := s.hold(n, st); err == nil {
				node = o
			}
		}
		list.Add(node)
	}
	return list, nil
}

// node returns the node whose handle a message names.
func (s *Session) node(msg wire.Object) (handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.nodes[msg.Int(wire.AboutNode)]; ok {
		return h, nil
	}
	return handle{}, &wire.EngineError{Msg: "unknown node handle"}
}

// array returns the array whose handle a message names.
func (s *Session) array(msg wire.Object) (*zarr.Array, error) {
	h, err := s.node(msg)
	if err != nil {
		return nil, err
	}
	a, ok := h.Node.(*zarr.Array)
	if !ok {
		return nil, &wire.EngineError{Msg: "the node is not an array"}
	}
	return a, nil
}

func (s *Session) members(ctx context.Context, msg wire.Object) (any, error) {
	h, err := s.node(msg)
	if err != nil {
		return nil, err
	}
	g, ok := h.Node.(*zarr.Group)
	if !ok {
		return nil, &wire.EngineError{Msg: "the node is not a group"}
	}
	list := new(wire.List)
	err = g.EachMember(ctx, msg.Int(wire.MembersDepth), func(depth int, m zarr.Member) {
		var o wire.Object
		o.AddText(wire.MemberName, m.Name)
		o.AddText(wire.MemberKind, m.Kind)
		o.AddText(wire.MemberHow, m.How)
		if depth > 0 {
			o.AddInt(wire.MemberDepth, depth)
		}
		if m.Node != nil {
			// Nodes of consolidated metadata get a handle on first use: there may be very many, and
			// opening one sends no request.
			describe := describeNode
			if m.How != zarr.Consolidated {
				describe = func(n zarr.Node) (wire.Object, error) { return s.hold(n, h.store) }
			}
			node, err := describe(m.Node)
			if m.Err = err; err == nil {
				o.AddObject(wire.MemberNode, node)
			}
		}
		if m.Err != nil {
			o.AddObject(wire.MemberError, s.describe(m.Err))
		}
		list.Add(o)
	})
	return list, err
}
