package zarr

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

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
	// Kind is "array", "group" or "implicit". A node that cannot be opened, and of which nothing but its documents
	// tells the kind, counts as an array.
	Kind string
	// How tells how the member is known: [Consolidated], [Listed], [Named] or [Probed].
	How string
	Err error
}

// How members are known. Named and probed members need not be all that there are.
const (
	Consolidated = "consolidated" // from consolidated metadata
	Listed       = "listed"       // from a list of what the store has
	Named        = "named"        // the group's attributes name it
	Probed       = "probed"       // what the attributes say the group is has a node of that name as a rule
)

// Members returns the nodes directly below the group: from the consolidated
// metadata where there are any, else from the store if it can list, else those that the group's attributes lead to
// and that are there. Where none of these tells anything, the error is an [*UnsupportedError].
func (g *Group) Members(ctx context.Context) ([]Member, error) {
	children, ok := g.h.children(g.path)
	ls, lists := g.h.engine.Lister()
	all := lists && store.ListsAll(ls)
	if !ok && !all && g.meta.Format == 2 && !g.h.opt.IgnoreConsolidated {
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
	unknown := &UnsupportedError{Path: g.path, Feature: "listing the members of a group without consolidated metadata in a store that cannot list"}
	if lists {
		names, err := ls.List(store.WithObserver(ctx, g.h.opt.Observe), g.path)
		switch {
		case err == nil:
			var folders []string
			for _, name := range names {
				if folder, ok := strings.CutSuffix(name, "/"); ok {
					folders = append(folders, folder)
				}
			}
			members, err := g.open(ctx, folders, Listed, all)
			// A page without the group's own document may be any page: that it names no node says nothing.
			all = all || len(members) > 0
			for _, d := range g.meta.Documents {
				all = all || slices.Contains(names, d.Name)
			}
			if err != nil || all {
				return members, err
			}
		case !errors.Is(err, errors.ErrUnsupported):
			return nil, err
		default:
			unknown.Feature += ": " + err.Error()
		}
	}
	members, err := g.pointedTo(ctx)
	if err == nil && len(members) == 0 {
		err = unknown
	}
	return members, err
}

func (g *Group) consolidatedMember(ctx context.Context, c meta.Child) Member {
	m := Member{Name: c.Name, Kind: "group", How: Consolidated}
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

// open opens what may be nodes of these names. Those that are none are left out, or are implicit where they are known
// to be folders.
func (g *Group) open(ctx context.Context, names []string, how string, implicit bool) ([]Member, error) {
	members := make([]Member, len(names))
	all, ctx := guard.NewGroup(ctx)
	var next atomic.Int64
	for range min(len(names), g.h.opt.Limits.Requests) {
		all.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(names) {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				m := &members[i]
				m.Name, m.How = names[i], how
				m.Node, m.Err = g.h.Open(ctx, store.Join(g.path, m.Name), OpenOptions{})
			}
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	kept := members[:0]
	for _, m := range members {
		var missing *NotFoundError
		absent := errors.As(m.Err, &missing)
		m.Kind = "array"
		switch {
		case absent && implicit:
			// A folder of chunks, or a prefix of nodes further down.
			m.Kind, m.Err = "implicit", nil
		case absent, !implicit && store.MaybeMissing(m.Err):
			continue
		case m.Err == nil && m.Node.Metadata().Array == nil:
			m.Kind = "group"
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
