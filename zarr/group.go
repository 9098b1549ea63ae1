package zarr

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Group is a group of nodes.
type Group struct{ node }

// Member is a node directly below a group.
type Member struct {
	Name string
	// Node is nil for a folder without metadata that holds nodes. It is also nil for a node that
	// cannot be opened; Err then has the reason.
	Node Node
	// Kind is "array", "group" or "implicit". A node that cannot be opened counts as an array,
	// unless something other than its documents gives the kind.
	Kind string
	// How is the source of the member: [Consolidated], [Listed], [Named] or [Probed].
	How string
	Err error
}

// Sources of members. Named and probed members need not be complete.
const (
	Consolidated = "consolidated" // from consolidated metadata
	Listed       = "listed"       // from a list of the store's objects
	Named        = "named"        // the group's attributes name it
	Probed       = "probed"       // usual for a group with these attributes
)

// Members returns the nodes directly below the group. They come from consolidated metadata if there
// is any, or else from the store if it can list. Otherwise the group's attributes name candidates,
// and the existing ones count. If no source applies, the error is an [*UnsupportedError].
func (g *Group) Members(ctx context.Context) ([]Member, error) {
	var members []Member
	err := g.EachMember(ctx, 1, func(_ int, m Member) { members = append(members, m) })
	if err != nil {
		return nil, err
	}
	return members, nil
}

// EachMember calls f with each member of [Group.Members], in order. It makes members from
// consolidated metadata one by one, because there may be very many; the caller need not keep them.
// Each is followed by its own members, down to that many levels. The depth is the number of levels
// between a member and the group's own members.
func (g *Group) EachMember(ctx context.Context, levels int, f func(depth int, m Member)) error {
	asks := maxAsked
	return g.eachMember(ctx, 0, levels, &asks, f)
}

func (g *Group) eachMember(ctx context.Context, depth, levels int, asks *int, f func(depth int, m Member)) error {
	children, ok := g.h.nodes.Children(g.path)
	all := g.h.engine.Capabilities().ListsAll()
	if !ok && !all && g.meta.Format == 2 && !g.h.opt.IgnoreConsolidated {
		// The open did not request them if a group above has none, or if its user declined them.
		if _, err := g.h.open(ctx, g.path, catalog.Options{Kind: "group", Format: 2, Whole: true}); err != nil {
			return err
		}
		children, ok = g.h.nodes.Children(g.path)
	}
	if ok {
		for _, c := range children {
			if err := ctx.Err(); err != nil {
				return err
			}
			m := g.consolidatedMember(ctx, c, asks)
			f(depth, m)
			below, ok := m.Node.(*Group)
			if m.Kind == "implicit" {
				below, ok = &Group{node{h: g.h, path: store.Join(g.path, m.Name), meta: &meta.Node{Format: g.meta.Format}}}, true
			}
			if ok && depth+1 < levels {
				if err := below.eachMember(ctx, depth+1, levels, asks, f); err != nil {
					return err
				}
			}
		}
		return nil
	}
	members, err := g.found(ctx, all)
	for _, m := range members {
		f(depth, m)
	}
	return err
}

// found returns the members of a group that has no consolidated metadata.
func (g *Group) found(ctx context.Context, all bool) ([]Member, error) {
	unknown := &UnsupportedError{Path: g.path, Feature: "listing the members of a group without consolidated metadata in a store that cannot list"}
	if can := g.h.engine.Capabilities(); can.Lister != nil {
		names, err := can.List(store.WithObserver(ctx, g.h.opt.Observe), g.path)
		switch {
		case err == nil:
			var folders []string
			for _, name := range names {
				if folder, ok := strings.CutSuffix(name, "/"); ok {
					folders = append(folders, folder)
				}
			}
			members, err := g.open(ctx, folders, Listed, all)
			// A page without the group's own document may be any page: it proves nothing if it
			// names no node.
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

// maxAsked limits the requests for members with invalid consolidated metadata, over all levels. A
// document damaged in transfer has few of them; one with more is malicious.
const maxAsked = 20

func (g *Group) consolidatedMember(ctx context.Context, c meta.Child, asks *int) Member {
	m := Member{Name: c.Name, Kind: "group", How: Consolidated}
	if c.Err != nil {
		m.Err = reader.MetadataError(store.Join(g.path, c.Name), c.Err)
	}
	switch {
	case c.Err != nil && c.IsArray:
		m.Kind = "array"
		return m
	case c.Err != nil:
		return m
	case c.IsArray:
		m.Kind = "array"
	case c.Implicit:
		m.Kind = "implicit"
		return m
	}
	path := store.Join(g.path, c.Name)
	m.Err = guard.Do(func() error {
		n, err := g.h.nodes.Described(path)
		if n != nil {
			m.Node = n.(Node)
		}
		return err
	})
	var invalid *InvalidMetadataError
	switch {
	case m.Node != nil, m.Err != nil && !errtype.As(m.Err, &invalid):
	case *asks > 0:
		*asks--
		m.Node, m.Err = g.h.Open(ctx, path, OpenOptions{})
	case m.Err == nil:
		m.Err = &NotFoundError{Path: path, Want: "node"}
	}
	return m
}

// open opens the nodes of these names. It omits names without a node, or reports them as implicit
// if they are known to be folders.
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
		absent := errtype.As(m.Err, &missing)
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
