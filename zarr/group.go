package zarr

import (
	"context"
	"errors"
	"strings"

	"zarr-wasm/internal/guard"
	"zarr-wasm/store"
	"zarr-wasm/zarr/meta"
)

// Group is a group of nodes.
type Group struct{ node }

// Member is a node directly below a group.
type Member struct {
	Name string
	// Node is nil for a folder that has no metadata of its own but holds nodes,
	// and for a node that cannot be opened: then Err tells why.
	Node Node
	// Kind is "array", "group" or "implicit".
	Kind string
	Err  error
}

// Members returns the nodes directly below the group: from the consolidated
// metadata where there are any, else from the store if it can list. A store
// that cannot gives an [*UnsupportedError].
func (g *Group) Members(ctx context.Context) ([]Member, error) {
	children, ok := g.h.children(g.path)
	ls, lists := g.h.engine.Lister()
	if !ok && !lists && g.meta.Format == 2 && !g.h.opt.IgnoreConsolidated {
		// It was not asked for them if a group above has none, or its user did not want them.
		if _, err := g.h.load(ctx, g.path, OpenOptions{Kind: "group", Format: 2, whole: true}); err != nil {
			return nil, err
		}
		children, ok = g.h.children(g.path)
	}
	if ok {
		members := make([]Member, 0, len(children))
		for _, c := range children {
			members = append(members, g.consolidatedMember(ctx, c))
		}
		return members, nil
	}
	if !lists {
		return nil, &UnsupportedError{Path: g.path, Feature: "listing the members of a group without consolidated metadata in a store that cannot list"}
	}
	names, err := ls.List(ctx, g.path)
	if err != nil {
		return nil, err
	}
	return g.listedMembers(ctx, names)
}

func (g *Group) consolidatedMember(ctx context.Context, c meta.Child) Member {
	m := Member{Name: c.Name, Kind: "group"}
	switch {
	case c.IsArray:
		m.Kind = "array"
	case c.Implicit:
		m.Kind = "implicit"
		return m
	}
	m.Node, m.Err = g.h.Open(ctx, store.Join(g.path, c.Name), OpenOptions{})
	return m
}

// listedMembers opens the folders that a listing found.
func (g *Group) listedMembers(ctx context.Context, names []string) ([]Member, error) {
	var members []Member
	for _, name := range names {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			members = append(members, Member{Name: folder})
		}
	}
	all, ctx := guard.NewGroup(ctx)
	slots := make(chan struct{}, g.h.opt.Limits.Requests)
	for i := range members {
		all.Go(func() error {
			slots <- struct{}{}
			defer func() { <-slots }()
			m := &members[i]
			m.Node, m.Err = g.h.Open(ctx, store.Join(g.path, m.Name), OpenOptions{})
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	kept := members[:0]
	for _, m := range members {
		var missing *NotFoundError
		switch m.Node.(type) {
		case *Array:
			m.Kind = "array"
		case *Group:
			m.Kind = "group"
		default:
			if errors.As(m.Err, &missing) {
				// A folder of chunks, or a prefix of nodes further down.
				m.Kind, m.Err = "implicit", nil
			}
		}
		kept = append(kept, m)
	}
	return kept, nil
}

// children returns what the consolidated metadata of the nearest group at or
// above a path lists directly below it.
func (h *Hierarchy) children(path string) ([]meta.Child, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for at := path; ; {
		if c := h.consolidated[at]; c != nil {
			return c.Children(strings.TrimPrefix(path[len(at):], "/")), true
		}
		if at == "" {
			return nil, false
		}
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
	}
}
