// Command serve is a static HTTP server for data, the viewer, the tests and the benchmarks.
//
//	serve [flags] [directory or .zip, .tar, .tar.gz file]
//
// It prints its address on standard output when it is ready. With -viewer and the folder of the viewer's files, it also
// prints the addresses of the viewer on the hierarchies that it serves, and with -open opens a browser.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/zarr-wasm/zarr-wasm/cmd/serve/static"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "serve:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	return static.Run(ctx, "serve", args, out, errs, static.New)
}
