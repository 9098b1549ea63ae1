package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
)

func treeCommand() *cli.Command {
	return &cli.Command{
		Name: "tree", Usage: "list the nodes of a hierarchy", ArgsUsage: "ADDRESS [NODE]",
		Flags: accessFlags(
			asJSON(),
			&cli.IntFlag{Name: "level", Aliases: []string{"L"}, Value: 32, Usage: "descend at most `N` groups"},
		),
		Action: tree,
	}
}

func tree(ctx context.Context, c *cli.Command) error {
	_, n, err := open(ctx, c, c.Args().Slice(), zarr.CacheOptions{})
	if err != nil {
		return err
	}
	root := described(n)
	if err := below(ctx, &root, n, int(c.Int("level"))); err != nil {
		return err
	}
	out := c.Root().Writer
	if c.Bool("json") {
		return writeJSON(out, root)
	}
	fmt.Fprintln(out, root.Path+root.line())
	draw(out, root.Members, "")
	return nil
}

// below adds the members of a group, to a depth. A member that does not open is listed with its
// error.
func below(ctx context.Context, told *node, n zarr.Node, depth int) error {
	group, ok := n.(*zarr.Group)
	if !ok || depth == 0 {
		return nil
	}
	members, err := group.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		one := node{Path: strings.TrimSuffix(told.Path, "/") + "/" + m.Name, Kind: m.Kind}
		if m.Node != nil {
			one = described(m.Node)
			if err := below(ctx, &one, m.Node, depth-1); err != nil {
				return err
			}
		} else if m.Err != nil {
			one.Error = m.Err.Error()
		}
		told.Members = append(told.Members, one)
	}
	return ctx.Err()
}

func draw(out io.Writer, members []node, margin string) {
	for i, m := range members {
		branch, next := "├── ", "│   "
		if i == len(members)-1 {
			branch, next = "└── ", "    "
		}
		fmt.Fprintln(out, margin+branch+m.Path[strings.LastIndex(m.Path, "/")+1:]+m.line())
		draw(out, m.Members, margin+next)
	}
}

// line returns the text after a node's name.
func (n *node) line() string {
	switch {
	case n.Error != "":
		return " (" + n.Error + ")"
	case n.Kind == "array":
		return " " + tuple(n.Shape) + " " + n.Type
	}
	return ""
}

// tuple formats a shape as a Python tuple.
func tuple(shape []int64) string {
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}
