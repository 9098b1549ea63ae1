// Command serve is cmd/serve for tests that need faults: it takes them by POST
// to /-/faults, and has the requests that it recorded there (see [faulty.Faults.Control]). Below /~ it has faults by
// seed (see [faulty.Seeded]), below /=NAME/ are objects that are written (see [faulty.Objects]), which have no tags where the name begins with
// "untagged".
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
	"strings"
	"sync"
	"syscall"

	"github.com/zarr-wasm/zarr-wasm/cmd/serve/static"
	"github.com/zarr-wasm/zarr-wasm/tests/faulty"
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
		seeded := faulty.NewSeeded(static.New(fsys, opt))
		var written sync.Map // of name to *faulty.Objects
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/-/faults":
				control.ServeHTTP(w, r)
			case strings.HasPrefix(r.URL.Path, "/="):
				name, _, _ := strings.Cut(r.URL.Path[len("/="):], "/")
				objects := faulty.NewObjects()
				objects.Untagged = strings.HasPrefix(name, "untagged")
				kept, _ := written.LoadOrStore(name, objects)
				http.StripPrefix("/="+name, kept.(http.Handler)).ServeHTTP(w, r)
			case r.URL.Path == "/-/seeded", strings.HasPrefix(r.URL.Path, "/~"):
				seeded.ServeHTTP(w, r)
			default:
				files.ServeHTTP(w, r)
			}
		})
	})
}
