// Package inmemory serves HTTP over connections in memory, for tests with [testing/synctest].
// Waiting for a network connection does not count as blocked there, so time would stand still.
//
//	client := inmemory.Serve(t, handler)
package inmemory

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Serve serves a handler until the test ends. All of the client's connections lead to it, whatever
// the address.
func Serve(t testing.TB, h http.Handler) *http.Client {
	l := &listener{dialled: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return &http.Client{Transport: transport}
}

// listener accepts dialled connections.
type listener struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.dialled <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
