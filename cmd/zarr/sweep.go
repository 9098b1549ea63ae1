package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
)

func sweepCommand() *cli.Command {
	return &cli.Command{
		Name: "sweep", Usage: "remove the leftovers of killed writers", ArgsUsage: "DIRECTORY or archive [NODE]",
		Description: "Removes temporary files and folders, and locks that no process holds. Others may write at the same time. A copy sweeps its own destination.",
		Flags:       []cli.Flag{&cli.DurationFlag{Name: "age", Usage: "keep files changed within the last `DURATION`, such as 1h30m"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if n := c.Args().Len(); n < 1 || n > 2 {
				return usageError{errors.New("expected a directory or an archive, and the path of a node in it")}
			}
			at := c.Args().Get(0)
			if remote(at) || strings.Contains(at, "|") {
				return usageError{fmt.Errorf("%s: only directories and archives can be swept", at)}
			}
			removed, err := swept(ctx, at, c.Args().Get(1), c.Duration("age"))
			fmt.Fprintf(c.Root().Writer, "%d temporary files, folders and locks removed\n", removed)
			return err
		},
	}
}

// swept sweeps a node's place in a directory, or an archive's. Writes to a URL leave nothing to
// sweep.
func swept(ctx context.Context, at, node string, age time.Duration) (removed int, err error) {
	if remote(at) {
		return 0, nil
	}
	if isArchive(at) {
		at, node = filepath.Split(filepath.Clean(at))
		at = filepath.Join(at, ".")
	}
	d, err := filestore.OpenDir(at, filestore.DirOptions{})
	if err != nil {
		return 0, err
	}
	removed, err = d.Sweep(ctx, strings.Trim(node, "/"), age)
	return removed, errors.Join(err, d.Close())
}
