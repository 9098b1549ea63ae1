package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
)

func consolidateCommand() *cli.Command {
	return &cli.Command{
		Name: "consolidate", Usage: "write consolidated metadata into a group", ArgsUsage: "ADDRESS [NODE]",
		Flags:       accessFlags(),
		Description: "Readers then need one request for a whole hierarchy, and no listing. Consolidated metadata is a copy: run this again after each change.",
		Action: func(ctx context.Context, c *cli.Command) error {
			h, path, err := changed(ctx, c, "group")
			if err != nil {
				return err
			}
			_, err = h.ConsolidateMetadata(ctx, path)
			return err
		},
	}
}

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name: "migrate", Usage: "write the metadata of a hierarchy in the next version", ArgsUsage: "ADDRESS [NODE]",
		Description: "Migrates a node and all nodes below it from version 1 to 2, or from 2 to 3. Chunks remain unchanged. If interrupted, run it again to do the rest.",
		Flags:       accessFlags(&cli.IntFlag{Name: "to", Value: 3, Usage: "the `VERSION` of the new metadata"}),
		Action: func(ctx context.Context, c *cli.Command) error {
			h, path, err := changed(ctx, c, "node")
			if err != nil {
				return err
			}
			n, err := h.Migrate(ctx, path, int(c.Int("to")))
			switch {
			case err != nil:
				return err
			case n == 0:
				fmt.Fprintf(c.Root().Writer, "nothing to do: all metadata is of version %d\n", c.Int("to"))
			default:
				fmt.Fprintf(c.Root().Writer, "%d nodes migrated\n", n)
			}
			return nil
		},
	}
}

// changed opens the hierarchy that a command changes, and returns the path of a node in it.
func changed(ctx context.Context, c *cli.Command, kind string) (h *zarr.Hierarchy, path string, err error) {
	if n := c.Args().Len(); n < 1 || n > 2 {
		return nil, "", usageError{fmt.Errorf("expected a directory or a URL, and the path of a %s in it", kind)}
	}
	if err := checkNode(c.Args().Get(1)); err != nil {
		return nil, "", err
	}
	how, err := accessOf(c, "")
	if err != nil {
		return nil, "", err
	}
	h, err = writable(ctx, c.Args().Get(0), how)
	return h, strings.Trim(c.Args().Get(1), "/"), err
}
