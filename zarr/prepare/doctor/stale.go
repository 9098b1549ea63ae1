package doctor

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// comparison compares the consolidated metadata of a group with the nodes' own metadata.
type comparison struct {
	group *zarr.Group
	// left is the number of nodes that may still be opened.
	left int
	// found is the number of nodes below the group with documents of their own.
	found int
	stale []string
}

// compare notes each node whose own metadata differ from the group's consolidated metadata.
func (x *examination) compare(ctx context.Context, g *zarr.Group) error {
	c := &comparison{group: g, left: x.opt.Arrays}
	err := c.node(ctx, "", false)
	if c.found > 0 { // else the group is stored without the nodes' own metadata
		x.Stale = c.stale
	}
	return err
}

func (c *comparison) differs(path, text string) {
	c.stale = append(c.stale, "/"+c.at(path)+" "+text)
}

// at returns the path in the hierarchy of a path below the group, or of "", the group itself.
func (c *comparison) at(path string) string {
	if path == "" {
		return c.group.Path()
	}
	return store.Join(c.group.Path(), path)
}

// node compares a node and those below it. An implicit group needs no documents.
func (c *comparison) node(ctx context.Context, path string, implicit bool) error {
	said, err := c.group.Metadata().Consolidated.Node(path)
	if err != nil {
		return ctx.Err() // another rule reports a node that cannot be opened
	}
	own, known, err := c.own(ctx, path)
	switch {
	case err != nil || !known:
		return err
	case own == nil && !implicit && path != "":
		c.differs(path, "has no metadata of its own")
		return nil
	case own != nil && implicit && len(own.Metadata().Documents) > 0:
		c.differs(path, "is not described")
	case own != nil && said != nil && len(said.Documents) > 0 && said.Hash() != own.Hash():
		c.differs(path, difference(said, own.Metadata()))
	}
	if said != nil && said.Array != nil || own != nil && own.Metadata().Array != nil {
		return nil
	}
	children := c.group.Metadata().Consolidated.Children(path)
	for _, child := range children {
		if child.Err == nil {
			if err := c.node(ctx, store.Join(path, child.Name), child.Implicit); err != nil {
				return err
			}
		}
	}
	return c.others(ctx, path, children)
}

// others finds the nodes directly below a group that are not among its children.
func (c *comparison) others(ctx context.Context, path string, children []meta.Child) error {
	can := store.CapabilitiesOf(c.group.Hierarchy().Store())
	if !can.ListsAll() {
		return nil
	}
	names, err := can.List(ctx, c.at(path))
	if err != nil {
		return ctx.Err()
	}
	for _, name := range names {
		folder, ok := strings.CutSuffix(name, "/")
		if !ok || slices.ContainsFunc(children, func(child meta.Child) bool { return child.Name == folder }) {
			continue
		}
		own, _, err := c.own(ctx, store.Join(path, folder))
		if err != nil {
			return err
		}
		if own != nil {
			c.differs(store.Join(path, folder), "is not described")
		}
	}
	return nil
}

// own opens a node by its own documents, and returns nil if there are none. It returns false if it
// does not know, or if too many nodes were opened.
func (c *comparison) own(ctx context.Context, path string) (n zarr.Node, known bool, err error) {
	if c.left == 0 {
		return nil, false, ctx.Err()
	}
	c.left--
	if n, err = c.group.Hierarchy().Open(ctx, c.at(path), zarr.OpenOptions{Fresh: true, Format: c.group.Metadata().Format}); err == nil {
		if path != "" {
			c.found++
		}
		return n, true, nil
	}
	return nil, errors.Is(err, fs.ErrNotExist), ctx.Err()
}

// difference describes the first difference of a node.
func difference(said, own *meta.Node) string {
	switch {
	case (said.Array == nil) != (own.Array == nil):
		return "is of another kind"
	case said.Array != nil && !slices.Equal(said.Array.Shape, own.Array.Shape):
		return "has the shape " + comma(own.Array.Shape) + ", not " + comma(said.Array.Shape)
	case said.Array != nil && !said.SameChunks(own):
		return "has another type or layout"
	}
	return "has other attributes or names"
}
