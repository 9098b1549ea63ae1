package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/cmd/serve/static"
)

func viewCommand() *cli.Command {
	return &cli.Command{
		Name: "view", Usage: "serve a folder or an archive, and open the viewer on it", ArgsUsage: "[DIRECTORY or archive]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: "127.0.0.1:0", Usage: "the `ADDRESS` to listen on; port 0 takes a free one"},
			&cli.StringFlag{Name: "viewer", Sources: cli.EnvVars("ZARR_VIEWER"), Usage: "the `FOLDER` of the viewer's files, as “npx zarr-wasm viewer FOLDER” writes them"},
			&cli.BoolFlag{Name: "no-cors", Usage: "pages of other origins may not read"},
			&cli.BoolFlag{Name: "no-open", Usage: "do not open a browser"},
		},
		Action: view,
	}
}

func view(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() > 1 {
		return usageError{errors.New("one directory or archive at a time")}
	}
	files := c.String("viewer")
	if files == "" {
		files = viewerFiles()
	}
	if files == "" {
		return usageError{errors.New("the viewer's files are not beside the program: name their folder by --viewer")}
	}
	args := []string{"-addr", c.String("addr"), "-viewer", files}
	if c.Bool("no-cors") {
		args = append(args, "-cors=false")
	}
	if !c.Bool("no-open") {
		args = append(args, "-open")
	}
	root := c.Root()
	return static.Run(ctx, "view", append(args, c.Args().Slice()...), root.Writer, root.ErrWriter, static.New)
}

// viewerFiles looks for the folder of the viewer's files: beside the program, and where the build puts it.
func viewerFiles() string {
	folders := []string{filepath.Join("build", "demo")}
	if program, err := os.Executable(); err == nil {
		folders = append([]string{filepath.Join(filepath.Dir(program), "viewer")}, folders...)
	}
	for _, dir := range folders {
		if _, err := os.Stat(filepath.Join(dir, "index.html")); err == nil {
			return dir
		}
	}
	return ""
}
