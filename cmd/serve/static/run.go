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
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Run is a command that serves a directory or an archive until the context ends:
// site returns its handler, as [New] does. It writes its address to out when it is ready, and those of the viewer if there is one.
func Run(ctx context.Context, name string, args []string, out, errs io.Writer, site func(fs.FS, Options) http.Handler) error {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(errs)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	cors := flags.Bool("cors", true, "let pages of any origin read")
	isolate := flags.Bool("isolate", false, "send the headers for cross-origin isolated pages")
	list := flags.Bool("list", false, "list folders that have no index.html")
	dotfiles := flags.Bool("dotfiles", false, "serve all files whose names begin with a dot, not only the documents of Zarr")
	compress := flags.Bool("compress", false, "send documents and pages with gzip")
	viewer := flags.String("viewer", "", "the `folder` of the viewer's files, as in build/demo: served at the root, and what else is served below data/, listed and compressed")
	open := flags.Bool("open", false, "open the viewer in the browser")
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
	opt := Options{CORS: *cors, Isolate: *isolate, List: *list, Dotfiles: *dotfiles, Compress: *compress, CacheControl: *cache, Latency: *latency, Rate: *rate * 1e6 / 8}
	var pages []string
	if *viewer != "" {
		opt.List, opt.Compress = true, true
	}
	handler := site(fsys, opt)
	if *viewer != "" {
		files, err := Open(*viewer)
		if err != nil {
			return err
		}
		opt.List = false
		handler, pages = Viewer(New(files, opt), handler, fsys, DataName(root))
	}
	if *verbose {
		handler = logged(handler, errs)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	address := fmt.Sprintf("http://%s/", listener.Addr())
	fmt.Fprintln(out, address)
	if !loopback(listener.Addr()) {
		fmt.Fprintln(errs, "other machines can read what is served")
	}
	for _, page := range pages {
		fmt.Fprintf(out, "viewer: %s%s\n", address, page)
	}
	if *open {
		browse(address)
	}
	go func() {
		<-ctx.Done()
		server.Close() // at once: nothing is lost
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// browse opens an address in the browser; its address is printed, so a machine that has none does without.
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
