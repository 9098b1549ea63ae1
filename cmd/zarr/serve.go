package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "serve a folder or an archive over HTTP", ArgsUsage: "[DIRECTORY or archive]",
		Description: "With --viewer the viewer is at the root, and the data are below data/. Archives are .zip, .ozx, .tar and .tar.gz files; their contents are served.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: "127.0.0.1:8080", Usage: "the `ADDRESS` to listen on; port 0 selects a free one"},
			&cli.StringFlag{Name: "viewer", Sources: cli.EnvVars("ZARR_VIEWER"), Usage: "the `FOLDER` of the viewer's files, as “npx zarr-wasm viewer FOLDER” writes them"},
			&cli.BoolFlag{Name: "no-cors", Usage: "do not let pages of other origins read"},
			&cli.BoolFlag{Name: "isolate", Usage: "send cross-origin isolation headers, which SharedArrayBuffer requires"},
			&cli.BoolFlag{Name: "open", Usage: "open a browser"},
			&cli.BoolFlag{Name: "verbose", Usage: "log every request to standard error"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			return serve(ctx, c, c.String("viewer"), c.Bool("open"))
		},
	}
}

func viewCommand() *cli.Command {
	return &cli.Command{
		Name: "view", Usage: "serve a folder or an archive, and open the viewer on it", ArgsUsage: "[DIRECTORY or archive]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: "127.0.0.1:0", Usage: "the `ADDRESS` to listen on; port 0 selects a free one"},
			&cli.StringFlag{Name: "viewer", Sources: cli.EnvVars("ZARR_VIEWER"), Usage: "the `FOLDER` of the viewer's files, as “npx zarr-wasm viewer FOLDER” writes them"},
			&cli.BoolFlag{Name: "no-cors", Usage: "do not let pages of other origins read"},
			&cli.BoolFlag{Name: "no-open", Usage: "do not open a browser"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			viewer := c.String("viewer")
			if viewer == "" {
				viewer = viewerFiles()
			}
			if viewer == "" && c.Args().Len() <= 1 { // serve refuses more
				return usageError{errors.New("the viewer's files are not beside the program: set their folder with --viewer")}
			}
			return serve(ctx, c, viewer, !c.Bool("no-open"))
		},
	}
}

// serve serves the arguments of a command. It also serves the viewer unless its folder is "".
func serve(ctx context.Context, c *cli.Command, viewer string, browser bool) error {
	if c.Args().Len() > 1 {
		return usageError{errors.New("expected one directory or archive")}
	}
	root := "."
	if c.Args().Present() {
		root = c.Args().First()
	}
	data, err := static.Open(root)
	if err != nil {
		return err
	}
	opt := static.Options{CORS: !c.Bool("no-cors"), Isolate: c.Bool("isolate"), List: true, Compress: true}
	handler := static.New(data, opt)
	var pages []string
	if viewer != "" {
		files, err := static.Open(viewer)
		if err != nil {
			return err
		}
		opt.CORS, opt.List = false, false
		handler, pages = static.Viewer(static.New(files, opt), handler, data, static.DataName(root))
	}
	out, errs := c.Root().Writer, c.Root().ErrWriter
	if c.Bool("verbose") {
		handler = static.Logged(handler, errs)
	}
	server := static.Server{Addr: c.String("addr"), Handler: handler, Private: c.Bool("no-cors"), Ready: func(url string, local bool) {
		fmt.Fprintln(out, url)
		if !local {
			fmt.Fprintln(errs, "other machines can read the served files")
		}
		for _, page := range pages {
			fmt.Fprintf(out, "viewer: %s%s\n", url, page)
		}
		fmt.Fprintln(out, "Ctrl-C ends it.")
		if browser {
			browse(url)
		}
	}}
	return server.Run(ctx)
}

// viewerFiles looks for the folder of the viewer's files beside the program, and where the build
// puts it.
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

// browse opens an address in the browser. The address is also printed, for machines without one.
func browse(address string) {
	var command *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		command = exec.Command("open", address)
	case "windows":
		command = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		command = exec.Command("xdg-open", address)
	}
	if command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}
