// Command serve is the static server of tests and benchmarks.
//
//	serve [-latency 50ms] [-rate BYTES] [-faults] DIRECTORY
//
// -latency and -rate simulate a slow line. With -faults it accepts faults by POST to /-/faults, and
// returns the recorded requests there ([faulty.Faults.Control]). Below /~ it has seeded faults
// ([faulty.Seeded]). Below /=NAME/ objects can be written ([faulty.Objects]), without tags if the
// name begins with "untagged".
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

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
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
	var opt static.Options
	var line faulty.Line
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(errs)
	addr := flags.String("addr", "127.0.0.1:0", "`address` to listen on")
	flags.BoolVar(&opt.CORS, "cors", true, "let pages of any origin read")
	flags.BoolVar(&opt.Isolate, "isolate", false, "send the headers for cross-origin isolated pages")
	flags.BoolVar(&opt.List, "list", false, "list folders that have no index.html")
	flags.BoolVar(&opt.Dotfiles, "dotfiles", false, "serve all files whose names begin with a dot")
	flags.StringVar(&opt.CacheControl, "cache", "", "the Cache-Control `header`")
	flags.DurationVar(&line.Latency, "latency", 0, "hold every answer back for that `time`")
	rate := flags.Float64("rate", 0, "send no more than so many `megabits` a second")
	wrong := flags.Bool("faults", false, "take faults, and record requests")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("one directory or archive is served")
	}
	fsys, err := static.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	line.Rate = *rate * 1e6 / 8
	handler := line.Over(static.New(fsys, opt))
	if *wrong {
		handler = withFaults(fsys, opt, &line, handler)
	}
	server := static.Server{Addr: *addr, Handler: handler, Ready: func(url string, _ bool) { fmt.Fprintln(out, url) }}
	return server.Run(ctx)
}

// withFaults returns the handler of a faulty server. right is its handler without faults.
func withFaults(fsys fs.FS, opt static.Options, line *faulty.Line, right http.Handler) http.Handler {
	faults := &faulty.Faults{Line: line}
	control, files := faults.Control(), faulty.New(fsys, opt, faults)
	seeded := faulty.NewSeeded(right)
	var written sync.Map // maps names to *faulty.Objects
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
}
