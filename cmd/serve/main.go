// Command serve is a static HTTP server for the demo, the tests and the benchmarks.
//
//	serve [flags] [directory or .zip, .tar, .tar.gz file]
//
// It prints its address on standard output when it is ready.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"zarr-wasm/cmd/serve/static"
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

// run serves until the context ends.
func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(errs)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	cors := flags.Bool("cors", true, "let pages of any origin read")
	isolate := flags.Bool("isolate", false, "send the headers for cross-origin isolated pages")
	list := flags.Bool("list", false, "list folders that have no index.html")
	cache := flags.String("cache", "no-cache", "the Cache-Control `header`")
	latency := flags.Duration("latency", 0, "hold every answer back for that `time`, as a far server would")
	rate := flags.Float64("rate", 0, "send no more than so many `megabits` a second, as a slow line would")
	verbose := flags.Bool("v", false, "write every request to standard error")
	faulty := flags.Bool("faults", false, "for tests: take faults by POST to /-/faults, with requests recorded")
	flags.Usage = func() {
		fmt.Fprintln(errs, "usage: serve [flags] [directory or .zip, .tar, .tar.gz file]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 1 {
		return errors.New("one directory or archive at a time")
	}
	root := "."
	if flags.NArg() == 1 {
		root = flags.Arg(0)
	}
	fsys, err := static.Open(root)
	if err != nil {
		return err
	}
	opt := static.Options{CORS: *cors, Isolate: *isolate, List: *list, CacheControl: *cache, Latency: *latency, Rate: *rate * 1e6 / 8}
	var handler http.Handler
	if *faulty {
		opt.Faults = &static.Faults{}
		control, files := opt.Faults.Control(), static.New(fsys, opt)
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/-/faults" {
				control.ServeHTTP(w, r)
				return
			}
			files.ServeHTTP(w, r)
		})
	} else {
		handler = static.New(fsys, opt)
	}
	if *verbose {
		handler = logged(handler, errs)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(out, "http://%s/\n", listener.Addr())
	go func() {
		<-ctx.Done()
		server.Close() // at once: nothing is lost
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// logged writes every request down.
func logged(next http.Handler, w io.Writer) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c := &counter{ResponseWriter: rw, status: http.StatusOK}
		began := time.Now()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(w, "%s %q %q %d %d bytes %s\n", r.Method, r.URL.RequestURI(), r.Header.Get("Range"), c.status, c.bytes, time.Since(began).Round(time.Microsecond))
		}()
		next.ServeHTTP(c, r)
	})
}

type counter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (c *counter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

func (c *counter) Flush() {
	if f, ok := c.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
