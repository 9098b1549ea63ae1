package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"
)

func consolidateCommand() *cli.Command {
	return &cli.Command{
		Name: "consolidate", Usage: "write the metadata of all that is in a group into the group's", ArgsUsage: "ADDRESS [NODE]",
		Flags:       []cli.Flag{headerFlag()},
		Description: "Readers then need one request for a whole hierarchy, and no list of what is there. It is a copy: do it again after each change.",
		Action: func(ctx context.Context, c *cli.Command) error {
			if n := c.Args().Len(); n < 1 || n > 2 {
				return usageError{errors.New("a directory or a URL is expected, and the path of a group in it")}
			}
			headers, err := headersOf(c, "header")
			if err != nil {
				return err
			}
			h, err := writable(c.Args().Get(0), headers)
			if err != nil {
				return err
			}
			_, err = h.ConsolidateMetadata(ctx, strings.Trim(c.Args().Get(1), "/"))
			return err
		},
	}
}

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name: "migrate", Usage: "write the metadata of a hierarchy in the next version", ArgsUsage: "ADDRESS [NODE]",
		Description: "From version 1 to 2, and from 2 to 3, for a node and all below it. Chunks stay as they are.",
		Flags:       []cli.Flag{headerFlag(), &cli.IntFlag{Name: "to", Value: 3, Usage: "the `VERSION` of the new metadata"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if n := c.Args().Len(); n < 1 || n > 2 {
				return usageError{errors.New("a directory or a URL is expected, and the path of a node in it")}
			}
			headers, err := headersOf(c, "header")
			if err != nil {
				return err
			}
			h, err := writable(c.Args().Get(0), headers)
			if err != nil {
				return err
			}
			return h.Migrate(ctx, strings.Trim(c.Args().Get(1), "/"), int(c.Int("to")))
		},
	}
}
