package static

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"time"
)

// Run is a command that serves a directory or an archive until the context ends:
// site returns its handler, as [New] does. It writes its address to out when it is ready.
func Run(ctx context.Context, name string, args []string, out, errs io.Writer, site func(fs.FS, Options) http.Handler) error {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(errs)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	cors := flags.Bool("cors", true, "let pages of any origin read")
	isolate := flags.Bool("isolate", false, "send the headers for cross-origin isolated pages")
	list := flags.Bool("list", false, "list folders that have no index.html")
	cache := flags.String("cache", "no-cache", "the Cache-Control `header`")
	latency := flags.Duration("latency", 0, "hold every answer back for that `time`, as a far server would")
	rate := flags.Float64("rate", 0, "send no more than so many `megabits` a second, as a slow line would")
	verbose := flags.Bool("v", false, "write every request to standard error")
	flags.Usage = func() {
		fmt.Fprintln(errs, "usage: "+name+" [flags] [directory or .zip, .tar, .tar.gz file]")
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
	fsys, err := Open(root)
	if err != nil {
		return err
	}
	handler := site(fsys, Options{CORS: *cors, Isolate: *isolate, List: *list, CacheControl: *cache, Latency: *latency, Rate: *rate * 1e6 / 8})
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
