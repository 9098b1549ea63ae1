package static

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Server is an HTTP server for one machine and its network.
type Server struct {
	// Addr is the address to listen on, HOST:PORT; port 0 selects a free one.
	Addr    string
	Handler http.Handler
	// Private refuses pages of other origins. A server at a loopback address then answers only
	// requests for localhost or an IP address. Otherwise a page could resolve its own name to
	// 127.0.0.1 and be of the same origin.
	Private bool
	// Ready is called once the server listens, with its URL. local reports whether only this
	// machine can reach it.
	Ready func(url string, local bool)
}

const (
	// slowest bounds the time in which a client must send a request; the server closes the
	// connection within 10 s.
	slowest = 9 * time.Second
	// idle is how long a connection stays open between two requests.
	idle = time.Minute
)

// Run serves until the context ends.
func (s *Server) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", s.Addr)
	if err != nil {
		return err
	}
	addr, ok := listener.Addr().(*net.TCPAddr)
	local := ok && addr.IP.IsLoopback()
	handler := timely(s.Handler)
	if s.Private && local {
		handler = unnamed(handler)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: slowest, IdleTimeout: idle}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // at once: nothing is lost
	defer stop()
	s.Ready(fmt.Sprintf("http://%s/", listener.Addr()), local)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// timely bounds the time in which a client may send a body, which no answer needs.
func timely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(slowest))
		}
		next.ServeHTTP(w, r)
	})
}

// unnamed answers requests for localhost and IP addresses, and refuses those for other names.
func unnamed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !here(r.Host) {
			http.Error(w, "misdirected request", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// here reports whether a Host header is localhost or an IP address, with or without a port.
func here(host string) bool {
	if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexByte(host, ']') {
		host = host[:at]
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return ok && err == nil && address.Is6()
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Is4() || strings.EqualFold(host, "localhost")
}

// Logged returns a handler that logs every request.
func Logged(next http.Handler, w io.Writer) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c := &counter{ResponseWriter: rw, status: http.StatusOK}
		began := time.Now()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(w, "%s %q %q %d %d bytes %s\n", r.Method, r.URL.EscapedPath(), r.Header.Get("Range"), c.status, c.bytes, time.Since(began).Round(time.Microsecond))
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

// Unwrap is for [http.ResponseController].
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
