// Command serve is cmd/serve for tests that need faults: it takes them by POST
// to /-/faults, and has the requests that it recorded there (see [faulty.Faults.Control]).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"zarr-wasm/cmd/serve/static"
	"zarr-wasm/tests/faulty"
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
	return static.Run(ctx, "serve", args, out, errs, func(fsys fs.FS, opt static.Options) http.Handler {
		faults := &faulty.Faults{}
		control, files := faults.Control(), faulty.New(fsys, opt, faults)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/-/faults" {
				control.ServeHTTP(w, r)
				return
			}
			files.ServeHTTP(w, r)
		})
	})
}
